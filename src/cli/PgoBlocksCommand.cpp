// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier pgo blocks`: a profile from counts of instructions of a program that
// nobody recompiled for it.
#include "cli/EmulatedRun.h"
#include "cli/FileCommand.h"
#include "cli/InspectedFile.h"
#include "cli/PgoCommands.h"
#include "luthier/Refusal.h"
#include "pgo/LineProfile.h"
#include "pgo/ProbeProfile.h"
#include "pgo/Problem.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier::cli {
namespace {

constexpr char Help[] =
    R"(usage: luthier pgo blocks -o PROFILE [options] -- PROGRAM [ARGUMENTS...]

Counts how often each block of a program's kernels is executed, and writes a
sample profile for clang's -fprofile-sample-use. The program is the release as
it is: its code needs pseudo probes or line tables with discriminators, which do
not change it (luthier pgo flags collect --route probes).

options:
  -o PROFILE         where to write; what is there already is added to
  --weights W        what an execution counts for: waves (default), or lanes,
                     as LLVM's own counters have it
  --route R          probes, or lines; default: what the code has, probes first
  --code FILE        where else code of the kernels is: libraries, or a program
                     that PROGRAM starts; may be given several times
  --device DEVICE    as in luthier run (emulated)
  --count-by WAY     emulator: its own counts, at no cost; hooks: of the tool
                     block-count, on any GPU. Default: the emulator, but for a
                     native GPU
  --calls            also finds out which functions are called through
                     pointers, in a second run with hooks
  --text             writes the profile as text
  --help             this text

example:
  luthier pgo blocks -o app.profdata -- ./app --size 4096
)";

enum class Route { Best, Probes, Lines };

class Blocks {
public:
  explicit Blocks(const Arguments &Args) : Args(Args) {}
  Expected<int> run();

private:
  Error readOptions();
  Expected<int> execute();
  Expected<int> runFor(std::vector<std::string> Options, StringRef Report,
                       function_ref<Error(StringRef)> Use) const;
  Error addObject(const CodeObject &Object);
  Expected<pgo::SampleProfile> profileOf(const CodeObject &Object,
                                         const pgo::CodeCounts &Counts) const;
  Error add(Expected<pgo::SampleProfile> More);
  void sayWhatIsMissing() const;

  const Arguments &Args;
  Route Wanted = Route::Best;
  pgo::Weight By = pgo::Weight::Waves;
  std::string Device;
  bool ByHooks = false;
  std::vector<InspectedFile> Files;
  pgo::ExecutedCode Executed;
  pgo::ExecutedCalls Calls;
  std::optional<pgo::SampleProfile> Profile;
  size_t Used = 0;
};

Error Blocks::readOptions() {
  if (!Args.has("-o"))
    return misused("no -o given; see luthier pgo blocks --help");
  if (Args.positional().empty())
    return misused("no program given; see luthier pgo blocks --help");
  if (const std::string *Name = Args.value("--weights")) {
    if (*Name == "lanes")
      By = pgo::Weight::Lanes;
    else if (*Name != "waves")
      return misused("--weights " + *Name + ": waves or lanes is expected");
  }
  if (const std::string *Name = Args.value("--route")) {
    if (*Name != "probes" && *Name != "lines")
      return misused("--route " + *Name + ": probes or lines is expected");
    Wanted = *Name == "probes" ? Route::Probes : Route::Lines;
  }
  const std::string *Given = Args.value("--device");
  Device = Given && *Given == "native"
               ? *Given
               : "emulated:" + emulatedDevices(Given && *Given != "emulated"
                                                   ? Given
                                                   : nullptr);
  ByHooks = Device == "native";
  if (const std::string *Way = Args.value("--count-by")) {
    if (*Way != "emulator" && *Way != "hooks")
      return misused("--count-by " + *Way + ": emulator or hooks is expected");
    if (ByHooks && *Way == "emulator")
      return misused("--count-by emulator: a native GPU is counted by hooks");
    ByHooks = *Way == "hooks";
  }
  return Error::success();
}

Expected<int> Blocks::runFor(std::vector<std::string> Options, StringRef Report,
                             function_ref<Error(StringRef)> Use) const {
  EmulatedRun Run;
  Run.Device = Device;
  Run.Options = std::move(Options);
  Run.Command = Args.positional();
  return runForReports(std::move(Run), nullptr, Report, Use);
}

