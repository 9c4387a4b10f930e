// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Judges random kernels:
//   random-kernels [--target gfx90a] [--from ir|assembly] [--way
//   poison|count|stack] [--seed FIRST] [--count N] [--show]
// What is not given varies from kernel to kernel. Says how many kernels were
// judged and refused, and how many per second; a kernel with a difference is
// named so that the same options repeat it, and makes the exit code 1.
#include "RandomJudge.h"
#include <chrono>
#include <cstdio>
#include <map>

using namespace luthier;
using namespace luthier::test;

namespace {

struct Options {
  std::optional<EngineTarget> Target;
  std::optional<Language> From;
  std::optional<Way> How;
  uint64_t Seed = 1, Count = 1;
  bool Show = false;
};

[[noreturn]] void usage(const char *About) {
  std::fprintf(stderr, "random-kernels: %s; see Driver.cpp\n", About);
  std::exit(2);
}

EngineTarget targetNamed(const std::string &Name) {
  for (const EngineTarget &T : allTargets())
    if (T.name() == Name)
      return T;
  usage(("no target " + Name).c_str());
}

Way wayNamed(const std::string &Name) {
  if (Name == "poison")
    return Way::Poison;
  if (Name == "count")
    return Way::Count;
  if (Name == "stack")
    return Way::Stack;
  usage(("no way " + Name).c_str());
}

Options parse(int Argc, char **Argv) {
  Options O;
  for (int N = 1; N < Argc; ++N) {
    const std::string Name = Argv[N];
    if (Name == "--show") {
      O.Show = true;
      continue;
    }
    if (++N == Argc)
      usage((Name + " wants a value").c_str());
    const std::string Value = Argv[N];
    if (Name == "--target")
      O.Target = targetNamed(Value);
    else if (Name == "--from")
      O.From = Value == "ir" ? Language::IR : Language::Assembly;
    else if (Name == "--way")
      O.How = wayNamed(Value);
    else if (Name == "--seed")
      O.Seed = std::stoull(Value);
    else if (Name == "--count")
      O.Count = std::stoull(Value);
    else
      usage(("no option " + Name).c_str());
  }
  return O;
}

} // namespace

int main(int Argc, char **Argv) {
  const Options O = parse(Argc, Argv);
  const std::vector<EngineTarget> All = allTargets();
  unsigned Different = 0;
  std::map<std::string, unsigned> Refusals;
  const auto Begin = std::chrono::steady_clock::now();
  for (uint64_t N = 0; N != O.Count; ++N) {
    RandomCase Case;
    Case.Seed = O.Seed + N;
    Case.Target = O.Target ? *O.Target : All[Case.Seed % All.size()];
    // Half are assembly; of six, four are poisoned.
    Case.From = O.From ? *O.From : Language(Case.Seed / 2 % 2);
    constexpr Way Ways[] = {Way::Poison, Way::Poison, Way::Count,
                            Way::Poison, Way::Stack,  Way::Poison};
    Case.How = O.How ? *O.How : Ways[Case.Seed % 6];
    if (O.Show) {
      std::printf("%s\n", sourceOf(Case).c_str());
      std::fflush(stdout);
    }
    RandomVerdict Verdict = judgeRandom(Case);
    if (Verdict.Refused || Verdict.IsUnfit) {
      ++Refusals[Verdict.IsUnfit ? "an unfit original"
                                 : luthier::toString(*Verdict.Refused).str()];
      if (O.Show)
        std::printf("%s\n", Verdict.Problem.c_str());
    } else if (!Verdict.Problem.empty()) {
      ++Different;
      std::printf("%s\n%s\n", Case.name().c_str(), Verdict.Problem.c_str());
      std::fflush(stdout);
    }
  }
  const double Seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - Begin)
          .count();
  std::printf("%llu kernels, %u different, %.1f per second",
              static_cast<unsigned long long>(O.Count), Different,
              O.Count / Seconds);
  for (const auto &[Reason, Number] : Refusals)
    std::printf(", left out for %s: %u", Reason.c_str(), Number);
  std::printf("\n");
  unsigned LeftOut = 0;
  for (const auto &[Reason, Number] : Refusals)
    LeftOut += Number;
  // A run that judges next to nothing says nothing.
  constexpr unsigned FewestForShares = 20;
  if (O.Count >= FewestForShares && LeftOut * 5 > O.Count) {
    std::printf("more than a fifth of the kernels was not judged\n");
    return 1;
  }
  return Different ? 1 : 0;
}
