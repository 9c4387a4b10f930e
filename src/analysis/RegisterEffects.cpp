// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/RegisterEffects.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIInstrInfo.h"
#include "amdgpu/IndexedOperands.h"
#include "amdgpu/NamedOperands.h"
#include "amdgpu/TargetTraits.h"
#include "analysis/ExecChange.h"
#include "analysis/WaveModes.h"
#include "lift/LiftedImpl.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <atomic>

using namespace llvm;

namespace luthier {
namespace {

/// What LLVM's descriptions of opcodes leave out.
enum Trait : uint16_t {
  ReadsAnyLane = 1 << 0,
  /// Part of the result register, or some active lanes of it, stay as they are.
  WritesPart = 1 << 1,
  /// The result has 16 bits. What becomes of the others depends on the target.
  WritesHalf = 1 << 2,
  /// The tied source only stands for what is not written.
  KeepsOtherLanes = 1 << 3,
  IndexedRead = 1 << 4,
  IndexedWrite = 1 << 5,
  /// The trap handler or unknown code sees every register.
  Escapes = 1 << 6,
  ReadsHardware = 1 << 7,
  Compares = 1 << 8,
  /// The result is a source, too, although no operand says so.
  ReadsResult = 1 << 9,
  /// WritesHalf, and the others stay as they are since gfx9.
  KeepsHalf = 1 << 10,
};

bool containsAny(StringRef Name, ArrayRef<StringRef> Parts) {
  return any_of(Parts, [&](StringRef Part) { return Name.contains(Part); });
}

bool startsWithAny(StringRef Name, ArrayRef<StringRef> Prefixes) {
  return any_of(Prefixes, [&](StringRef P) { return Name.starts_with(P); });
}

uint16_t vectorTraits(StringRef Name) {
  uint16_t Result = 0;
  // With EXEC = 0, v_readfirstlane reads lane 0. Loads that transpose move data
  // between lanes.
  if (startsWithAny(Name, {"V_READLANE", "V_READFIRSTLANE", "V_PERMLANE",
                           "DS_BPERMUTE", "DS_PERMUTE", "DS_SWIZZLE"}) ||
      Name.contains("LOAD_TR") || Name.contains("_TR_B") ||
      Name.contains("_TR4_B") || Name.contains("_TR6_B") ||
      Name.contains("_TR8_B") || Name.contains("_TR16_B"))
    Result |= ReadsAnyLane;
  if (containsAny(
          Name, {"_D16", "_TFE", "MIXLO", "MIXHI", "SCALEF32", "V_ASHR_PK"}) ||
      (Name.starts_with("V_CVT") && containsAny(Name, {"FP8", "BF8"})))
    Result |= WritesPart;
  if (Name.starts_with("V_WRITELANE"))
    Result |= WritesPart | KeepsOtherLanes;
  if (Name.starts_with("V_") && Name.contains("16") &&
      !startsWithAny(Name, {"V_PK_", "V_PACK_", "V_DUAL_", "V_CVT_PK",
                            "V_CVT_F32_F16", "V_CVT_F32_BF16", "V_MAD_U32_U16",
                            "V_MAD_I32_I16", "V_FMA_MIX_F32", "V_MAD_MIX_F32",
                            "V_DOT2_F32", "V_DOT2_I32", "V_DOT2_U32",
                            "V_DOT2C_", "V_MFMA", "V_SMFMAC", "V_WMMA",
                            "V_SWMMAC", "V_PERMLANE"}))
    Result |= WritesHalf;
  if (Result & WritesHalf && startsWithAny(Name, {"V_MAD", "V_MAC", "V_FMA",
                                                  "V_DIV_FIXUP", "V_CVT_NORM"}))
    Result |= KeepsHalf;
  // Of the second half of a dual operation LLVM says less than of the first.
  if (Name.starts_with("V_PK_FMAC") ||
      (Name.starts_with("V_DUAL") &&
       containsAny(Name, {"FMAC", "DOT2C", "DOT2ACC"})))
    Result |= ReadsResult;
  if (Name.starts_with("V_CMP"))
    Result |= Compares;
  return Result;
}

uint16_t traitsOf(StringRef Name) {
  uint16_t Result = 0;
  if (Name.starts_with("S_CMOV")) // Moves if SCC is set.
    Result |= WritesPart;
  const IndexedOperands Indexed = indexedOperandsOf(Name);
  Result |=
      (Indexed.Read ? IndexedRead : 0) | (Indexed.Written ? IndexedWrite : 0);
  if (startsWithAny(Name, {"S_TRAP", "S_RFE", "S_CBRANCH_G_FORK",
                           "S_CBRANCH_I_FORK", "S_CBRANCH_JOIN"}))
    Result |= Escapes;
  if (Name.starts_with("S_GETREG"))
    Result |= ReadsHardware;
  if (Name.starts_with("S_"))
    return Name.contains("F16") ? Result | WritesPart : Result;
  return Result | vectorTraits(Name);
}

/// Opcodes are the same for all processors of the target, and few of them
/// occur: each is looked at when it is first seen, by whichever thread.
uint16_t traitsOf(const MachineInstr &MI) {
  constexpr uint16_t IsKnown = 1 << 15;
  const TargetInstrInfo &TII = *MI.getMF()->getSubtarget().getInstrInfo();
  // Never destroyed, as threads may still be at work while the process ends.
  static auto &Table =
      *new std::vector<std::atomic<uint16_t>>(TII.getNumOpcodes());
  std::atomic<uint16_t> &Entry = Table[MI.getOpcode()];
  uint16_t Traits = Entry.load(std::memory_order_relaxed);
  if (!(Traits & IsKnown)) {
    Traits = traitsOf(TII.getName(MI.getOpcode())) | IsKnown;
    Entry.store(Traits, std::memory_order_relaxed);
  }
  return Traits;
}

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
      : MI(MI), Context(Context), Traits(traitsOf(MI)) {}

