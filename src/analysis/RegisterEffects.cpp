// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/RegisterEffects.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIInstrInfo.h"
#include "amdgpu/IndexedOperands.h"
#include "amdgpu/NamedOperands.h"
#include "amdgpu/OpcodeFacts.h"
#include "amdgpu/TargetTraits.h"
#include "analysis/ExecChange.h"
#include "analysis/WaveModes.h"
#include "lift/LiftedImpl.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier {
namespace {

bool isVectorUnit(RegisterUnits Units) {
  return Units.First >= RegisterSet::FirstVGPR;
}

constexpr RegisterUnits AllVGPRs = {
    RegisterSet::FirstVGPR, RegisterSet::FirstAGPR - RegisterSet::FirstVGPR};
/// What s_movrel may come to: all that a scalar operand's number can name.
constexpr RegisterUnits AllScalars = {0, RegisterSet::M0 + 1};

class EffectsBuilder {
public:
  EffectsBuilder(const MachineInstr &MI, EffectsContext Context)
      : MI(MI), Context(Context), Facts(amdgpu::opcodeFacts(MI)) {}

  InstructionEffects run() {
    IsVector = SIInstrInfo::isVALU(MI) || SIInstrInfo::isVMEM(MI) ||
               SIInstrInfo::isFLAT(MI) || SIInstrInfo::isDS(MI);
    Indexed = Context.InIndexMode && SIInstrInfo::isVALU(MI);
    for (const MachineOperand &MO : MI.operands())
      if (MO.isReg() && MO.getReg())
        addOperand(MO);
    if (IsVector || Facts.has(amdgpu::ReadsHardware))
      add({RegisterSet::MODE, 1}, RegisterAccess::Read);
    if (Facts.has(amdgpu::ReadsHardware))
      addStatus();
    const bool IsScratch =
        SIInstrInfo::isFLAT(MI) && !SIInstrInfo::isFLATGlobal(MI);
    if (IsScratch || Facts.has(amdgpu::ReadsHardware))
      add({RegisterSet::FlatScratchLo, 2}, RegisterAccess::Read);
    addIndexed();
    Result.ReadsEverything = Facts.has(amdgpu::Escapes);
    Result.IsComparison = Facts.has(amdgpu::Compares);
    Result.MayBeSkipped = Context.MaySkip && IsVector;
    Result.Exec = execChangeOf(MI, Context.IsWave32);
    return std::move(Result);
  }

private:
  void add(RegisterUnits Units, RegisterAccess Access) {
    Result.Registers.push_back({Units, Access});
    Result.WritesScalars |=
        InstructionEffects::isWrite(Result.Registers.back()) &&
        !isVectorUnit(Units);
  }

  RegisterUnits unitsOfOperand(const MachineOperand &MO) const {
    RegisterUnits Units = unitsOf(MO.getReg().asMCReg());
    // LLVM's lists of implicit operands are written for 64 lanes.
    const bool IsMask =
        Units.First == RegisterSet::VCCLo || Units.First == RegisterSet::EXECLo;
    if (MO.isImplicit() && Context.IsWave32 && IsMask)
      Units.Count = 1;
    return Units;
  }

  /// LLVM says of each comparison with SDWA that it writes VCC, also where it
  /// has another register for the result.
  bool isMaskElsewhere(const MachineOperand &MO) const {
    return MO.isImplicit() && SIInstrInfo::isSDWA(MI) &&
           Facts.has(amdgpu::Compares) && MI.getNumExplicitDefs() > 0;
  }

  void addOperand(const MachineOperand &MO) {
    RegisterUnits Units = unitsOfOperand(MO);
    if (!Units.Count)
      return;
    if (MO.isDef()) {
      add(Units, isMaskElsewhere(MO) ? RegisterAccess::Write : writeOf(Units));
      if (Facts.has(amdgpu::ReadsResult))
        add(Units, readOf());
    } else if (!(Facts.has(amdgpu::KeepsOtherLanes) && MO.isTied())) {
      add(Units, readOf());
    }
  }

  RegisterAccess readOf() const {
    return Facts.has(amdgpu::ReadsAnyLane) || SIInstrInfo::isDPP(MI) ||
                   SIInstrInfo::isMAI(MI) || SIInstrInfo::isWMMA(MI) ||
                   SIInstrInfo::isSWMMAC(MI)
               ? RegisterAccess::ReadInAnyLane
               : RegisterAccess::Read;
  }

