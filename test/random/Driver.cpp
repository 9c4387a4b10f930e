// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Judges random kernels:
//   random-kernels [--target gfx90a|gfx1030|gfx1030w32] [--from ir|assembly]
//     [--way scramble|count|blocks|accumulate|stack|mixed|scalars]
//     [--storage FORM]
//     [--policy grow|keep-occupancy|no-grow] [--seed FIRST] [--count N]
//     [--show] [--write FILE] [--cases FILE] [--digests FILE]
// What is not given varies from kernel to kernel. Says how many kernels were
// judged and refused, what they were like, and how many per second; a kernel
// with a difference is named so that the same options repeat it, and makes the
// exit code 1. The file of --cases has such names, one in a line, each with the
// --kernel that it was seen with, a hash of its source: if the dice fall
// another way, the case no longer means what it meant, which is an error.
// The file of --write gets the code object of the (last) original, and
// FILE.instrumented what was made of it. With --digests nothing runs: the file
// gets a line with a hash of what the engine makes of each kernel, by which two
// versions of the engine can be compared.
#include "RandomJudge.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/xxhash.h"
#include <chrono>
#include <cstdio>
#include <fstream>
#include <malloc.h>
#include <map>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

struct Options {
  CaseOptions Cases;
  uint64_t Seed = 1, Count = 1;
  bool Show = false;
  std::string File, Object, Digests, Kernel;
};

[[noreturn]] void usage(const std::string &About) {
  std::fprintf(stderr, "random-kernels: %s; see Driver.cpp\n", About.c_str());
  std::exit(2);
}

Options parse(ArrayRef<StringRef> Words) {
  Options O;
  for (size_t N = 0; N != Words.size(); ++N) {
    const StringRef Name = Words[N];
    if (Name == "--show") {
      O.Show = true;
      continue;
    }
    if (++N == Words.size())
      usage((Name + " wants a value").str());
    const StringRef Value = Words[N];
    uint64_t *Number = Name == "--seed"    ? &O.Seed
                       : Name == "--count" ? &O.Count
                                           : nullptr;
    if (Number) {
      if (Value.getAsInteger(10, *Number))
        usage((Name + " wants a number").str());
      continue;
    }
    if (Name == "--digests") {
      O.Digests = Value.str();
      continue;
    }
    if (Name == "--kernel") {
      O.Kernel = Value.str();
      continue;
    }
    if (Name == "--cases" || Name == "--write") {
      (Name == "--cases" ? O.File : O.Object) = Value.str();
      continue;
    }
    Expected<bool> Known = O.Cases.parse(Name, Value);
    if (!Known)
      usage(llvm::toString(Known.takeError()));
    if (!*Known)
      usage(("no option " + Name).str());
  }
  return O;
}

/// A case from a file is about one kernel, and says which.
void checkKernel(const RandomCase &Case, StringRef Kernel) {
  const std::string Found = utohexstr(xxh3_64bits(sourceOf(Case)));
  if (Kernel != Found)
    usage("the kernel of " + Case.name() + " is " + Found + ", not " +
          (Kernel.empty() ? "named by --kernel" : Kernel.str()));
}

/// The cases of \p O, one after the other.
std::vector<RandomCase> casesOf(const Options &O) {
  std::vector<RandomCase> Result;
  if (O.File.empty()) {
    for (uint64_t N = 0; N != O.Count; ++N)
      Result.push_back(O.Cases.at(O.Seed + N));
    return Result;
  }
  std::ifstream File(O.File);
  if (!File)
    usage("cannot read " + O.File);
  for (std::string Line; std::getline(File, Line);) {
    const StringRef Case = StringRef(Line).split('#').first.trim();
    if (Case.empty())
      continue;
    SmallVector<StringRef> Words;
    Case.split(Words, ' ', -1, /*KeepEmpty=*/false);
    const Options Found = parse(Words);
    Result.push_back(Found.Cases.at(Found.Seed));
    checkKernel(Result.back(), Found.Kernel);
  }
  return Result;
}

void write(const std::string &Path, ArrayRef<uint8_t> What) {
  std::ofstream File(Path, std::ios::binary);
  File.write(reinterpret_cast<const char *>(What.data()), What.size());
  if (!File.flush())
    usage("cannot write " + Path);
}

/// Returns the exit code.
int writeDigests(const Options &O) {
  std::ofstream File(O.Digests);
  for (const RandomCase &Case : casesOf(O))
    File << digestOf(Case) << '\n';
  if (!File.flush())
    usage("cannot write " + O.Digests);
  return 0;
}

