// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/Flags.h"
#include "pgo/Problem.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace luthier::pgo {
namespace {

constexpr StringRef ProfilePlace = "{profile}";
constexpr StringRef LibrariesPlace = "{sample-libraries}";
constexpr StringRef ValueHeaderPlace = "{value-header}";
constexpr StringRef LinkedCountersPlace = "{linked-counters}";

constexpr Flag NoControlHeightReduction = {
    "-Xarch_device -mllvm=-enable-chr=false",
    "clang 22 duplicates operations across lanes below divergent branches "
    "(control-height reduction)"};
constexpr Flag AtomicCounters = {"-Xarch_device -fprofile-update=atomic",
                                 "lanes count at the same time"};
constexpr Flag AtomicAllCounters = {
    "-Xarch_device -mllvm=-instrprof-atomic-counter-update-all",
    "clang 22 ignores -fprofile-update=atomic beside -fprofile-use"};
constexpr Flag NoPartialRedundancy = {
    "-Xarch_device -mllvm=-enable-pre=false",
    "clang 22's structurizer loses conversions that the elimination of partial "
    "redundancies has put on both ways to a block; counters and probes bring "
    "that about"};
constexpr Flag ProfiledValues = {
    "-Xarch_device -include{value-header}",
    "what functions pointers call and how much is copied is recorded by "
    "functions that no device library has"};
constexpr Flag NoSelects = {
    "-Xarch_device -mllvm=-pgo-instr-select=false",
    "counters of selects are added lane by lane; has to agree in both builds"};
constexpr Flag Lines = {"-Xarch_device -gline-tables-only",
                        "code is found by its lines; it stays the same"};
constexpr Flag UniqueNames = {
    "-Xarch_device -funique-internal-linkage-names",
    "functions of several units stay apart that have the same name"};
constexpr Flag SampleProfile = {
    "-Xclang -fprofile-sample-use={profile}",
    "clang 22's driver drops -fprofile-sample-use for devices"};
constexpr Flag InferCounts = {"-Xarch_device -mllvm=-sample-profile-use-profi",
                              "counts that samples lack are inferred"};
constexpr Flag SampleLibraries = {
    "--rocm-device-lib-path={sample-libraries}",
    "others are not inlined into functions with a profile of samples"};

// Of units that are linked for the GPU. Clang lowers counters unit by unit, and
// for GPUs the symbols that this makes are global, so that the linker finds
// those of names (__llvm_prf_nm), and of functions that several units define,
// twice. So the linker, which has all units in one module, does it instead. The
// driver gives -mllvm to the linker, too, but not -Wp. What the linker runs has
// a name that no shell takes without quotes, and stands in a file.
constexpr Flag LateCounters = {
    "-Xarch_device -Wp,-mllvm,-opt-disable=instrprof",
    "counters stay intrinsics until units are linked: each unit would define "
    "the same symbols"};
constexpr Flag BeginLinking = {"--start-no-unused-arguments",
                               "units alone are not linked"};
constexpr Flag LinkCounters = {
    "-Xoffload-linker @{linked-counters}",
    "the linker makes the counters, for all units together"};
constexpr Flag OnePartition = {
    "-Xoffload-linker --lto-partitions=1",
    "records of functions stay in one module with these"};
constexpr Flag NamesTwice = {
    "-Xoffload-linker -zmuldefs",
    "units that define the same function have its name twice"};
constexpr Flag EndLinking = {"--end-no-unused-arguments",
                             "ends --start-no-unused-arguments"};
constexpr Flag NoCallGraphProfile = {
    "-Xarch_device -mllvm=-opt-disable=cg-profile",
    "clang 22's linker breaks off where two units have a profile of calls"};

constexpr Flag LinkedAtomic = {AtomicAllCounters.Text,
                               "the linker does not know -fprofile-update"};

constexpr Flag UnitsCollect[] = {LateCounters, BeginLinking, LinkCounters,
                                 OnePartition, NamesTwice,   EndLinking,
                                 LinkedAtomic};
// These have the last one anyway.
constexpr Flag UnitsSecondCollect[] = {
    LateCounters, BeginLinking, LinkCounters,      OnePartition,
    NamesTwice,   EndLinking,   NoCallGraphProfile};
constexpr Flag UnitsUse[] = {NoCallGraphProfile};

constexpr Flag CountersCollect[] = {
    {"-Xarch_device -fprofile-instr-generate", "counters, by the front end"},
    AtomicCounters,
    NoPartialRedundancy,
    NoControlHeightReduction};
constexpr Flag CountersUse[] = {
    {"-Xarch_device -fprofile-instr-use={profile}", "the profile"},
    NoControlHeightReduction};

constexpr Flag CoverageCollect[] = {
    {"-Xarch_device -fprofile-instr-generate", "counters, by the front end"},
    {"-Xarch_device -fcoverage-mapping", "what source each counter is of"},
    AtomicCounters,
    NoPartialRedundancy,
    NoControlHeightReduction};

constexpr Flag DecisionsCollect[] = {
    {"-Xarch_device -fprofile-instr-generate", "counters, by the front end"},
    {"-Xarch_device -fcoverage-mapping", "what source each counter is of"},
    {"-Xarch_device -fcoverage-mcdc", "which outcomes conditions decided"},
    AtomicCounters,
    NoPartialRedundancy,
    NoControlHeightReduction};

constexpr Flag IRCollect[] = {
    {"-Xarch_device -fprofile-generate", "counters, by an early pass"},
    AtomicCounters,
    ProfiledValues,
    NoSelects,
    NoPartialRedundancy,
    NoControlHeightReduction};
constexpr Flag IRUse[] = {
    {"-Xarch_device -fprofile-use={profile}", "the profile"},
    NoSelects,
    NoControlHeightReduction};

constexpr Flag SecondCollect[] = {
    {"-Xarch_device -fprofile-use={profile}", "the first profile, of route ir"},
    {"-Xarch_device -fcs-profile-generate", "counters, after inlining"},
    AtomicAllCounters,
    ProfiledValues,
    NoSelects,
    NoControlHeightReduction};

constexpr Flag ProbesCollect[] = {
    Lines,
    UniqueNames,
    {"-Xclang -fpseudo-probe-for-profiling",
     "marks blocks; clang 22's driver has no such flag for devices"},
    NoPartialRedundancy};
constexpr Flag LinesCollect[] = {
    Lines,
    UniqueNames,
    {"-Xarch_device -fdebug-info-for-profiling", "tells code of a line apart"}};
constexpr Flag ProbesUse[] = {
    Lines,
    UniqueNames,
    {"-Xclang -fpseudo-probe-for-profiling", "the profile names probes"},
    SampleProfile,
    InferCounts,
    SampleLibraries,
    NoPartialRedundancy,
    NoControlHeightReduction};
constexpr Flag LinesUse[] = {
    Lines,
    UniqueNames,
    {"-Xarch_device -fdebug-info-for-profiling", "tells code of a line apart"},
    SampleProfile,
    InferCounts,
    SampleLibraries,
    NoControlHeightReduction};

constexpr Route RoutesOf22[] = {
    {"counters", "counters of the front end; the usual choice", CountersCollect,
     CountersUse, UnitsCollect, UnitsUse},
    {"coverage", "the same, with the source that each counter is of",
     CoverageCollect, CountersUse, UnitsCollect, UnitsUse},
    {"mcdc", "coverage, with the conditions of each decision", DecisionsCollect,
     CountersUse, UnitsCollect, UnitsUse},
    {"ir", "counters of LLVM's IR: sees device libraries, costs more",
     IRCollect, IRUse, UnitsCollect, UnitsUse},
    {"cs", "a second round of ir, after inlining", SecondCollect, IRUse,
     UnitsSecondCollect, UnitsUse, /*IsSecondRound=*/true},
    {"probes",
     "a release with pseudo probes in its blocks",
     ProbesCollect,
     ProbesUse,
     {},
     UnitsUse},
    {"lines",
     "code as released, with line tables beside it",
     LinesCollect,
     LinesUse,
     {},
     UnitsUse},
};

Error fill(std::string &Text, StringRef Place, StringRef Value,
           StringRef Missing) {
  const size_t At = Text.find(Place);
  if (At == std::string::npos)
    return Error::success();
  if (Value.empty())
    return problem(ProblemKind::Failure, Missing);
  Text.replace(At, Place.size(), Value);
  return Error::success();
}

} // namespace