  RegisterAccess writeOf(RegisterUnits Units) const {
    bool KeepsPart = Units.IsPartial ||
                     Facts.has(amdgpu::WritesPart | amdgpu::IndexedWrite) ||
                     Units.First == RegisterSet::MODE ||
                     (Context.MaySkip && IsVector);
    if (isVectorUnit(Units)) {
      KeepsPart |= mayLeaveTexels();
      // DPP leaves lanes alone whose source does not exist, SDWA bits that it
      // does not select.
      KeepsPart |= Indexed || SIInstrInfo::isDPP(MI) || SIInstrInfo::isSDWA(MI);
      if (Facts.has(amdgpu::WritesHalf))
        KeepsPart |= Context.KeepsUpperHalf || Facts.has(amdgpu::KeepsHalf) ||
                     MI.getDesc().TSFlags & SIInstrFlags::VOP3_OPSEL;
    }
    return KeepsPart ? RegisterAccess::Write : RegisterAccess::Overwrite;
  }

  /// Image operations that report missing texels leave out what those are for.
  bool mayLeaveTexels() const {
    if (!SIInstrInfo::isImage(MI))
      return false;
    auto isSet = [&](amdgpu::OperandName Flag) {
      const auto At = amdgpu::operandIndex(MI.getOpcode(), Flag);
      return At && MI.getOperand(*At).getImm();
    };
    return isSet(amdgpu::OperandName::TFE) || isSet(amdgpu::OperandName::LWE);
  }

  /// SCC, EXECZ and VCCZ are bits of STATUS.
  void addStatus() {
    constexpr int64_t IdMask = 0x3f;
    const int64_t Id = MI.getOperand(1).getImm() & IdMask;
    if (!(targetTraits(MI).Instructions.StatusRegisters >> Id & 1))
      return;
    add({RegisterSet::SCC, 1}, RegisterAccess::Read);
    add({RegisterSet::VCCLo, 2}, RegisterAccess::Read);
    add({RegisterSet::EXECLo, 2}, RegisterAccess::Read);
  }

  void addIndexed() {
    const RegisterUnits Range = SIInstrInfo::isSALU(MI) ? AllScalars : AllVGPRs;
    if (Indexed || Facts.has(amdgpu::IndexedRead | amdgpu::IndexedWrite))
      add({RegisterSet::M0, 1}, RegisterAccess::Read);
    if (Indexed || Facts.has(amdgpu::IndexedRead))
      add(Range, RegisterAccess::Read);
    if (Indexed || Facts.has(amdgpu::IndexedWrite))
      add(Range, RegisterAccess::Write);
  }

  const MachineInstr &MI;
  EffectsContext Context;
  amdgpu::OpcodeFacts Facts;
  bool Indexed = false, IsVector = false;
  InstructionEffects Result;
};

} // namespace

InstructionEffects effectsOf(const MachineInstr &MI, EffectsContext Context) {
  return EffectsBuilder(MI, Context).run();
}

EffectsContext effectsContextOf(const LiftedRepresentation &LR) {
  EffectsContext Result;
  Result.IsWave32 = LR.impl().Kernel->Descriptor.usesWave32();
  Result.KeepsUpperHalf =
      LR.impl().Target->traits().Instructions.KeepsUpperHalf;
  return Result;
}

EffectsTable EffectsTable::run(const LiftedRepresentation &LR) {
  EffectsTable Result;
  EffectsContext Context = effectsContextOf(LR);
  Result.IsWave32 = Context.IsWave32;
  const WaveModeTracker Modes = WaveModeTracker::run(LR);
  for (const auto &[Symbol, MF] : LR.functions()) {
    for (const MachineBasicBlock &MBB : *MF) {
      WaveModes Now = Modes.atEntry(MBB);
      auto &List = Result.Table[&MBB];
      List.reserve(MBB.size());
      for (const MachineInstr &MI : MBB) {
        Context.InIndexMode = Now.Indexed;
        Context.MaySkip = Now.Skips;
        List.push_back(effectsOf(MI, Context));
        Modes.step(MI, Now);
      }
    }
  }
  return Result;
}

ArrayRef<InstructionEffects>
EffectsTable::of(const MachineBasicBlock &MBB) const {
  return Table.find(&MBB)->second;
}

} // namespace luthier
