// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier pgo flags`: what to give to the compiler.
#include "cli/Arguments.h"
#include "cli/Commands.h"
#include "cli/FileCommand.h"
#include "cli/PgoCommands.h"
#include "cli/ProfileUse.h"
#include "pgo/Flags.h"
#include "pgo/ProfileFacts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier::cli {
namespace {

constexpr char Help[] =
    R"(usage: luthier pgo flags collect [--route ROUTE] [options]
       luthier pgo flags use PROFILE [--route ROUTE] [options]

Prints the compiler's flags for a build whose kernels collect a profile, or for
one that uses it. They concern device code alone; the host's stays as it is.

options:
  --route ROUTE    how the profile is made; default: counters for collect, the
                   route of PROFILE for use
                   counters  counters of clang's front end
                   coverage  the same, with the source's regions, for llvm-cov
                   mcdc      likewise, with the conditions of each decision
                   ir        counters of LLVM's IR, with those of libraries
                   cs        a second round of ir, after inlining; needs
                             --profile
                   probes    a release with pseudo probes in its blocks
                   lines     code as released, with line tables beside it
  --rdc            for units that are linked for the GPU (-fgpu-rdc); the
                   command that links needs the flags, too
  --device-only    for a compiler of device code alone (OpenCL C, hipRTC, C++
                   for amdgcn): without -Xarch_device
  --compiler PATH  the clang that will get them; asked for its version, and
                   refused if that is not known ()" LUTHIER_PGO_CLANGXX R"()
  --profile FILE   of collect with route cs: the profile of the first round
  --device-libraries DIR
                   of use with probes and lines: device libraries that may be
                   inlined into functions with a profile of samples
  --explain        each flag in a line of its own, with its reason
  --help           this text

examples:
  clang++ -O3 $(luthier pgo flags collect) app.hip -o app-counting
  clang++ -O3 $(luthier pgo flags use app.profdata) app.hip -o app
)";

const std::vector<OptionSpec> Options = {
    {"--route", true}, {"--compiler", true}, {"--explain"},
    {"--rdc"},         {"--profile", true},  {"--device-libraries", true},
    {"--device-only"}};

std::string valueOr(const Arguments &Args, std::string_view Option,
                    const char *Otherwise) {
  const std::string *Value = Args.value(Option);
  return Value ? *Value : Otherwise;
}

Expected<std::vector<std::string>> wordsOf(ArrayRef<pgo::Flag> Flags,
                                           const pgo::FlagFiles &Files,
                                           bool DeviceOnly) {
  auto Words = pgo::expand(Flags, Files);
  if (Words && DeviceOnly)
    std::erase(*Words, "-Xarch_device");
  return Words;
}

Error print(ArrayRef<pgo::Flag> Flags, const pgo::FlagFiles &Files,
            bool DeviceOnly, bool Explained) {
  if (!Explained) {
    auto Words = wordsOf(Flags, Files, DeviceOnly);
    if (!Words)
      return Words.takeError();
    outs() << quoted(*Words) << '\n';
    return Error::success();
  }
  for (const pgo::Flag &F : Flags) {
    auto Words = wordsOf(F, Files, DeviceOnly);
    if (!Words)
      return Words.takeError();
    outs() << join(*Words, " ") << "\n    " << F.Reason << '\n';
  }
  return Error::success();
}

Expected<const pgo::Route *> routeOf(const Arguments &Args, unsigned Major) {
  if (Args.positional()[0] == "collect")
    return pgo::findRoute(valueOr(Args, "--route", "counters"), Major);
  const std::string &Profile = Args.positional()[1];
  auto Facts = pgo::readProfileFacts(Profile);
  if (!Facts)
    return Facts.takeError();
  return pgo::routeToUse(*Facts, Profile, valueOr(Args, "--route", ""), Major);
}

Expected<int> work(const Arguments &Args) {
  const auto &Given = Args.positional();
  if (Given.empty() || (Given[0] != "collect" && Given[0] != "use"))
    return misused("collect or use is needed; see luthier pgo flags --help");
  const bool Uses = Given[0] == "use";
  if (Given.size() != (Uses ? 2u : 1u))
    return misused(Uses ? "flags use takes the name of a profile"
                        : "flags collect takes no more names");
  if (Args.has("--rdc") && Args.has("--device-only"))
    return misused("--rdc is for a driver that links for the GPU, which "
                   "--device-only is not");
  auto Major =
      pgo::askClangMajor(valueOr(Args, "--compiler", LUTHIER_PGO_CLANGXX));
  if (!Major)
    return Major.takeError();
  pgo::FlagFiles Files;
  Files.Profile = Uses ? Given[1] : valueOr(Args, "--profile", "");
  const std::string *Libraries = Args.value("--device-libraries");
  Files.SampleLibraries = Libraries ? *Libraries : sampleLibraries();
  Files.ValueHeader = valueHeader();
  Files.LinkedCounters = linkedCounters();
  if (!Files.Profile.empty() && !sys::fs::exists(Files.Profile))
    return failed("there is no profile " + Files.Profile);
  auto Route = routeOf(Args, *Major);
  if (!Route)
    return Route.takeError();
  const auto Flags = flagsOf(
      **Route, Uses ? pgo::Build::Use : pgo::Build::Collect, Args.has("--rdc"));
  if (Error E =
          print(Flags, Files, Args.has("--device-only"), Args.has("--explain")))
    return std::move(E);
  return Success;
}

} // namespace

int pgoFlagsCommand(int Argc, char **Argv) {
  return runParsed(Argc, Argv, {Help, Options}, work);
}

} // namespace luthier::cli