Expected<int> Blocks::execute() {
  auto AddCounts = [&](StringRef Text) {
    return pgo::addCounts(Text, Executed);
  };
  auto AddCalls = [&](StringRef Text) { return pgo::addCalls(Text, Calls); };
  if (ByHooks)
    return runFor({"--tool", "block-count", "--output", "%s"}, "block-count",
                  [&](StringRef Text) -> Error {
                    if (Error E = AddCounts(Text))
                      return E;
                    return AddCalls(Text);
                  });
  Expected<int> Code =
      runFor({"--counts", "%s/counts-%p.json"}, "counts-", AddCounts);
  if (!Code || *Code || !Args.has("--calls"))
    return Code;
  return runFor({"--tool", "block-count:only-calls", "--output", "%s"},
                "block-count", AddCalls);
}

Expected<pgo::SampleProfile>
Blocks::profileOf(const CodeObject &Object,
                  const pgo::CodeCounts &Counts) const {
  const auto Found = Calls.find(pgo::digestOf(Object));
  const pgo::CallTargets Targets =
      Found == Calls.end() ? pgo::CallTargets() : Found->second;
  if (Wanted != Route::Lines && pgo::hasProbes(Object))
    return pgo::probeProfile(Object, Counts, By, Targets);
  if (Wanted != Route::Probes && pgo::hasLines(Object)) {
    Expected<pgo::LineProfile> Lines =
        pgo::lineProfile(Object, Counts, By, Targets);
    if (!Lines)
      return Lines.takeError();
    return std::move(Lines->Profile);
  }
  return pgo::problem(
      pgo::ProblemKind::NoMarks,
      "code for " + Object.target().str() + " has no " +
          (Wanted == Route::Probes  ? "pseudo probes"
           : Wanted == Route::Lines ? "line tables"
                                    : "pseudo probes and no line tables") +
          "; luthier pgo flags collect says how to compile the release");
}

Error Blocks::add(Expected<pgo::SampleProfile> More) {
  if (!More)
    return More.takeError();
  if (Profile)
    return Profile->merge(std::move(*More));
  Profile.emplace(std::move(*More));
  return Error::success();
}

Error Blocks::addObject(const CodeObject &Object) {
  const auto Found = Executed.find(pgo::digestOf(Object));
  if (Found == Executed.end())
    return Error::success();
  if (Error E = add(profileOf(Object, pgo::sumOf(Found->second))))
    return E;
  Profile->addTarget(Object.target().Processor);
  ++Used;
  Executed.erase(Found);
  return Error::success();
}

/// Kernels of code that was in none of the files.
void Blocks::sayWhatIsMissing() const {
  for (const auto &[Digest, Kernels] : Executed)
    for (const auto &[Name, Counts] : Kernels)
      errs() << "luthier: " << readableName(Name)
             << " is in none of the files, so it is not in the profile; --code "
                "names more\n";
}

Expected<int> Blocks::run() {
  if (Error E = readOptions())
    return std::move(E);
  const std::string &Path = *Args.value("-o");
  auto Opened =
      openProgramCode(Args.positional().front(), Args.values("--code"));
  if (!Opened)
    return Opened.takeError();
  Files = std::move(*Opened);
  if (sys::fs::exists(Path))
    if (Error E = add(pgo::SampleProfile::read(Path)))
      return std::move(E);
  Expected<int> Code = execute();
  if (!Code)
    return Code.takeError();
  if (*Code)
    return failedBy(*Code, "the program ended with " + Twine(*Code) +
                               ", so no profile is written");
  for (const InspectedFile &File : Files)
    for (const BundledCodeObject &Image : File.Images) {
      auto Object = CodeObject::create(Image.Bytes);
      if (!Object)
        return failed(detailOf(Object.takeError()));
      if (Error E = addObject(**Object))
        return std::move(E);
    }
  sayWhatIsMissing();
  if (!Used)
    return failed("no kernel of these files was executed");
  if (Error E = Profile->write(Path, Args.has("--text")))
    return std::move(E);
  errs() << formatv("luthier: {0}: {1} functions, by {2}\n", Path,
                    Profile->functionNames().size(),
                    Profile->kind() == pgo::PlaceKind::Probes ? "probes"
                                                              : "lines");
  return Success;
}

} // namespace

int pgoBlocksCommand(int Argc, char **Argv) {
  return runParsed(Argc, Argv,
                   {Help,
                    {{"-o", true},
                     {"--weights", true},
                     {"--route", true},
                     {"--code", true, false, true},
                     {"--device", true},
                     {"--count-by", true},
                     {"--calls"},
                     {"--text"}}},
                   [](const Arguments &Args) { return Blocks(Args).run(); });
}

} // namespace luthier::cli
