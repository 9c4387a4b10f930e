// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/ExecMasks.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "analysis/MaskValues.h"
#include "lift/CalleeSaved.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier {
namespace {

using BinaryOperation = MaskValue (*)(MaskValue, MaskValue);

MaskValue first(MaskValue A, MaskValue) { return A; }
MaskValue notAnd(MaskValue A, MaskValue B) {
  return MaskValue::bitAndNot(B, A);
}

/// Of `operation D, A, B` and `operation D, A`, half by half.
BinaryOperation operationOf(unsigned Opcode) {
  switch (Opcode) {
  case AMDGPU::S_MOV_B32:
  case AMDGPU::S_MOV_B64:
  case AMDGPU::S_MOV_B32_term:
  case AMDGPU::S_MOV_B64_term:
    return first;
  case AMDGPU::S_NOT_B32:
  case AMDGPU::S_NOT_B64:
    return [](MaskValue A, MaskValue) { return MaskValue::bitNot(A); };
  case AMDGPU::S_AND_B32:
  case AMDGPU::S_AND_B64:
  case AMDGPU::S_AND_B32_term:
  case AMDGPU::S_AND_B64_term:
    return MaskValue::bitAnd;
  case AMDGPU::S_OR_B32:
  case AMDGPU::S_OR_B64:
  case AMDGPU::S_OR_B32_term:
  case AMDGPU::S_OR_B64_term:
    return MaskValue::bitOr;
  case AMDGPU::S_XOR_B32:
  case AMDGPU::S_XOR_B64:
  case AMDGPU::S_XOR_B32_term:
  case AMDGPU::S_XOR_B64_term:
    return MaskValue::bitXor;
  case AMDGPU::S_ANDN2_B32:
  case AMDGPU::S_ANDN2_B64:
  case AMDGPU::S_ANDN2_B32_term:
  case AMDGPU::S_ANDN2_B64_term:
    return MaskValue::bitAndNot;
  case AMDGPU::S_CSELECT_B32:
  case AMDGPU::S_CSELECT_B64:
    return MaskValue::meet;
  default:
    return nullptr;
  }
}

/// Of `operation D, A`: D = EXEC, EXEC = A operation EXEC.
BinaryOperation saveExecOperationOf(unsigned Opcode) {
  switch (Opcode) {
  case AMDGPU::S_AND_SAVEEXEC_B32:
  case AMDGPU::S_AND_SAVEEXEC_B64:
    return MaskValue::bitAnd;
  case AMDGPU::S_OR_SAVEEXEC_B32:
  case AMDGPU::S_OR_SAVEEXEC_B64:
    return MaskValue::bitOr;
  case AMDGPU::S_XOR_SAVEEXEC_B32:
  case AMDGPU::S_XOR_SAVEEXEC_B64:
    return MaskValue::bitXor;
  case AMDGPU::S_ANDN2_SAVEEXEC_B32:
  case AMDGPU::S_ANDN2_SAVEEXEC_B64:
    return MaskValue::bitAndNot;
  case AMDGPU::S_ANDN1_SAVEEXEC_B32:
  case AMDGPU::S_ANDN1_SAVEEXEC_B64:
    return notAnd;
  default:
    return nullptr;
  }
}

} // namespace

/// Functions after their callees; nothing is known of one that is called again
/// before it is done.
class ExecMaskSolver {
public:
  enum class For { AllFunctions, Callers };

  ExecMaskSolver(const LiftedRepresentation &LR, const CallGraph &Graph,
                 const EffectsTable &Effects, For Whom)
      : LR(LR), Effects(Effects) {
    for (const MachineFunction *MF : Graph.calleesFirst()) {
      const bool IsCalled = !Graph.callersOf(*MF).empty();
      if (!IsCalled && Whom == For::Callers)
        continue;
      const BlockStarts Starts =
          startsOf(*MF, MaskState::atFunctionEntry(), {});
      if (Whom == For::AllFunctions)
        record(*MF, Starts);
      if (IsCalled)
        summarise(*MF, Starts);
    }
  }

  /// Where values get their names, if anywhere: what is original is so since
  /// Origin, instead of the function's entry.
  struct Marks {
    const MachineInstr *Origin = nullptr, *Parting = nullptr;
  };

  ExecMasks take() { return std::move(Result); }
  ExecParts partsSince(Marks At) const;

private:
  using BlockStarts = DenseMap<const MachineBasicBlock *, MaskState>;
  /// What a call may leave different.
  struct Summary {
    bool ChangesExec = false;
    RegisterSet Changed;
  };

