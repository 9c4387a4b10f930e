// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/WaitCounters.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIInstrInfo.h"
#include "amdgpu/OpcodeFacts.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier {
namespace {

unsigned field(uint64_t Value, unsigned Shift, unsigned Bits) {
  return Value >> Shift & ((1u << Bits) - 1);
}

/// The largest value of a field means that nothing is waited for.
void addWait(SmallVectorImpl<CounterWait> &Waits, WaitCounter Counter,
             unsigned Count, unsigned Bits) {
  if (Count != (1u << Bits) - 1)
    Waits.push_back({Counter, Count});
}

/// GDS answers LDS operations out of turn. The flag is the last operand of
/// operations that have one.
bool usesGlobalShare(const MachineInstr &MI, amdgpu::OpcodeFacts Facts) {
  const unsigned Count = MI.getNumExplicitOperands();
  return Facts.has(amdgpu::AnswersOutOfTurn) || !Count ||
         Count > MI.getNumOperands() ||
         (MI.getOperand(Count - 1).isImm() &&
          MI.getOperand(Count - 1).getImm() != 0);
}

} // namespace

const WaitTraits &waitTraits(const MCSubtargetInfo &ST) {
  return targetTraits(ST).Waits;
}

SmallVector<CounterWait, 3> waitsOf(const MachineInstr &MI,
                                    const WaitTraits &Traits) {
  SmallVector<CounterWait, 3> Waits;
  constexpr unsigned WordBits = 16, PairBits = 6;
  auto value = [&]() -> uint64_t {
    const MachineOperand &MO = MI.getOperand(MI.getNumExplicitOperands() - 1);
    return MO.isImm() ? MO.getImm() : UINT64_MAX;
  };
  auto single = [&](WaitCounter Counter) {
    // A register is added to the count; null adds nothing.
    if (!MI.getOperand(0).isReg() ||
        MI.getOperand(0).getReg() == AMDGPU::SGPR_NULL)
      addWait(Waits, Counter, field(value(), 0, WordBits), WordBits);
  };
  switch (MI.getOpcode()) {
  case AMDGPU::S_WAITCNT:
    addWait(Waits, WaitCounter::Vm,
            field(value(), Traits.VmShift, Traits.VmBits) |
                field(value(), Traits.VmHighShift, Traits.VmHighBits)
                    << Traits.VmBits,
            Traits.VmBits + Traits.VmHighBits);
    addWait(Waits, WaitCounter::Exp,
            field(value(), Traits.ExpShift, Traits.ExpBits), Traits.ExpBits);
    addWait(Waits, WaitCounter::Lgkm,
            field(value(), Traits.LgkmShift, Traits.LgkmBits), Traits.LgkmBits);
    break;
  case AMDGPU::S_WAITCNT_VMCNT:
  case AMDGPU::S_WAIT_LOADCNT:
    single(WaitCounter::Vm);
    break;
  case AMDGPU::S_WAITCNT_LGKMCNT:
  case AMDGPU::S_WAIT_DSCNT:
    single(WaitCounter::Lgkm);
    break;
  case AMDGPU::S_WAITCNT_EXPCNT:
  case AMDGPU::S_WAIT_EXPCNT:
    single(WaitCounter::Exp);
    break;
  case AMDGPU::S_WAIT_KMCNT:
    single(WaitCounter::Km);
    break;
  case AMDGPU::S_WAIT_SAMPLECNT:
    single(WaitCounter::Sample);
    break;
  case AMDGPU::S_WAIT_BVHCNT:
    single(WaitCounter::Bvh);
    break;
  case AMDGPU::S_WAIT_LOADCNT_DSCNT:
    addWait(Waits, WaitCounter::Vm, field(value(), 8, PairBits), PairBits);
    [[fallthrough]];
  case AMDGPU::S_WAIT_STORECNT_DSCNT:
    addWait(Waits, WaitCounter::Lgkm, field(value(), 0, PairBits), PairBits);
    break;
  default:
    break;
  }
  return Waits;
}

unsigned encodeWaits(const WaitCounts &Counts, const WaitTraits &Traits) {
  // All ones mean no wait, which is why they never stand for a count.
  auto count = [&](WaitCounter Counter, unsigned Bits) {
    const unsigned None = (1u << Bits) - 1;
    const std::optional<unsigned> &Given = Counts[unsigned(Counter)];
    return Given ? std::min(*Given, None - 1) : None;
  };
  const unsigned Vm = count(WaitCounter::Vm, Traits.VmBits + Traits.VmHighBits);
  return (Vm & ((1u << Traits.VmBits) - 1)) << Traits.VmShift |
         Vm >> Traits.VmBits << Traits.VmHighShift |
         count(WaitCounter::Exp, Traits.ExpBits) << Traits.ExpShift |
         count(WaitCounter::Lgkm, Traits.LgkmBits) << Traits.LgkmShift;
}

CountedOperation countedOperation(const MachineInstr &MI,
                                  const WaitTraits &Traits) {
  using C = WaitCounter;
  const amdgpu::OpcodeFacts Facts = amdgpu::opcodeFacts(MI);
  const C Scalar = Traits.HasSplitCounters ? C::Km : C::Lgkm;
  if (SIInstrInfo::isSMRD(MI) || Facts.has(amdgpu::SendsForValue))
    return {{Scalar}, false};
  if (SIInstrInfo::isLDSDIR(MI))
    return {{C::Exp}, false};
  if (SIInstrInfo::isDS(MI))
    return {{C::Lgkm}, !SIInstrInfo::isGWS(MI) && !usesGlobalShare(MI, Facts)};
  if (SIInstrInfo::isFLAT(MI) && !SIInstrInfo::isSegmentSpecificFLAT(MI))
    return {{C::Vm, C::Lgkm}, false};
  if (SIInstrInfo::isImage(MI)) {
    // Which of the counters depends on the kind: wait for each.
    if (Traits.HasSplitCounters)
      return {{C::Vm, C::Sample, C::Bvh}, false};
    return {{C::Vm}, false};
  }
  if ((SIInstrInfo::isVMEM(MI) || SIInstrInfo::isFLAT(MI)) &&
      !Facts.has(amdgpu::ControlsCache)) {
    const bool IsStore = !MI.mayLoad() || SIInstrInfo::isAtomicNoRet(MI);
    if (!(IsStore && Traits.HasStoreCounter))
      return {{C::Vm}, true};
  }
  return {};
}

const char *nameOf(WaitCounter Counter, const WaitTraits &Traits) {
  switch (Counter) {
  case WaitCounter::Vm:
    return Traits.HasSplitCounters ? "loadcnt" : "vmcnt";
  case WaitCounter::Lgkm:
    return Traits.HasSplitCounters ? "dscnt" : "lgkmcnt";
  case WaitCounter::Exp:
    return "expcnt";
  case WaitCounter::Km:
    return "kmcnt";
  case WaitCounter::Sample:
    return "samplecnt";
  case WaitCounter::Bvh:
    return "bvhcnt";
  }
  llvm_unreachable("not a counter");
}

} // namespace luthier
