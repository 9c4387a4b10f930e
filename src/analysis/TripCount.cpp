// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/TripCount.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/IndexedOperands.h"
#include "amdgpu/MCTarget.h"
#include "amdgpu/RegisterFiles.h"
#include "analysis/ControlFlow.h"
#include "analysis/ExecChange.h"
#include "lift/LiftedImpl.h"
#include "llvm/ADT/GenericCycleImpl.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineCycleAnalysis.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include <bit>

using namespace llvm;

namespace luthier {
namespace {

/// Of 16 bits, whether the decoder has extended them or not.
uint32_t extended(int64_t Number) { return uint32_t(int32_t(int16_t(Number))); }

/// The constant with which \p Compare compares, if \p MO is one.
std::optional<uint32_t> limitOf(const MachineInstr &Compare,
                                const MachineOperand &MO) {
  if (!MO.isImm())
    return std::nullopt;
  switch (Compare.getOpcode()) {
  case AMDGPU::S_CMPK_LG_I32:
  case AMDGPU::S_CMPK_EQ_I32:
    return extended(MO.getImm());
  case AMDGPU::S_CMPK_LG_U32:
  case AMDGPU::S_CMPK_EQ_U32:
    return uint16_t(MO.getImm());
  default:
    return uint32_t(MO.getImm());
  }
}

/// What `s_add D, D, Number` and its like add, modulo 2^32.
std::optional<uint32_t> stepOf(const MachineInstr &MI) {
  auto immediate = [&](unsigned Operand) -> std::optional<uint32_t> {
    const MachineOperand &MO = MI.getOperand(Operand);
    return MO.isImm() ? std::optional<uint32_t>(uint32_t(MO.getImm()))
                      : std::nullopt;
  };
  auto isCounter = [&](unsigned Operand) {
    const MachineOperand &MO = MI.getOperand(Operand);
    return MO.isReg() && MO.getReg() == MI.getOperand(0).getReg();
  };
  switch (MI.getOpcode()) {
  case AMDGPU::S_ADDK_I32:
    return extended(MI.getOperand(2).getImm());
  case AMDGPU::S_ADD_I32:
  case AMDGPU::S_ADD_U32:
    return isCounter(1)   ? immediate(2)
           : isCounter(2) ? immediate(1)
                          : std::nullopt;
  case AMDGPU::S_SUB_I32:
  case AMDGPU::S_SUB_U32:
    if (const auto Number = immediate(2); Number && isCounter(1))
      return 0 - *Number;
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

/// Modulo 2^32, of an odd number.
uint32_t inverseOf(uint32_t Odd) {
  uint32_t Inverse = Odd; // Of three bits; each step doubles them.
  for (int Step = 0; Step < 4; ++Step)
    Inverse *= 2 - Odd * Inverse;
  return Inverse;
}

class TripCounter {
public:
  TripCounter(const LiftedRepresentation &LR, const MachineBasicBlock &MBB)
      : LR(LR), MBB(MBB),
        TRI(*MBB.getParent()->getSubtarget().getRegisterInfo()),
        IsWave32(LR.impl().Kernel->Descriptor.usesWave32()) {}

  std::optional<TripCount> run() const;

private:
  bool isEnteredByBranches() const;
  bool isPlain() const;
  bool leavesWhereEqual(const MachineInstr &Compare) const;
  const MachineInstr *comparison() const;
  const MachineInstr *onlyWriter(Register Reg) const;
  bool isKept(Register Reg) const;
  std::optional<TripCount> with(const MachineInstr &Compare,
                                unsigned Counter) const;

  const LiftedRepresentation &LR;
  const MachineBasicBlock &MBB;
  const TargetRegisterInfo &TRI;
  bool IsWave32;
};

/// There is a place for hooks on the way in.
bool TripCounter::isEnteredByBranches() const {
  auto isMode = [](const MachineInstr &MI) {
    return MI.getOpcode() == AMDGPU::S_SET_GPR_IDX_ON ||
           MI.getOpcode() == AMDGPU::S_SET_GPR_IDX_MODE;
  };
  return &MBB != &MBB.getParent()->front() &&
         all_of(MBB.predecessors(),
                [](const MachineBasicBlock *From) {
                  return !From->empty() && !From->back().isIndirectBranch();
                }) &&
         none_of(*MBB.getParent(), [&](const MachineBasicBlock &Other) {
           return any_of(Other, isMode);
         });
}

/// Whether \p MI writes a scalar register that its operands do not name.
bool writesAnyScalar(const MachineInstr &MI) {
  const IndexedOperands Indexed = indexedOperandsOf(MI);
  return Indexed.Scalars && Indexed.Written;
}

/// Nothing but its last instruction decides where the wave goes, and with which
/// lanes; and what changes a register names it.
bool TripCounter::isPlain() const {
  return MBB.isSuccessor(&MBB) && MBB.succ_size() == 2 &&
         all_of(MBB, [&](const MachineInstr &MI) {
           return !MI.isCall() && !LR.transferOf(MI) && !writesAnyScalar(MI) &&
                  execChangeOf(MI, IsWave32) == ExecChange::None &&
                  (!MI.isTerminator() || &MI == &MBB.back());
         });
}

/// The last instruction before the branch that writes SCC.
const MachineInstr *TripCounter::comparison() const {
  for (const MachineInstr &MI : drop_begin(reverse(MBB)))
    if (MI.modifiesRegister(AMDGPU::SCC, &TRI))
      return &MI;
  return nullptr;
}

bool TripCounter::leavesWhereEqual(const MachineInstr &Compare) const {
  const MachineInstr &Branch = MBB.back();
  if (!Branch.getNumExplicitOperands() || !Branch.getOperand(0).isMBB())
    return false;
  bool StaysIfSet;
  switch (Branch.getOpcode()) {
  case AMDGPU::S_CBRANCH_SCC1:
    StaysIfSet = Branch.getOperand(0).getMBB() == &MBB;
    break;
  case AMDGPU::S_CBRANCH_SCC0:
    StaysIfSet = Branch.getOperand(0).getMBB() != &MBB;
    break;
  default:
    return false;
  }
  switch (Compare.getOpcode()) {
  case AMDGPU::S_CMP_LG_U32:
  case AMDGPU::S_CMP_LG_I32:
  case AMDGPU::S_CMPK_LG_U32:
  case AMDGPU::S_CMPK_LG_I32:
    return StaysIfSet;
  case AMDGPU::S_CMP_EQ_U32:
  case AMDGPU::S_CMP_EQ_I32:
  case AMDGPU::S_CMPK_EQ_U32:
  case AMDGPU::S_CMPK_EQ_I32:
    return !StaysIfSet;
  default:
    return false;
  }
}

const MachineInstr *TripCounter::onlyWriter(Register Reg) const {
  const MachineInstr *Writer = nullptr;
  for (const MachineInstr &MI : MBB) {
    if (!MI.modifiesRegister(Reg, &TRI))
      continue;
    if (Writer)
      return nullptr;
    Writer = &MI;
  }
  return Writer;
}

/// A register that changes only where it is named: src_scc and its like are
/// other names of what others name.
bool TripCounter::isKept(Register Reg) const {
  const amdgpu::RegisterRange Range =
      LR.impl().Target->registerFiles().rangeOf(Reg.asMCReg());
  return Range.File == amdgpu::RegisterFile::SGPR ||
         is_contained({AMDGPU::VCC_LO, AMDGPU::VCC_HI, AMDGPU::M0}, Reg.id());
}

/// With operand \p Counter of \p Compare as the counter.
std::optional<TripCount> TripCounter::with(const MachineInstr &Compare,
                                           unsigned Counter) const {
  const MachineOperand &Counted = Compare.getOperand(Counter),
                       &Limit = Compare.getOperand(1 - Counter);
  if (!Counted.isReg())
    return std::nullopt;
  const MachineInstr *Add = onlyWriter(Counted.getReg());
  if (!Add || Add->getOperand(0).getReg() != Counted.getReg())
    return std::nullopt;
  const std::optional<uint32_t> Step = stepOf(*Add);
  const bool ComparesFirst = any_of(MBB, [&, Found = false](auto &MI) mutable {
    Found |= &MI == &Compare;
    return Found && &MI == Add;
  });
  if (!Step || !*Step || ComparesFirst)
    return std::nullopt;
  if (Limit.isReg() &&
      (!isKept(Limit.getReg()) || any_of(MBB, [&](const MachineInstr &MI) {
        return MI.modifiesRegister(Limit.getReg(), &TRI);
      })))
    return std::nullopt;
  const std::optional<uint32_t> Constant = limitOf(Compare, Limit);
  if (!Limit.isReg() && !Constant)
    return std::nullopt;
  const uint32_t Shift = std::countr_zero(*Step);
  return TripCount{Counted.getReg().asMCReg(),
                   Constant ? MCRegister() : Limit.getReg().asMCReg(),
                   Constant.value_or(0), inverseOf(*Step >> Shift), Shift};
}

std::optional<TripCount> TripCounter::run() const {
  if (!isPlain() || !isEnteredByBranches())
    return std::nullopt;
  const MachineInstr *Compare = comparison();
  if (!Compare || !leavesWhereEqual(*Compare))
    return std::nullopt;
  const std::optional<TripCount> First = with(*Compare, 0);
  return First ? First : with(*Compare, 1);
}

} // namespace

std::optional<TripCount> tripCountOf(const LiftedRepresentation &LR,
                                     const MachineBasicBlock &MBB) {
  return TripCounter(LR, MBB).run();
}

namespace {

/// Some lane is active where \p MBB begins: a wave without lanes jumps over it.
bool isEnteredWithLanes(const MachineBasicBlock &MBB, bool IsWave32) {
  auto keepsLanes = [&](const MachineInstr &MI) {
    return execChangeOf(MI, IsWave32) == ExecChange::None && !MI.isCall();
  };
  const MachineBasicBlock *To = &MBB;
  // As far back as there is one way.
  for (unsigned Steps = 0; Steps < 8; ++Steps) {
    const MachineBasicBlock *From = nullptr;
    for (const MachineBasicBlock *P : To->predecessors())
      if (P != To) {
        if (From)
          return false;
        From = P;
      }
    if (!From || From->empty())
      return false;
    const MachineInstr &Last = From->back();
    if (Last.getOpcode() == AMDGPU::S_CBRANCH_EXECZ)
      return Last.getOperand(0).isMBB() && Last.getOperand(0).getMBB() != To;
    if (!all_of(*From, keepsLanes))
      return false;
    To = From;
  }
  return false;
}

} // namespace

bool isLeftWithoutLanes(const LiftedRepresentation &LR,
                        const MachineInstr &MI) {
  const MachineBasicBlock &MBB = *MI.getParent();
  MachineFunction &MF = const_cast<MachineFunction &>(*MBB.getParent());
  const bool IsWave32 = LR.impl().Kernel->Descriptor.usesWave32();
  const MachineInstr &Last = MBB.back();
  if (&MF != LR.functions().front().second || !isEnteredOnce(LR) ||
      LR.hasUnresolvedTransfers() || MBB.succ_size() != 2 ||
      Last.getOpcode() != AMDGPU::S_CBRANCH_EXECNZ ||
      !Last.getOperand(0).isMBB() || Last.getOperand(0).getMBB() != &MBB)
    return false;
  bool IsBehind = false;
  for (const MachineInstr &Each : MBB) {
    IsBehind |= &Each == &MI;
    const ExecChange Change = execChangeOf(Each, IsWave32);
    if (Each.isCall() || (Change != ExecChange::None &&
                          !(IsBehind && Change == ExecChange::Shrinks)))
      return false;
  }
  MachineCycleInfo Cycles;
  Cycles.compute(MF);
  return Cycles.getCycleDepth(&MBB) == 1 && isEnteredWithLanes(MBB, IsWave32);
}

} // namespace luthier