  void record(const MachineFunction &MF, const BlockStarts &Starts) {
    Result.Sets.reserve(Result.Sets.size() + MF.size());
    for (const MachineBasicBlock &MBB : MF) {
      MaskState State = Starts.lookup(&MBB);
      const ArrayRef<InstructionEffects> All = Effects.of(MBB);
      std::vector<ExecSet> &Sets = Result.Sets[&MBB];
      Sets.reserve(All.size());
      for (auto [MI, E] : zip(MBB, All)) {
        Sets.push_back(execOf(State));
        cross(State, MI, E);
      }
    }
  }

  static void mark(MaskState &State, const MachineInstr &MI, Marks At) {
    if (&MI == At.Origin)
      State = MaskState::atFunctionEntry();
    if (&MI == At.Parting)
      State.part();
  }

  /// States at blocks' begins.
  BlockStarts startsOf(const MachineFunction &MF, const MaskState &AtEntry,
                       Marks At) const {
    BlockStarts Starts(MF.size());
    SetVector<const MachineBasicBlock *> Work;
    for (const MachineBasicBlock &MBB : MF)
      if (&MBB == &MF.front() || MBB.pred_empty()) {
        Starts[&MBB] = &MBB == &MF.front() ? AtEntry : MaskState();
        Work.insert(&MBB);
      }
    while (!Work.empty()) {
      const MachineBasicBlock *MBB = Work.pop_back_val();
      MaskState State = Starts[MBB];
      for (auto [MI, E] : zip(*MBB, Effects.of(*MBB))) {
        mark(State, MI, At);
        cross(State, MI, E);
      }
      for (const MachineBasicBlock *Next : MBB->successors()) {
        auto [It, IsNew] = Starts.try_emplace(Next, State);
        if (IsNew || It->second.meet(State))
          Work.insert(Next);
      }
    }
    return Starts;
  }

  void summarise(const MachineFunction &MF, const BlockStarts &Starts) {
    Summary &Sum = Summaries[&MF];
    for (const MachineBasicBlock &MBB : MF) {
      // What is known is asked for where control leaves the block, if at all.
      const MachineInstr *Last = nullptr;
      for (auto [MI, E] : zip(MBB, Effects.of(MBB))) {
        addVectorWrites(E, Sum.Changed);
        if (LR.transferOf(MI))
          Last = &MI;
      }
      if (!Last)
        continue;
      MaskState State = Starts.lookup(&MBB);
      for (auto [MI, E] : zip(MBB, Effects.of(MBB))) {
        if (const ControlTransfer *Transfer = LR.transferOf(MI))
          addExit(*Transfer, State, Sum);
        if (&MI == Last)
          break;
        cross(State, MI, E);
      }
    }
    // And so what masks a caller keeps in their lanes.
    Sum.Changed = Sum.Changed - calleeSavedVGPRs(MF);
    if (!Sum.ChangesExec)
      Result.Keeping.insert(&MF);
  }

  static void addVectorWrites(const InstructionEffects &E,
                              RegisterSet &Changed) {
    for (const RegisterEffect &Effect : E.Registers)
      if (Effect.Units.First >= RegisterSet::FirstVGPR &&
          InstructionEffects::isWrite(Effect))
        Changed.add(Effect.Units);
  }

  /// Scalars that do not hold what they held at the entry have changed.
  void addExit(const ControlTransfer &Transfer, const MaskState &State,
               Summary &Sum) const {
    if (Transfer.Kind == ControlTransfer::Call) {
      Sum.Changed |=
          summaryOf(Transfer.Callee).Changed & RegisterSet::allVectors();
      return;
    }
    if (Transfer.Kind != ControlTransfer::Return &&
        Transfer.Kind != ControlTransfer::TailCall) {
      // Unknown code may run, or come back to the caller.
      if (Transfer.isUnresolved()) {
        Sum.Changed |= RegisterSet::all() - calleeSavedVGPRs();
        Sum.ChangesExec = true;
      }
      return;
    }
    if (Transfer.Kind == ControlTransfer::TailCall) {
      const Summary Callee = summaryOf(Transfer.Callee);
      Sum.Changed |= Callee.Changed;
      Sum.ChangesExec |= Callee.ChangesExec;
    }
    Sum.ChangesExec |= execOf(State) != ExecSet::Entry;
    for (unsigned U = 0; U < RegisterSet::SpecialEnd; ++U)
      if (State.get(U) != MaskValue{MaskValue::Original, uint16_t(U)})
        Sum.Changed.addUnit(U);
  }