  InstructionEffects run() {
    IsVector = SIInstrInfo::isVALU(MI) || SIInstrInfo::isVMEM(MI) ||
               SIInstrInfo::isFLAT(MI) || SIInstrInfo::isDS(MI);
    Indexed = Context.InIndexMode && SIInstrInfo::isVALU(MI);
    for (const MachineOperand &MO : MI.operands())
      if (MO.isReg() && MO.getReg())
        addOperand(MO);
    if (IsVector || Traits & ReadsHardware)
      add({RegisterSet::MODE, 1}, RegisterAccess::Read);
    if (Traits & ReadsHardware)
      addStatus();
    const bool IsScratch =
        SIInstrInfo::isFLAT(MI) && !SIInstrInfo::isFLATGlobal(MI);
    if (IsScratch || Traits & ReadsHardware)
      add({RegisterSet::FlatScratchLo, 2}, RegisterAccess::Read);
    addIndexed();
    Result.ReadsEverything = Traits & Escapes;
    Result.IsComparison = Traits & Compares;
    Result.MayBeSkipped = Context.MaySkip && IsVector;
    Result.Exec = execChangeOf(MI, Context.IsWave32);
    return std::move(Result);
  }

private:
  void add(RegisterUnits Units, RegisterAccess Access) {
    Result.Registers.push_back({Units, Access});
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

  void addOperand(const MachineOperand &MO) {
    RegisterUnits Units = unitsOfOperand(MO);
    if (!Units.Count)
      return;
    if (MO.isDef()) {
      add(Units, writeOf(Units));
      if (Traits & ReadsResult)
        add(Units, readOf());
    } else if (!(Traits & KeepsOtherLanes && MO.isTied())) {
      add(Units, readOf());
    }
  }

  RegisterAccess readOf() const {
    return Traits & ReadsAnyLane || SIInstrInfo::isDPP(MI) ||
                   SIInstrInfo::isMAI(MI) || SIInstrInfo::isWMMA(MI) ||
                   SIInstrInfo::isSWMMAC(MI)
               ? RegisterAccess::ReadInAnyLane
               : RegisterAccess::Read;
  }

  RegisterAccess writeOf(RegisterUnits Units) const {
    bool KeepsPart = Units.IsPartial || Traits & (WritesPart | IndexedWrite) ||
                     Units.First == RegisterSet::MODE ||
                     (Context.MaySkip && IsVector);
    if (isVectorUnit(Units)) {
      KeepsPart |= mayLeaveTexels();
      // DPP leaves lanes alone whose source does not exist, SDWA bits that it
      // does not select.
      KeepsPart |= Indexed || SIInstrInfo::isDPP(MI) || SIInstrInfo::isSDWA(MI);
      if (Traits & WritesHalf)
        KeepsPart |= Context.KeepsUpperHalf || Traits & KeepsHalf ||
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
    if (Indexed || Traits & (IndexedRead | IndexedWrite))
      add({RegisterSet::M0, 1}, RegisterAccess::Read);
    if (Indexed || Traits & IndexedRead)
      add(Range, RegisterAccess::Read);
    if (Indexed || Traits & IndexedWrite)
      add(Range, RegisterAccess::Write);
  }

  const MachineInstr &MI;
  EffectsContext Context;
  uint16_t Traits;
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
