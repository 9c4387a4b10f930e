// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/SampledCode.h"
#include "pgo/LineProfile.h"
#include "pgo/ProbeProfile.h"
#include "pgo/Problem.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace luthier::pgo {
namespace {

/// The marks of \p Object to use; none if it has none of those.
std::optional<PlaceKind> marksOf(const CodeObject &Object,
                                 std::optional<PlaceKind> Wanted) {
  if (Wanted != PlaceKind::Lines && hasProbes(Object))
    return PlaceKind::Probes;
  if (Wanted != PlaceKind::Probes && hasLines(Object))
    return PlaceKind::Lines;
  return std::nullopt;
}

Error lackOf(std::optional<PlaceKind> Wanted) {
  return problem(ProblemKind::NoMarks,
                 Twine("it has no counters, and no ") +
                     (Wanted == PlaceKind::Probes  ? "pseudo probes"
                      : Wanted == PlaceKind::Lines ? "line tables"
                                                   : "pseudo probes or line "
                                                     "tables"));
}

Expected<SampleProfile> profileOf(const CodeObject &Object, PlaceKind Marks,
                                  const CodeCounts &Counts, Weight By,
                                  const CallTargets &Calls) {
  if (Marks == PlaceKind::Probes)
    return probeProfile(Object, Counts, By, Calls);
  Expected<LineProfile> Lines = lineProfile(Object, Counts, By, Calls);
  if (!Lines)
    return Lines.takeError();
  return std::move(Lines->Profile);
}

/// Adds what \p Kernels executed of the code in the file \p Copy.
Error add(const std::string &Copy, const KernelCounts &Kernels,
          const CallTargets &Calls, const SampleOptions &Options,
          SampledCode &To) {
  auto File = MemoryBuffer::getFile(Copy);
  if (!File)
    return problem(ProblemKind::Failure,
                   Copy + ": " + File.getError().message());
  auto Object = CodeObject::create(arrayRefFromStringRef((*File)->getBuffer()));
  if (!Object)
    return Object.takeError();
  const auto Marks = marksOf(**Object, Options.Marks);
  if (!Marks)
    return lackOf(Options.Marks);
  auto Profile = profileOf(**Object, *Marks, sumOf(Kernels), Options.By, Calls);
  if (!Profile)
    return Profile.takeError();
  const std::string &Target = (*Object)->target().Processor;
  Profile->addTarget(Target);
  const auto [Place, IsFirst] =
      To.Profiles.try_emplace({Target, *Marks}, std::move(*Profile));
  return IsFirst ? Error::success() : Place->second.merge(std::move(*Profile));
}

} // namespace

static void noteMissing(const UncountedKernels &Kernels, const Twine &What,
                        const Twine &Why, Collected &Found) {
  for (const auto &[Of, Reason] : Kernels)
    if (Found.Code.count(Of.first))
      Found.Uncounted.push_back((What + " of " + demangle(Of.second) +
                                 " are missing, for " + Why + ": " + Reason)
                                    .str());
}

void noteUncounted(const UncountedKernels &Kernels, StringRef What,
                   Collected &Found) {
  noteMissing(Kernels, What, "it runs without hooks", Found);
}

void noteOverflown(const UncountedKernels &Kernels, Collected &Found) {
  noteMissing(Kernels, "counts",
              "they do not fit into counters (" +
                  toString(ProblemKind::Overflow) + ")",
              Found);
}

Expected<SampledCode> sampleCode(const Collected &Found,
                                 const ExecutedCode &Executed,
                                 const ExecutedCalls &Calls,
                                 const SampleOptions &Options) {
  SampledCode Result;
  for (const auto &[Digest, Kernels] : Executed) {
    if (Found.Counting.count(Digest))
      continue;
    const auto Copy = Found.Code.find(Digest);
    const auto Its = Calls.find(Digest);
    Error E = Copy == Found.Code.end()
                  ? lackOf(Options.Marks)
                  : add(Copy->second, Kernels,
                        Its == Calls.end() ? CallTargets() : Its->second,
                        Options, Result);
    const auto NoteLack =
        [&, &Kernels = Kernels](std::unique_ptr<Problem> Its) -> Error {
      if (Its->kind() != ProblemKind::NoMarks)
        return Error(std::move(Its));
      Result.Missing.push_back("the code of " +
                               demangle(Kernels.begin()->first) + ": " +
                               Its->detail());
      return Error::success();
    };
    if (Error Other = handleErrors(std::move(E), NoteLack))
      return std::move(Other);
  }
  return Result;
}

} // namespace luthier::pgo
