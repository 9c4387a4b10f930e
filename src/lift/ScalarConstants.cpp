// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lift/ScalarConstants.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "luthier/RegisterSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {
namespace {

/// Values by unit of the scalar registers, SCC included, and by lane of the
/// VGPRs that v_writelane put something into. What is not there is not known.
using Values = std::map<unsigned, uint32_t>;
constexpr unsigned FirstLaneKey = 1024, LanesPerVGPR = 64;

unsigned laneKey(RegisterUnits VGPR, unsigned Lane) {
  return FirstLaneKey + VGPR.First * LanesPerVGPR + Lane % LanesPerVGPR;
}

class Interpreter {
public:
  Interpreter(Values &State, ScalarConstants::AddressOf Address)
      : State(State), Address(Address) {}

  void run(const MachineInstr &MI) {
    // Everything is read before anything is written.
    SmallVector<std::pair<unsigned, uint32_t>, 3> Known = evaluate(MI);
    forget(MI);
    for (auto [Key, Value] : Known)
      State[Key] = Value;
  }

  std::optional<uint32_t> word(unsigned Key) const {
    auto It = State.find(Key);
    return It == State.end() ? std::nullopt : std::optional(It->second);
  }

  std::optional<uint64_t> pair(MCRegister Reg) const {
    RegisterUnits Units = unitsOf(Reg);
    if (Units.Count != 2)
      return std::nullopt;
    auto Low = word(Units.First), High = word(Units.First + 1);
    if (!Low || !High)
      return std::nullopt;
    return Make_64(*High, *Low);
  }

private:
  std::optional<uint64_t> source(const MachineOperand &MO) const {
    if (MO.isImm())
      return MO.getImm();
    if (!MO.isReg() || !MO.getReg())
      return std::nullopt;
    RegisterUnits Units = unitsOf(MO.getReg().asMCReg());
    if (Units.Count == 2)
      return pair(MO.getReg().asMCReg());
    if (Units.Count != 1 || Units.IsPartial)
      return std::nullopt;
    auto Word = word(Units.First);
    return Word ? std::optional<uint64_t>(*Word) : std::nullopt;
  }

  SmallVector<std::pair<unsigned, uint32_t>, 3>
  evaluate(const MachineInstr &MI) {
    SmallVector<std::pair<unsigned, uint32_t>, 3> Result;
    const RegisterUnits To = MI.getNumOperands() && MI.getOperand(0).isReg()
                                 ? unitsOf(MI.getOperand(0).getReg().asMCReg())
                                 : RegisterUnits();
    auto set = [&](std::optional<uint64_t> Value) {
      for (unsigned I = 0; Value && I < To.Count && I < 2; ++I)
        Result.push_back({To.First + I, uint32_t(*Value >> (32 * I))});
    };
    auto sum = [&](std::optional<uint64_t> Carry) {
      auto A = source(MI.getOperand(1)), B = source(MI.getOperand(2));
      if (!A || !B || !Carry)
        return;
      uint64_t Sum = uint64_t(uint32_t(*A)) + uint32_t(*B) + *Carry;
      set(uint32_t(Sum));
      Result.push_back({RegisterSet::SCC, uint32_t(Sum >> 32)});
    };
    switch (MI.getOpcode()) {
    case AMDGPU::S_GETPC_B64:
      if (auto PC = Address(MI))
        set(*PC + 4);
      break;
    case AMDGPU::S_MOV_B32:
    case AMDGPU::S_MOV_B64:
    case AMDGPU::S_MOVK_I32:
      set(source(MI.getOperand(1)));
      break;
    case AMDGPU::S_SEXT_I32_I16:
      if (auto Value = source(MI.getOperand(1)))
        set(SignExtend64<16>(*Value));
      break;
    case AMDGPU::S_ADD_U32:
      sum(0);
      break;
    case AMDGPU::S_ADDC_U32:
      sum(word(RegisterSet::SCC));
      break;
    case AMDGPU::S_ADD_U64:
      if (auto A = source(MI.getOperand(1)), B = source(MI.getOperand(2));
          A && B)
        set(*A + *B);
      break;
    case AMDGPU::V_WRITELANE_B32:
      if (auto Value = source(MI.getOperand(1)),
          Lane = source(MI.getOperand(2));
          Value && Lane)
        Result.push_back({laneKey(To, *Lane), uint32_t(*Value)});
      break;
    case AMDGPU::V_READLANE_B32:
      if (auto Lane = source(MI.getOperand(2)))
        if (auto Value = word(
                laneKey(unitsOf(MI.getOperand(1).getReg().asMCReg()), *Lane)))
          set(*Value);
      break;
    default:
      break;
    }
    return Result;
  }