  Summary summaryOf(const MachineFunction *Callee) const {
    if (auto It = Summaries.find(Callee); It != Summaries.end())
      return It->second;
    return {true, RegisterSet::all() - (Callee ? calleeSavedVGPRs(*Callee)
                                               : calleeSavedVGPRs())};
  }

  ExecSet execOf(const MaskState &State) const {
    bool IsEntry = true, IsWithin = true, IsAll = true;
    for (unsigned U : {RegisterSet::EXECLo, RegisterSet::EXECHi}) {
      if (Effects.isWave32() && U == RegisterSet::EXECHi)
        break;
      MaskValue Half = State.get(U);
      const bool IsPart = Half.isPartOfExec() && Half.Unit == U;
      IsEntry &= IsPart && Half.Kind == MaskValue::Original;
      IsWithin &= IsPart || Half.Kind == MaskValue::Zero;
      IsAll &= Half.Kind == MaskValue::Ones;
    }
    return IsEntry    ? ExecSet::Entry
           : IsWithin ? ExecSet::Within
           : IsAll    ? ExecSet::All
                      : ExecSet::Any;
  }

  bool isExec(const MaskState &State, MaskValue::KindType Kind) const {
    auto is = [&](unsigned Half) {
      return State.get(Half) == MaskValue{Kind, uint16_t(Half)};
    };
    return is(RegisterSet::EXECLo) &&
           (Effects.isWave32() || is(RegisterSet::EXECHi));
  }

  static MaskValue source(const MaskState &State, const MachineOperand &MO,
                          unsigned Half) {
    if (MO.isImm()) {
      const int64_t Value = MO.getImm();
      return Value == 0    ? MaskValue{MaskValue::Zero, 0}
             : Value == -1 ? MaskValue{MaskValue::Ones, 0}
                           : MaskValue();
    }
    if (!MO.isReg() || !MO.getReg())
      return {};
    RegisterUnits Units = unitsOf(MO.getReg().asMCReg());
    if (Half >= Units.Count || Units.IsPartial ||
        Units.First + Half >= RegisterSet::SpecialEnd)
      return {};
    return State.get(Units.First + Half);
  }

  void cross(MaskState &State, const MachineInstr &MI,
             const InstructionEffects &E) const {
    // Most instructions only compute in vector registers.
    if (!E.WritesScalars && !State.hasLanes() && !MI.isCall() &&
        MI.getOpcode() != AMDGPU::V_WRITELANE_B32)
      return;
    SmallVector<std::pair<unsigned, MaskValue>, 4> Known;
    // Everything is read before anything is written.
    if (!E.MayBeSkipped)
      evaluate(State, MI, E, Known);
    const bool WritesLane = MI.getOpcode() == AMDGPU::V_WRITELANE_B32 &&
                            MI.getOperand(2).isImm() && !E.MayBeSkipped;
    MaskValue Lane;
    if (WritesLane)
      Lane = source(State, MI.getOperand(1), 0);
    else
      forgetLanes(State, E);
    if (MI.isCall())
      crossCall(State, MI);
    for (const RegisterEffect &Effect : E.Registers)
      if (InstructionEffects::isWrite(Effect))
        for (unsigned U = Effect.Units.First;
             U < Effect.Units.First + Effect.Units.Count &&
             U < RegisterSet::SpecialEnd;
             ++U)
          State.set(U, {});
    for (auto [Unit, Value] : Known)
      State.set(Unit, Value);
    if (WritesLane)
      State.setLane(unitsOf(MI.getOperand(0).getReg().asMCReg()).First,
                    laneOf(MI), Lane);
  }

  /// Of v_readlane and v_writelane: of what they are given, the wave's lanes
  /// count.
  unsigned laneOf(const MachineInstr &MI) const {
    return uint64_t(MI.getOperand(2).getImm()) % (Effects.isWave32() ? 32 : 64);
  }

  static void forgetLanes(MaskState &State, const InstructionEffects &E) {
    if (!State.hasLanes())
      return;
    RegisterSet Changed;
    addVectorWrites(E, Changed);
    if (!Changed.empty())
      State.forgetLanes(Changed);
  }