/// What a run has come to.
struct Tally {
  unsigned Judged = 0, LeftOut = 0, Different = 0;
  std::map<std::string, unsigned> Refusals, Has;

  void add(const RandomCase &Case, const RandomVerdict &Verdict, bool Show) {
    if (Verdict.Refused || Verdict.IsUnfit) {
      ++LeftOut;
      ++Refusals[Verdict.IsUnfit ? "an unfit original"
                                 : luthier::toString(*Verdict.Refused).str()];
      if (Show)
        std::printf("%s\n%s\n", Case.name().c_str(), Verdict.Problem.c_str());
      return;
    }
    ++Judged;
    for (const std::string &Feature : Verdict.Has)
      ++Has[Feature];
    ++Has["way: " + spelling(Case.How)];
    ++Has[Case.From == Language::IR ? "from LLVM IR" : "from assembly"];
    if (Verdict.Problem.empty())
      return;
    ++Different;
    std::printf("%s\n%s\n", Case.name().c_str(), Verdict.Problem.c_str());
    std::fflush(stdout);
  }
  void print(double Seconds) const {
    std::printf("%u kernels judged, %u different, %.1f per second", Judged,
                Different, (Judged + LeftOut) / Seconds);
    for (const auto &[Reason, Number] : Refusals)
      std::printf(", left out for %s: %u", Reason.c_str(), Number);
    std::printf("\nof them:");
    size_t Column = 0;
    for (const auto &[Feature, Number] : Has)
      std::printf("%s%6u %-32s", Column++ % 3 ? " " : "\n", Number,
                  Feature.c_str());
    std::printf("\n");
  }
  /// What 500 kernels of any target have, or the generator has lost it.
  bool hasTheUsual() const {
    constexpr const char *Usual[] = {"64-bit floating point",
                                     "DPP",
                                     "EXEC saved",
                                     "LDS",
                                     "MODE written",
                                     "all SGPRs",
                                     "all VGPRs",
                                     "atomics",
                                     "barriers",
                                     "branches",
                                     "calls",
                                     "dynamic stack",
                                     "from LLVM IR",
                                     "from assembly",
                                     "irreducible loops",
                                     "lanes exchanged",
                                     "loops",
                                     "partial workgroups",
                                     "recursion",
                                     "scratch instructions"};
    bool HasAll = true;
    for (const char *Feature : Usual)
      if (!Has.contains(Feature)) {
        std::printf("no kernel has: %s\n", Feature);
        HasAll = false;
      }
    return HasAll;
  }
};

} // namespace

int main(int Argc, char **Argv) {
  // Kernels come and go: memory given back to the system is asked for again.
  mallopt(M_TRIM_THRESHOLD, 1 << 29);
  mallopt(M_MMAP_THRESHOLD, 1 << 29);
  CrashRecoveryContext::Enable();
  const SmallVector<StringRef> Words(Argv + 1, Argv + Argc);
  const Options O = parse(Words);
  if (!O.Digests.empty())
    return writeDigests(O);
  Tally Sum;
  const auto Begin = std::chrono::steady_clock::now();
  for (const RandomCase &Case : casesOf(O)) {
    if (O.Show) {
      std::printf("%s\n", sourceOf(Case).c_str());
      std::fflush(stdout);
    }
    const RandomVerdict Verdict = judgeRandom(Case);
    Sum.add(Case, Verdict, O.Show);
    if (!O.Object.empty()) {
      write(O.Object, Verdict.Original);
      write(O.Object + ".instrumented", Verdict.Instrumented);
    }
  }
  Sum.print(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - Begin)
          .count());
  // A run that judges next to nothing says nothing.
  constexpr unsigned FewestForShares = 20;
  if (Sum.Judged + Sum.LeftOut >= FewestForShares &&
      Sum.LeftOut * 5 > Sum.Judged + Sum.LeftOut) {
    std::printf("more than a fifth of the kernels was not judged\n");
    return 1;
  }
  constexpr unsigned FewestForAll = 500;
  if (O.File.empty() && Sum.Judged + Sum.LeftOut >= FewestForAll &&
      !Sum.hasTheUsual())
    return 1;
  // Cases that were named are there to be judged, every one of them.
  if (!O.File.empty() && (Sum.LeftOut || !Sum.Judged)) {
    std::printf("a case of %s was not judged\n", O.File.c_str());
    return 1;
  }
  return Sum.Different ? 1 : 0;
}