  /// Drops what \p MI writes. A callee may write everything.
  void forget(const MachineInstr &MI) {
    if (MI.isCall() || MI.getOpcode() == AMDGPU::S_MOVRELD_B32 ||
        MI.getOpcode() == AMDGPU::S_MOVRELD_B64)
      return State.clear();
    for (const MachineOperand &MO : MI.operands())
      if (MO.isReg() && MO.isDef() && MO.getReg())
        forget(MI, unitsOf(MO.getReg().asMCReg()));
  }

  void forget(const MachineInstr &MI, RegisterUnits Units) {
    for (unsigned U = Units.First; U < Units.First + Units.Count; ++U) {
      if (U < RegisterSet::FirstVGPR) {
        State.erase(U);
        continue;
      }
      const unsigned First = laneKey({uint16_t(U), 1, false}, 0);
      auto Begin = State.lower_bound(First),
           End = State.lower_bound(First + LanesPerVGPR);
      if (MI.getOpcode() == AMDGPU::V_WRITELANE_B32 &&
          MI.getOperand(2).isImm()) {
        Begin = State.find(
            laneKey({uint16_t(U), 1, false}, MI.getOperand(2).getImm()));
        End = Begin == State.end() ? Begin : std::next(Begin);
      }
      State.erase(Begin, End);
    }
  }

  Values &State;
  ScalarConstants::AddressOf Address;
};

/// Keeps what both ways agree on. True if that is less than before.
bool meet(Values &Into, const Values &From) {
  return std::erase_if(Into, [&](const auto &Entry) {
    auto It = From.find(Entry.first);
    return It == From.end() || It->second != Entry.second;
  });
}

} // namespace

bool ScalarConstants::isTransfer(const MachineInstr &MI) {
  switch (MI.getOpcode()) {
  case AMDGPU::S_SWAPPC_B64:
  case AMDGPU::S_SETPC_B64:
  case AMDGPU::S_CALL_B64:
    return true;
  default:
    return false;
  }
}

ScalarConstants ScalarConstants::run(const MachineFunction &MF,
                                     AddressOf Address) {
  ScalarConstants Result;
  // Blocks that control has not reached yet have no entry.
  DenseMap<const MachineBasicBlock *, Values> Starts;
  SetVector<const MachineBasicBlock *> Work;
  for (const MachineBasicBlock &MBB : MF)
    // Others may be entered from where nothing is known.
    if (MBB.pred_empty() || &MBB == &MF.front()) {
      Starts[&MBB];
      Work.insert(&MBB);
    }
  while (!Work.empty()) {
    const MachineBasicBlock *MBB = Work.pop_back_val();
    Values State = Starts[MBB];
    Interpreter Interpret(State, Address);
    for (const MachineInstr &MI : *MBB) {
      if (isTransfer(MI)) {
        // A block may be looked at again, knowing less.
        Result.Targets.erase(&MI);
        if (MI.getOpcode() == AMDGPU::S_CALL_B64) {
          if (auto PC = Address(MI); PC && MI.getOperand(1).isImm())
            Result.Targets[&MI] =
                *PC + 4 + 4 * SignExtend64<16>(MI.getOperand(1).getImm());
        } else {
          unsigned Source = MI.getOpcode() == AMDGPU::S_SWAPPC_B64;
          if (auto Target =
                  Interpret.pair(MI.getOperand(Source).getReg().asMCReg()))
            Result.Targets[&MI] = *Target;
        }
      }
      Interpret.run(MI);
    }
    for (const MachineBasicBlock *Next : MBB->successors()) {
      auto [It, IsNew] = Starts.try_emplace(Next, State);
      if (IsNew || meet(It->second, State))
        Work.insert(Next);
    }
  }
  return Result;
}

std::optional<uint64_t>
ScalarConstants::targetOf(const MachineInstr &MI) const {
  auto It = Targets.find(&MI);
  return It == Targets.end() ? std::nullopt : std::optional(It->second);
}

} // namespace luthier
