// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lift/ScalarConstants.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/IndexedOperands.h"
#include "luthier/RegisterSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Support/MathExtras.h"
#include <array>
#include <utility>
#include <vector>

using namespace llvm;

namespace luthier {
namespace {

/// Of 32 bits: a constant, or what some unit held when the function was
/// entered.
struct Value {
  bool IsFromEntry = false;
  uint32_t Word = 0; ///< The constant, or the unit's number.
  bool operator==(const Value &) const = default;
};

constexpr unsigned FirstLaneKey = 1024, LanesPerVGPR = 64;
constexpr unsigned NumSGPRs = 106;

unsigned laneKey(RegisterUnits VGPR, unsigned Lane) {
  assert(Lane < LanesPerVGPR && "no such lane");
  return FirstLaneKey + VGPR.First * LanesPerVGPR + Lane;
}

/// Values by unit of the scalar registers, SCC included, and by lane of the
/// VGPRs that v_writelane put something into. What is not there is not known.
/// Each block has such a state and copies it to those behind it, so there are
/// no nodes to allocate.
class Values {
public:
  std::optional<Value> find(unsigned Key) const {
    if (Key < NumUnits)
      return Units[Key].isKnown() ? std::optional(Units[Key].value())
                                  : std::nullopt;
    const auto It = lower_bound(Lanes, Key, ByKey());
    return It != Lanes.end() && It->first == Key ? std::optional(It->second)
                                                 : std::nullopt;
  }
  void set(unsigned Key, Value To) {
    if (Key < NumUnits) {
      Units[Key] = Unit(To);
      return;
    }
    assert(Key >= FirstLaneKey && "neither a scalar register nor a lane");
    const auto It = lower_bound(Lanes, Key, ByKey());
    if (It != Lanes.end() && It->first == Key)
      It->second = To;
    else
      Lanes.insert(It, {Key, To});
  }
  void eraseUnit(unsigned Number) { Units[Number] = {}; }
  void eraseLanes(unsigned FirstKey, unsigned Count) {
    Lanes.erase(lower_bound(Lanes, FirstKey, ByKey()),
                lower_bound(Lanes, FirstKey + Count, ByKey()));
  }
  void erase(const RegisterSet &Registers) {
    for (unsigned Number = 0; Number < NumUnits; ++Number)
      if (Registers.unit(Number))
        eraseUnit(Number);
    erase_if(Lanes, [&](const Lane &L) {
      return Registers.unit((L.first - FirstLaneKey) / LanesPerVGPR);
    });
  }
  void clear() {
    Units = {};
    Lanes.clear();
  }
  /// Keeps what both ways agree on. True if that is less than before.
  bool meet(const Values &From) {
    // Without branches: it is done at the end of every block.
    uint64_t Lost = 0;
    for (unsigned Number = 0; Number < NumUnits; ++Number) {
      const uint64_t Differs =
          Units[Number].Bits != From.Units[Number].Bits ? ~uint64_t(0) : 0;
      Lost |= Units[Number].Bits & Differs;
      Units[Number].Bits &= ~Differs;
    }
    const size_t Before = Lanes.size();
    erase_if(Lanes,
             [&](const Lane &L) { return From.find(L.first) != L.second; });
    return Lost || Lanes.size() != Before;
  }

private:
  using Lane = std::pair<unsigned, Value>;
  struct ByKey {
    bool operator()(const Lane &L, unsigned Key) const { return L.first < Key; }
  };
  static constexpr unsigned NumUnits = RegisterSet::FirstVGPR;

  /// A value, or zero.
  struct Unit {
    uint64_t Bits = 0;

    Unit() = default;
    explicit Unit(Value V)
        : Bits(uint64_t(1) << 33 | uint64_t(V.IsFromEntry) << 32 | V.Word) {}
    bool isKnown() const { return Bits != 0; }
    Value value() const { return {(Bits >> 32 & 1) != 0, uint32_t(Bits)}; }
  };
  std::array<Unit, NumUnits> Units;
  std::vector<Lane> Lanes; ///< In order of their keys.
};

class Interpreter {
public:
  using Environment = ScalarConstants::Environment;
  Interpreter(Values &State, const Environment &Env, bool MaySkip)
      : State(State), Env(Env), MaySkip(MaySkip) {}

  void run(const MachineInstr &MI, std::optional<uint64_t> Callee) {
    // Everything is read before anything is written.
    Assignments Known = evaluate(MI);
    forget(MI, Callee);
    for (auto [Key, Value] : Known)
      State.set(Key, Value);
  }

  std::optional<Value> value(unsigned Key) const { return State.find(Key); }