  void crossCall(MaskState &State, const MachineInstr &MI) const {
    const ControlTransfer *Transfer = LR.transferOf(MI);
    const RegisterSet Changed =
        summaryOf(Transfer ? Transfer->Callee : nullptr).Changed;
    for (unsigned U = 0; U < RegisterSet::SpecialEnd; ++U)
      if (Changed.unit(U))
        State.set(U, {});
    State.forgetLanes(Changed);
  }

  /// New values of scalar units, as far as anything is known of them.
  void evaluate(const MaskState &State, const MachineInstr &MI,
                const InstructionEffects &E,
                SmallVectorImpl<std::pair<unsigned, MaskValue>> &Known) const {
    auto exec = [&](unsigned Half) {
      return State.get(RegisterSet::EXECLo + Half);
    };
    if (E.IsComparison)
      for (const RegisterEffect &Effect : E.Registers)
        if (InstructionEffects::isWrite(Effect) && Effect.Units.Count <= 2)
          for (unsigned Half = 0; Half < Effect.Units.Count; ++Half)
            Known.push_back(
                {Effect.Units.First + Half, MaskValue::bitAnd(exec(Half), {})});
    if (!MI.getNumExplicitDefs())
      return;
    const RegisterUnits To = unitsOf(MI.getOperand(0).getReg().asMCReg());
    if (!To.Count || To.Count > 2 || To.IsPartial ||
        To.First >= RegisterSet::SpecialEnd)
      return;
    if (MI.getOpcode() == AMDGPU::V_READLANE_B32 && MI.getOperand(2).isImm() &&
        MI.getOperand(1).isReg()) {
      const RegisterUnits From = unitsOf(MI.getOperand(1).getReg().asMCReg());
      Known.push_back({To.First, State.lane(From.First, laneOf(MI))});
      return;
    }
    const BinaryOperation Operation = operationOf(MI.getOpcode());
    const BinaryOperation Save = saveExecOperationOf(MI.getOpcode());
    for (unsigned Half = 0; Half < To.Count && (Operation || Save); ++Half) {
      const MaskValue A = source(State, MI.getOperand(1), Half);
      if (Save) {
        Known.push_back({To.First + Half, exec(Half)});
        Known.push_back({RegisterSet::EXECLo + Half, Save(A, exec(Half))});
        continue;
      }
      MaskValue B;
      if (MI.getNumExplicitOperands() > 2)
        B = source(State, MI.getOperand(2), Half);
      Known.push_back({To.First + Half, Operation(A, B)});
    }
  }

  const LiftedRepresentation &LR;
  const EffectsTable &Effects;
  ExecMasks Result;
  DenseMap<const MachineFunction *, Summary> Summaries;
};

ExecParts ExecMaskSolver::partsSince(Marks At) const {
  const MachineFunction &MF = *At.Origin->getMF();
  const BlockStarts Starts = startsOf(MF, MaskState(), At);
  ExecParts Parts;
  for (const MachineBasicBlock &MBB : MF) {
    MaskState State = Starts.lookup(&MBB);
    for (auto [MI, E] : zip(MBB, Effects.of(MBB))) {
      mark(State, MI, At);
      if (isExec(State, MaskValue::Original))
        Parts.Same.insert(&MI);
      else if (isExec(State, MaskValue::Part))
        Parts.Part.insert(&MI);
      else if (isExec(State, MaskValue::Rest))
        Parts.Rest.insert(&MI);
      cross(State, MI, E);
    }
  }
  return Parts;
}

ExecMasks ExecMasks::run(const LiftedRepresentation &LR, const CallGraph &Graph,
                         const EffectsTable &Effects) {
  return ExecMaskSolver(LR, Graph, Effects, ExecMaskSolver::For::AllFunctions)
      .take();
}

SameExec::SameExec(const LiftedRepresentation &LR)
    : Graph(CallGraph::run(LR)), Effects(EffectsTable::run(LR)),
      Solver(std::make_unique<ExecMaskSolver>(LR, Graph, Effects,
                                              ExecMaskSolver::For::Callers)) {}
SameExec::~SameExec() = default;

DenseSet<const MachineInstr *>
SameExec::since(const MachineInstr &Origin) const {
  return Solver->partsSince({&Origin}).Same;
}

ExecParts SameExec::partsSince(const MachineInstr &Origin,
                               const MachineInstr &Parting) const {
  return Solver->partsSince({&Origin, &Parting});
}

} // namespace luthier