std::vector<Flag> flagsOf(const Route &Its, Build Which, bool LinksUnits) {
  const bool Collects = Which == Build::Collect;
  std::vector<Flag> Result = Collects ? Its.Collect.vec() : Its.Use.vec();
  if (LinksUnits)
    append_range(Result, Collects ? Its.UnitsCollect : Its.UnitsUse);
  return Result;
}

ArrayRef<Route> routesOf(unsigned ClangMajor) {
  if (ClangMajor == 22)
    return RoutesOf22;
  return {};
}

Expected<const Route *> findRoute(StringRef Name, unsigned ClangMajor) {
  const ArrayRef<Route> Routes = routesOf(ClangMajor);
  if (Routes.empty())
    return problem(ProblemKind::Compiler,
                   "the flags of clang " + Twine(ClangMajor) +
                       " are not known; those of clang 22 are");
  const auto *Found =
      find_if(Routes, [&](const Route &R) { return R.Name == Name; });
  if (Found != Routes.end())
    return Found;
  std::string Names;
  for (const Route &R : Routes)
    Names += (Names.empty() ? "" : ", ") + R.Name.str();
  return problem(ProblemKind::Failure,
                 "there is no route '" + Name + "'; choose one of: " + Names);
}

Expected<std::vector<std::string>> expand(ArrayRef<Flag> Flags,
                                          const FlagFiles &Files) {
  std::vector<std::string> Result;
  for (const Flag &F : Flags) {
    SmallVector<StringRef, 2> Words;
    F.Text.split(Words, ' ');
    for (StringRef Word : Words) {
      std::string Text = Word.str();
      if (Error E =
              fill(Text, ProfilePlace, Files.Profile, "a profile is needed"))
        return std::move(E);
      if (Error E = fill(Text, LibrariesPlace, Files.SampleLibraries,
                         "there are no device libraries for profiles of "
                         "samples; --device-libraries names their folder"))
        return std::move(E);
      if (Error E = fill(Text, ValueHeaderPlace, Files.ValueHeader,
                         "lib/luthier/pgo/ProfiledValues.h is missing, by "
                         "which device code records values"))
        return std::move(E);
      if (Error E = fill(Text, LinkedCountersPlace, Files.LinkedCounters,
                         "lib/luthier/pgo/LinkedCounters.rsp is missing, by "
                         "which the linker makes counters"))
        return std::move(E);
      Result.push_back(std::move(Text));
    }
  }
  return Result;
}