  std::optional<uint32_t> word(unsigned Key) const {
    auto Value = value(Key);
    return Value && !Value->IsFromEntry ? std::optional(Value->Word)
                                        : std::nullopt;
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
  using Assignments = SmallVector<std::pair<unsigned, Value>, 4>;

  std::optional<uint64_t> source(const MachineOperand &MO) const {
    if (MO.isImm())
      return MO.getImm();
    if (!MO.isReg() || !MO.getReg())
      return std::nullopt;
    if (MO.getReg() == AMDGPU::SGPR_NULL)
      return 0;
    RegisterUnits Units = unitsOf(MO.getReg().asMCReg());
    if (Units.Count == 2)
      return pair(MO.getReg().asMCReg());
    if (Units.Count != 1 || Units.IsPartial)
      return std::nullopt;
    auto Word = word(Units.First);
    return Word ? std::optional<uint64_t>(*Word) : std::nullopt;
  }

  /// Base and offsets of a scalar load, which end in the cache policy.
  std::optional<uint64_t> scalarAddress(const MachineInstr &MI) const {
    std::optional<uint64_t> Sum = source(MI.getOperand(1));
    for (unsigned I = 2; Sum && I + 1 < MI.getNumExplicitOperands(); ++I) {
      auto Offset = source(MI.getOperand(I));
      Sum = Offset ? std::optional(*Sum + *Offset) : std::nullopt;
    }
    return Sum;
  }

  /// One half, or all, of a 64-bit source.
  std::optional<Value> half(const MachineOperand &MO, unsigned Index) const {
    if (MO.isImm())
      return Value{false, uint32_t(uint64_t(MO.getImm()) >> (32 * Index))};
    if (!MO.isReg() || !MO.getReg())
      return std::nullopt;
    RegisterUnits Units = unitsOf(MO.getReg().asMCReg());
    if (Index >= Units.Count || Units.IsPartial)
      return std::nullopt;
    return value(Units.First + Index);
  }

  Assignments evaluate(const MachineInstr &MI) {
    Assignments Result;
    const RegisterUnits To = MI.getNumOperands() && MI.getOperand(0).isReg()
                                 ? unitsOf(MI.getOperand(0).getReg().asMCReg())
                                 : RegisterUnits();
    auto set = [&](std::optional<uint64_t> Word, unsigned First = 0) {
      for (unsigned I = First; Word && I < To.Count && I < First + 2; ++I)
        Result.push_back(
            {To.First + I, {false, uint32_t(*Word >> (32 * (I - First)))}});
    };
    auto copy = [&](unsigned I) {
      if (std::optional<Value> From = half(MI.getOperand(1), I);
          From && I < To.Count)
        Result.push_back({To.First + I, *From});
    };
    auto sum = [&](std::optional<uint64_t> Carry) {
      auto A = source(MI.getOperand(1)), B = source(MI.getOperand(2));
      if (!A || !B || !Carry)
        return;
      uint64_t Sum = uint64_t(uint32_t(*A)) + uint32_t(*B) + *Carry;
      set(uint32_t(Sum));
      Result.push_back({RegisterSet::SCC, {false, uint32_t(Sum >> 32)}});
    };
    switch (MI.getOpcode()) {
    case AMDGPU::S_GETPC_B64:
      if (auto PC = Env.AddressOf(MI))
        set(*PC + 4);
      break;
    case AMDGPU::S_MOV_B64:
      copy(1);
      [[fallthrough]];
    case AMDGPU::S_MOV_B32:
      copy(0);
      break;
    case AMDGPU::S_MOVK_I32: // LLVM may hold its constant without the sign.
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
    case AMDGPU::S_LOAD_DWORDX2_IMM:
    case AMDGPU::S_LOAD_DWORDX2_SGPR:
    case AMDGPU::S_LOAD_DWORDX2_SGPR_IMM:
    case AMDGPU::S_LOAD_DWORDX4_IMM:
    case AMDGPU::S_LOAD_DWORDX4_SGPR:
    case AMDGPU::S_LOAD_DWORDX4_SGPR_IMM:
      if (auto From = scalarAddress(MI); From && Env.PointerAt)
        for (unsigned I = 0; I < To.Count; I += 2)
          set(Env.PointerAt(*From + 4 * I), I);
      break;
    case AMDGPU::V_WRITELANE_B32:
      if (MaySkip)
        break;
      if (auto Word = half(MI.getOperand(1), 0))
        if (auto Lane = source(MI.getOperand(2)))
          Result.push_back({laneKey(To, laneOf(MI, *Lane)), *Word});
      break;
    case AMDGPU::V_READLANE_B32:
      if (MaySkip)
        break;
      // Encodings exist that read a constant.
      if (auto Lane = source(MI.getOperand(2));
          Lane && To.Count && MI.getOperand(1).isReg())
        if (auto Word =
                value(laneKey(unitsOf(MI.getOperand(1).getReg().asMCReg()),
                              laneOf(MI, *Lane))))
          Result.push_back({To.First, *Word});
      break;
    default:
      break;
    }
    return Result;
  }

  /// Of what v_readlane and v_writelane are given, the wave's lanes count.
  static unsigned laneOf(const MachineInstr &MI, uint64_t Number) {
    const bool IsWave64 =
        MI.getMF()->getSubtarget().hasFeature(AMDGPU::FeatureWavefrontSize64);
    return Number % (IsWave64 ? 64 : 32);
  }

  /// Drops what \p MI writes.
  void forget(const MachineInstr &MI, std::optional<uint64_t> Callee) {
    if (indexedOperandsOf(MI).Written || vectorModeAfter(MI, VectorMode::Index))
      return State.clear(); // Until it is known to be off, anything.
    if (MI.isCall()) {
      if (!Env.ChangedBy)
        return State.clear();
      State.erase(Env.ChangedBy(Callee));
    }
    for (const MachineOperand &MO : MI.operands())
      if (MO.isReg() && MO.isDef() && MO.getReg())
        forget(MI, unitsOf(MO.getReg().asMCReg()));
  }

  void forget(const MachineInstr &MI, RegisterUnits Units) {
    const bool IsOneLane =
        MI.getOpcode() == AMDGPU::V_WRITELANE_B32 && MI.getOperand(2).isImm();
    for (unsigned U = Units.First; U < Units.First + Units.Count; ++U) {
      if (U < RegisterSet::FirstVGPR)
        State.eraseUnit(U);
      else if (IsOneLane)
        State.eraseLanes(laneKey({uint16_t(U), 1, false},
                                 laneOf(MI, MI.getOperand(2).getImm())),
                         1);
      else
        State.eraseLanes(laneKey({uint16_t(U), 1, false}, 0), LanesPerVGPR);
    }
  }

  Values &State;
  const Environment &Env;
  const bool MaySkip;
};

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

/// Vector instructions may do nothing on some way through \p MF.
static bool skipsVectors(const MachineFunction &MF) {
  return any_of(MF, [](const MachineBasicBlock &MBB) {
    return any_of(MBB, [](const MachineInstr &MI) {
      return vectorModeAfter(MI, VectorMode::Skip).value_or(false);
    });
  });
}

ScalarConstants ScalarConstants::run(const MachineFunction &MF,
                                     const Environment &Env) {
  ScalarConstants Result;
  const bool MaySkip = skipsVectors(MF);
  // Blocks that control has not reached yet have no entry.
  DenseMap<const MachineBasicBlock *, Values> Starts(MF.size());
  SetVector<const MachineBasicBlock *> Work;
  for (const MachineBasicBlock &MBB : MF)
    // Others may be entered from where nothing is known.
    if (MBB.pred_empty() || &MBB == &MF.front()) {
      Starts[&MBB];
      Work.insert(&MBB);
    }
  for (unsigned I = 0; I < NumSGPRs; ++I)
    Starts[&MF.front()].set(I, {true, I});
  auto record = [&](const MachineInstr &MI, const Interpreter &State) {
    // A block may be looked at again, knowing less.
    Result.Targets.erase(&MI);
    Result.EntryPairs.erase(&MI);
    RegisterSet &Kept = Result.Kept[&MI] = RegisterSet();
    for (unsigned I = 0; I < NumSGPRs; ++I)
      if (State.value(I) == Value{true, I})
        Kept.addSGPR(I);
    if (MI.getOpcode() == AMDGPU::S_CALL_B64) {
      if (auto PC = Env.AddressOf(MI); PC && MI.getOperand(1).isImm())
        Result.Targets[&MI] =
            *PC + 4 + 4 * SignExtend64<16>(MI.getOperand(1).getImm());
      return;
    }
    const unsigned Source = MI.getOpcode() == AMDGPU::S_SWAPPC_B64;
    if (!MI.getOperand(Source).isReg())
      return;
    const MCRegister Reg = MI.getOperand(Source).getReg().asMCReg();
    if (auto Target = State.pair(Reg)) {
      Result.Targets[&MI] = *Target;
      return;
    }
    const RegisterUnits Units = unitsOf(Reg);
    auto Low = State.value(Units.First), High = State.value(Units.First + 1);
    if (Units.Count == 2 && Low && High && Low->IsFromEntry &&
        *High == Value{true, Low->Word + 1})
      Result.EntryPairs[&MI] = Low->Word;
  };
  while (!Work.empty()) {
    const MachineBasicBlock *MBB = Work.pop_back_val();
    Values State = Starts[MBB];
    Interpreter Interpret(State, Env, MaySkip);
    for (const MachineInstr &MI : *MBB) {
      if (isTransfer(MI))
        record(MI, Interpret);
      Interpret.run(MI, Result.targetOf(MI));
    }
    for (const MachineBasicBlock *Next : MBB->successors()) {
      auto [It, IsNew] = Starts.try_emplace(Next, State);
      if (IsNew || It->second.meet(State))
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

std::optional<unsigned>
ScalarConstants::entryPairOf(const MachineInstr &MI) const {
  auto It = EntryPairs.find(&MI);
  return It == EntryPairs.end() ? std::nullopt : std::optional(It->second);
}

} // namespace luthier
