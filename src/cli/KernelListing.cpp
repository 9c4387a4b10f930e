// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/KernelListing.h"
#include "cli/EmulatedRun.h"
#include "cli/InspectedFile.h"
#include "pgo/LineProfile.h"
#include "pgo/ProbeProfile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier::cli {
namespace {

std::string shortSource(const std::optional<SourceLine> &Source) {
  return Source
             ? (sys::path::filename(Source->File) + ":" + Twine(Source->Line))
                   .str()
             : "";
}

std::string lanesPerWave(const pgo::ExecutionCount &Count) {
  return Count.Waves
             ? formatv("{0:f1}", double(Count.Lanes) / double(Count.Waves))
                   .str()
             : "-";
}

/// Of \p All, how many do not agree.
std::string divergedPercent(uint64_t All, uint64_t Agreed) {
  return All ? formatv("{0:f1}", 100.0 * double(All - Agreed) / double(All))
                   .str()
             : "-";
}

StringRef nameOf(MemorySpace Space) {
  switch (Space) {
  case MemorySpace::None:
    return "none";
  case MemorySpace::Global:
    return "global";
  case MemorySpace::Flat:
    return "flat";
  case MemorySpace::Scratch:
    return "scratch";
  case MemorySpace::LDS:
    return "LDS";
  case MemorySpace::Scalar:
    return "scalar";
  case MemorySpace::Buffer:
    return "buffer";
  }
  llvm_unreachable("no other space");
}

/// The lines of one file that blocks come from, and those between.
void printFile(StringRef Path, const std::map<unsigned, uint64_t> &Lines) {
  const auto Text = contentsOf(Path.str());
  if (!Text) {
    outs() << "  " << Path << ": cannot be read, so its lines are not shown\n";
    return;
  }
  SmallVector<StringRef> All;
  StringRef(*Text).split(All, '\n');
  outs() << "  " << Path << ":\n";
  for (unsigned N = Lines.begin()->first;
       N <= Lines.rbegin()->first && N <= All.size(); ++N) {
    const auto Found = Lines.find(N);
    const std::string Count =
        Found == Lines.end() ? "" : std::to_string(Found->second);
    outs() << formatv("  {0,12} {1,5}  {2}\n", Count, N, All[N - 1]);
  }
}

} // namespace

void printBlocks(const pgo::KernelBlocks &K) {
  outs() << formatv("  {0} of {1} blocks never executed, {2:f1} % of the "
                    "code\n",
                    K.unused(), K.Blocks.size(), K.unusedPercent());
  outs() << formatv("  {0,8}{1,13}{2,12}{3,8}  {4}\n", "block", "waves",
                    "lanes/wave", "instr.", "source");
  for (const pgo::CountedBlock &B : K.Blocks)
    outs() << formatv("  {0,8:x-}{1,13}{2,12}{3,8}  {4}\n", B.Address,
                      B.Count.Waves, lanesPerWave(B.Count), B.Instructions,
                      shortSource(B.Source));
  const pgo::CodeLayout Layout = K.layout();
  if (Layout.Executed)
    outs() << formatv("  {0} lines of {1} bytes hold what was executed, {2} "
                      "would do; {3} of {4} instructions are jumps, {5} taken "
                      "branches, of which {6} could be spared at most\n",
                      Layout.Lines, pgo::CodeLayout::LineBytes,
                      Layout.PackedLines, Layout.Jumps, Layout.Executed,
                      Layout.Taken, Layout.Avoidable);
}

Error printMarks(const CodeObject &Object, const pgo::KernelBlocks &K) {
  if (pgo::hasLines(Object))
    outs() << formatv("  lines are known of {0:f1} % of what waves executed\n",
                      K.linePercent());
  if (!pgo::hasProbes(Object))
    return Error::success();
  Expected<std::vector<uint64_t>> Probes = pgo::probeAddresses(Object);
  if (!Probes)
    return Probes.takeError();
  outs() << formatv("  probes mark {0:f1} % of what waves executed\n",
                    K.probePercent(*Probes));
  return Error::success();
}

void printBranches(const pgo::BranchCounts &Of) {
  if (Of.empty())
    return;
  outs() << formatv("  {0,8}{1,13}{2,12}  {3,-15} {4,-22} {5}\n", "branch",
                    "executed", "% diverged", "class", "instruction", "source");
  for (const auto &[Address, B] : Of)
    outs() << formatv("  {0,8:x-}{1,13}{2,12}  {3,-15} {4,-22} {5}\n", Address,
                      B.Executed, divergedPercent(B.Executed, B.Agreed),
                      pgo::toString(B.classify()), B.Instruction,
                      sys::path::filename(B.Source));
}

void printLoads(ArrayRef<pgo::CountedLoad> Loads) {
  if (Loads.empty())
    return;
  outs() << formatv("  {0,8}{1,13}{2,12}  {3,-15} {4,-7} {5,-22} {6}\n", "load",
                    "executed", "% diverged", "class", "from", "instruction",
                    "source");
  for (const pgo::CountedLoad &L : Loads) {
    // Scalar loads have no lanes, so they are not looked at.
    const bool IsScalar = L.Space == MemorySpace::Scalar;
    const pgo::LoadCount Count = L.Count.value_or(pgo::LoadCount());
    outs() << formatv("  {0,8:x-}{1,13}{2,12}  {3,-15} {4,-7} {5,-22} {6}\n",
                      L.Address, L.Count ? Count.Executed : L.Waves,
                      IsScalar ? "0.0"
                               : divergedPercent(Count.Executed, Count.Agreed),
                      pgo::toString(L.classify()), nameOf(L.Space),
                      L.Instruction, shortSource(L.Source));
  }
}

void printCalls(const CodeObject &Object, const pgo::CallTargets &Calls) {
  for (const auto &[Address, Targets] : Calls)
    for (const auto &[Target, Count] : Targets) {
      const FunctionInfo *Function = Object.findFunction(Target);
      outs() << formatv("  {0,8:x-} calls {1}: {2} waves, {3} lanes\n", Address,
                        !Target    ? "others"
                        : Function ? readableName(Function->Name)
                                   : "a function at 0x" + utohexstr(Target),
                        Count.Waves, Count.Lanes);
    }
}

void printSource(const pgo::KernelBlocks &K) {
  std::map<std::string, std::map<unsigned, uint64_t>> Files;
  for (const pgo::CountedBlock &B : K.Blocks)
    if (B.Source) {
      uint64_t &Most = Files[B.Source->File][B.Source->Line];
      Most = std::max(Most, B.Count.Waves);
    }
  for (const auto &[Path, Lines] : Files)
    printFile(Path, Lines);
}

} // namespace luthier::cli