/// Whether what stands around a version says that it is of a branch with other
/// passes: AMD's, or one that leads to a release, whose versions end with "git"
/// or "-rc1", or have no number behind the first.
static bool isOfOtherBranch(StringRef Before, StringRef Version) {
  SmallVector<StringRef, 3> Numbers;
  Version.take_until(isSpace).split(Numbers, '.');
  unsigned Number = 0;
  constexpr unsigned FirstOfOwnBranch = 1, BeginsSo = 18;
  for (const auto &[I, Text] : enumerate(Numbers)) {
    const unsigned Major = Number;
    if (Text.getAsInteger(10, Number) ||
        (I == 1 && Major >= BeginsSo && Number < FirstOfOwnBranch))
      return true;
  }
  return Before.rtrim().ends_with("AMD");
}

Expected<unsigned> clangMajor(StringRef VersionText, StringRef Path,
                              bool AcceptsOtherBranches) {
  const auto Fail = [&](const Twine &Why) {
    return problem(ProblemKind::Compiler, Path + Why);
  };
  const size_t At = VersionText.find("clang version ");
  if (At == StringRef::npos)
    return Fail(" is no clang: its --version does not say so");
  const StringRef Version =
      VersionText.drop_front(At + strlen("clang version "));
  StringRef Number = Version;
  unsigned Major;
  if (Number.consumeInteger(10, Major))
    return Fail(" says no number of its version");
  if (!AcceptsOtherBranches &&
      isOfOtherBranch(VersionText.take_front(At), Version))
    return Fail(" (" + Version.take_until(isSpace) +
                ") is no release of LLVM's clang, so the flags that it needs "
                "are not known; to try those of clang " +
                Twine(Major) + ", set " + AnyClangVariable + "=1");
  return Major;
}

} // namespace luthier::pgo
