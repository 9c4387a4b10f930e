// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lift/CodeTracer.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/OpcodeMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace luthier {
namespace {

class CodeTracer {
public:
  CodeTracer(const CodeObject &Object, const amdgpu::MCTarget &Target,
             const CodeExtent &Extent, const KnownJumps &Jumps)
      : Object(Object), Target(Target), Extent(Extent), Jumps(Jumps),
        Decode(Target) {}

  Expected<std::vector<DecodedInstruction>> run() {
    if (Error E = follow(Extent.Entry))
      return std::move(E);
    for (auto &[Address, D] : Code)
      D.IsReached = true;
    addGaps();
    std::vector<DecodedInstruction> Result;
    Result.reserve(Code.size());
    for (auto &[Address, D] : Code)
      Result.push_back(std::move(D));
    return Result;
  }

private:
  using CodeMap = std::map<uint64_t, DecodedInstruction>;

  unsigned opcodeOf(const DecodedInstruction &D) const {
    return Target.opcodes().pseudoOpcode(D.Inst.getOpcode());
  }
  const MCInstrDesc &descOf(const DecodedInstruction &D) const {
    return Target.instructions().get(opcodeOf(D));
  }
  bool isDirectBranch(const DecodedInstruction &D) const {
    return descOf(D).isBranch() && !descOf(D).isIndirectBranch() &&
           D.Inst.getNumOperands() == 1 && D.Inst.getOperand(0).isImm();
  }
  bool runsOn(const DecodedInstruction &D) const {
    return !descOf(D).isBarrier() && opcodeOf(D) != AMDGPU::S_CODE_END;
  }

  /// Of a function that does not return, as the compiler leaves it: padding
  /// follows, and then another function. The trap handler ends the wave
  /// (AMDGPUUsage, "Trap Handler ABI").
  bool isLastTrap(const DecodedInstruction &D) const {
    constexpr int64_t Abort = 2;
    return opcodeOf(D) == AMDGPU::S_TRAP && D.end() == Extent.End &&
           D.Inst.getOperand(0).getImm() == Abort;
  }

  Error follow(uint64_t Entry);
  void addGaps();
  CodeMap decodeGap(uint64_t Begin, uint64_t End);

  const CodeObject &Object;
  const amdgpu::MCTarget &Target;
  const CodeExtent &Extent;
  const KnownJumps &Jumps;
  Decoder Decode;
  CodeMap Code;
};

Error CodeTracer::follow(uint64_t Entry) {
  SmallVector<uint64_t> Pending = {Entry};
  while (!Pending.empty()) {
    uint64_t Address = Pending.pop_back_val();
    // The last instruction ends the wave in all likelihood: what follows it
    // need not be code.
    bool MayEnd = false;
    for (auto Behind = Code.lower_bound(Address);
         Behind == Code.end() || Behind->first != Address;) {
      Expected<DecodedInstruction> D = Decode.at(Object, Address);
      if (!D) {
        if (!MayEnd || Address < Extent.End)
          return D.takeError();
        consumeError(D.takeError());
        break;
      }
      if (isDirectBranch(*D))
        Pending.push_back(D->target(0));
      if (auto Jump = Jumps.find(Address); Jump != Jumps.end())
        Pending.push_back(Jump->second);
      const bool RunsOn = runsOn(*D) && !isLastTrap(*D);
      MayEnd = descOf(*D).isCall() || opcodeOf(*D) == AMDGPU::S_TRAP;
      const uint64_t Next = D->end();
      Code.emplace_hint(Behind, Address, std::move(*D));
      if (!RunsOn)
        break;
      Address = Next;
      // Instructions that were decoded before may overlap this one.
      while (Behind != Code.end() && Behind->first < Address)
        ++Behind;
    }
  }
  return Error::success();
}

/// Nothing if any of it is not code.
CodeTracer::CodeMap CodeTracer::decodeGap(uint64_t Begin, uint64_t End) {
  CodeMap Gap;
  for (uint64_t Address = Begin; Address < End;) {
    Expected<DecodedInstruction> D = Decode.at(Object, Address);
    if (!D) {
      consumeError(D.takeError());
      return {};
    }
    Address = D->end();
    if (Address > End)
      return {};
    Gap.emplace_hint(Gap.end(), D->Address, std::move(*D));
  }
  return Gap;
}

void CodeTracer::addGaps() {
  SmallVector<CodeMap> Gaps;
  uint64_t End = Extent.Begin;
  auto addGap = [&](uint64_t Begin, uint64_t Limit) {
    Limit = std::min(Limit, Extent.End);
    if (Begin < Limit)
      if (CodeMap Gap = decodeGap(Begin, Limit); !Gap.empty())
        Gaps.push_back(std::move(Gap));
  };
  for (const auto &[Address, D] : Code) {
    addGap(End, Address);
    End = std::max(End, D.end());
  }
  addGap(End, Extent.End);

  // Data that looks like code branches anywhere.
  auto isKnown = [&](uint64_t Address) {
    return Code.contains(Address) || any_of(Gaps, [&](const CodeMap &Gap) {
             return Gap.contains(Address);
           });
  };
  auto staysInside = [&](const CodeMap &Gap) {
    return all_of(Gap, [&](const auto &Entry) {
      return !isDirectBranch(Entry.second) || isKnown(Entry.second.target(0));
    });
  };
  for (bool Changed = true; Changed;) {
    auto Leaves = find_if_not(Gaps, staysInside);
    Changed = Leaves != Gaps.end();
    if (Changed)
      Gaps.erase(Leaves);
  }
  for (CodeMap &Gap : Gaps)
    Code.merge(Gap);
}

} // namespace

Expected<std::vector<DecodedInstruction>>
traceCode(const CodeObject &Object, const amdgpu::MCTarget &Target,
          const CodeExtent &Extent, const KnownJumps &Jumps) {
  return CodeTracer(Object, Target, Extent, Jumps).run();
}

} // namespace luthier
