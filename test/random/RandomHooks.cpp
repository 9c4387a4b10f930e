// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomHooks.h"
#include "Dice.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "RandomHookText.h"
#include "RandomScalars.h"
#include "amdgpu/RegisterFiles.h"
#include "lift/LiftedImpl.h"
#include "luthier/MemoryAccess.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier::test {

TestHooks hooksFor(const RandomCase &Case) {
  static const TestHooks Counting = cantFail(hooksFromIR(CountingHooks)),
                         Accumulating =
                             cantFail(hooksFromIR(AccumulatingHooks)),
                         Others = cantFail(hooksFromIR(MixedHooks));
  switch (Case.How) {
  case Way::Scramble:
  case Way::Count:
  case Way::Blocks:
    return Counting;
  case Way::Accumulate:
    return Accumulating;
  case Way::Stack:
  case Way::Mixed:
    return Others;
  case Way::Scalars:
    return cantFail(hooksFromIR(std::string(AccumulatingHooks) + SiteHook +
                                ScalarComputation(Case.Seed).hook()));
  }
  llvm_unreachable("every way is handled");
}

namespace {

/// Chooses points, hooks and arguments.
class Mixer {
public:
  Mixer(LiftedRepresentation &LR, InstrumentationTask &Task, uint64_t Seed)
      : LR(LR), Task(Task), Seed(Seed), D(Seed * 11 + 3) {
    for (auto &[Symbol, MF] : LR.functions())
      for (MachineBasicBlock &MBB : *MF)
        for (MachineInstr &MI : MBB)
          All.push_back(&MI);
  }
  void run() {
    for (unsigned N = D.between(3, 24); N; --N)
      insert(*All[D.below(All.size())]);
    // Came later: seeds that have found something keep their meaning.
    if (Seed % 4 == 1)
      for (unsigned N = D.between(2, 10); N; --N)
        insertWide(*All[D.below(All.size())]);
  }

private:
  using Arguments = SmallVector<HookArgument, 4>;
  struct Call {
    const char *Hook;
    Arguments Values = {};
  };

  void insert(MachineInstr &MI);
  void insertWide(MachineInstr &MI);
  void onEdge(MachineBasicBlock &MBB);
  bool hasPlaceBehind(const MachineInstr &MI) const;
  Call anyCall();
  Call callAbout(const MachineInstr &MI);
  HookArgument value();
  HookArgument valueAbout(const MachineInstr &MI);

  LiftedRepresentation &LR;
  InstrumentationTask &Task;
  const uint64_t Seed;
  Dice D;
  SmallVector<MachineInstr *, 0> All;
};

HookArgument Mixer::value() {
  constexpr unsigned Special[] = {AMDGPU::VCC, AMDGPU::SCC, AMDGPU::M0,
                                  AMDGPU::MODE, AMDGPU::EXEC};
  switch (D.below(4)) {
  case 0:
    return HookArgument(D.below(8));
  case 1:
    return HookArgument(uint64_t(D.bits()) << 32 | D.bits());
  default: {
    unsigned Reg = Special[D.below(std::size(Special))];
    if (LR.impl().Kernel->Descriptor.usesWave32())
      Reg = Reg == AMDGPU::VCC    ? AMDGPU::VCC_LO
            : Reg == AMDGPU::EXEC ? AMDGPU::EXEC_LO
                                  : Reg;
    return HookArgument(MCRegister(Reg));
  }
  }
}

HookArgument Mixer::valueAbout(const MachineInstr &MI) {
  const HookArgument Facts[] = {HookArgument::pc(), HookArgument::opcode(),
                                HookArgument::mnemonic(), HookArgument::size(),
                                HookArgument::block()};
  if (unsigned Count = countMemoryAccesses(MI); Count && D.chance(50)) {
    const unsigned N = D.below(Count);
    const HookArgument Access[] = {HookArgument::address(N),
                                   HookArgument::accessSize(N),
                                   HookArgument::accessKind(N)};
    return Access[D.below(3)];
  }
  const amdgpu::RegisterFiles &Files = LR.impl().Target->registerFiles();
  SmallVector<HookArgument, 8> Found;
  for (unsigned N = 0; N != MI.getNumExplicitOperands(); ++N) {
    const MachineOperand &MO = MI.getOperand(N);
    if (!MO.isReg() || !MO.getReg().isPhysical())
      continue;
    const unsigned Count = Files.rangeOf(MO.getReg().asMCReg()).Count;
    if (Count > 2)
      Found.push_back(HookArgument::part(MO.getReg().asMCReg(),
                                         D.below(Count - 1), D.between(1, 2)));
    else if (Count)
      Found.push_back(HookArgument::operand(N));
  }
  if (!Found.empty() && D.chance(75))
    return Found[D.below(Found.size())];
  return Facts[D.below(std::size(Facts))];
}

Mixer::Call Mixer::anyCall() {
  switch (D.below(8)) {
  case 0:
    return {"count"};
  case 1:
    return {"stack", {HookArgument(D.bits())}};
  case 2:
    return {"ids"};
  case 3:
    return {"shared"};
  case 4:
    return {"floats"};
  case 5:
    return {"lanes",
            {HookArgument::activeLanes(),
             HookArgument(MCRegister(LR.impl().Kernel->Descriptor.usesWave32()
                                         ? AMDGPU::EXEC_LO
                                         : AMDGPU::EXEC))}};
  default:
    return {"values", {value(), value(), value()}};
  }
}

Mixer::Call Mixer::callAbout(const MachineInstr &MI) {
  Call C = anyCall();
  for (HookArgument &A : C.Values)
    if (StringRef(C.Hook) == "values" && D.chance(70))
      A = valueAbout(MI);
  return C;
}

bool Mixer::hasPlaceBehind(const MachineInstr &MI) const {
  if (MI.isReturn() || MI.isBarrier())
    return false;
  const ControlTransfer *T = LR.transferOf(MI);
  return !T || T->Kind == ControlTransfer::Call ||
         T->Kind == ControlTransfer::UnresolvedCall;
}

void Mixer::onEdge(MachineBasicBlock &MBB) {
  if (MBB.succ_empty())
    return;
  MachineBasicBlock *To =
      *std::next(MBB.succ_begin(), D.below(MBB.succ_size()));
  const Call C = anyCall();
  cantFail(Task.insertHookOnEdge(MBB, *To, C.Hook, C.Values));
}

/// Hooks of more than 64 bits, or that give registers other values for a while.
void Mixer::insertWide(MachineInstr &MI) {
  const amdgpu::RegisterFiles &Files = LR.impl().Target->registerFiles();
  SmallVector<MCRegister, 8> Tuples, Singles;
  for (const MachineOperand &MO : MI.operands()) {
    if (!MO.isReg() || !MO.getReg().isPhysical())
      continue;
    const MCRegister Reg = MO.getReg().asMCReg();
    const amdgpu::RegisterRange Range = Files.rangeOf(Reg);
    if (Range.Count > 2)
      Tuples.push_back(Reg);
    else if (Range.Count == 1 &&
             !StringRef(LR.impl().Target->registers().getName(Reg))
                  .ends_with("16"))
      Singles.push_back(Reg);
  }
  const HookArgument Value =
      Tuples.empty() ? HookArgument(uint64_t(D.bits()) << 32 | D.bits())
                     : HookArgument(Tuples[D.below(Tuples.size())]);
  if (Singles.empty() || D.chance(40))
    return cantFail(Task.insertHookBefore(MI, "wide", {Value}));
  const HookArgument Reg = Singles[D.below(Singles.size())].id();
  cantFail(Task.insertHookBefore(MI, "flip", {Reg}));
  if (D.chance(50))
    cantFail(Task.insertHookBefore(MI, "wide", {Value}));
  cantFail(Task.insertHookBefore(MI, "flip", {Reg}));
}

void Mixer::insert(MachineInstr &MI) {
  MachineBasicBlock &MBB = *MI.getParent();
  const unsigned Kind = D.below(16);
  if (Kind < 8) {
    // Now and then several at one place.
    for (unsigned N = D.chance(20) ? D.between(2, 4) : 1; N; --N) {
      const Call C = callAbout(MI);
      cantFail(Task.insertHookBefore(MI, C.Hook, C.Values));
    }
    return;
  }
  const Call C = anyCall();
  switch (Kind) {
  case 8:
  case 9:
    if (hasPlaceBehind(MI))
      cantFail(Task.insertHookAfter(MI, C.Hook, C.Values));
    return;
  case 10:
    return cantFail(Task.insertHookAtBlockBegin(MBB, C.Hook, C.Values));
  case 11:
    return cantFail(Task.insertHookAtBlockEnd(MBB, C.Hook, C.Values));
  case 12:
    return onEdge(MBB);
  case 13:
    return cantFail(
        Task.insertHookAtFunctionEntry(*MBB.getParent(), C.Hook, C.Values));
  case 14:
    return cantFail(
        Task.insertHookAtFunctionExits(*MBB.getParent(), C.Hook, C.Values));
  default:
    if (D.chance(50))
      return cantFail(Task.insertHookAtKernelEntry(C.Hook, C.Values));
    return cantFail(Task.insertHookAtWaveEnd(C.Hook, C.Values));
  }
}

} // namespace

/// The computation, and beside it a count of how often it was done.
static void insertScalars(LiftedRepresentation &LR, InstrumentationTask &Task,
                          uint64_t Seed) {
  Dice D(Seed * 13 + 1);
  SmallVector<MachineInstr *, 0> All;
  for (auto &[Symbol, MF] : LR.functions())
    for (MachineBasicBlock &MBB : *MF)
      for (MachineInstr &MI : MBB)
        All.push_back(&MI);
  for (unsigned N = 0; N != NumScalarSites; ++N) {
    MachineInstr &MI = *All[D.below(All.size())];
    const ScalarArguments Values = scalarArguments(Seed, N);
    cantFail(Task.insertHookBefore(MI, "site", {FirstSiteSlot + N}));
    cantFail(
        Task.insertHookBefore(MI, "scalars", {Values.A, Values.B, Values.C}));
  }
  cantFail(Task.insertHookAtWaveEnd(hook("flush")));
}

void insertHooks(LiftedRepresentation &LR, InstrumentationTask &Task,
                 const RandomCase &Case) {
  const Way How = Case.How;
  if (How == Way::Scramble)
    return;
  if (How == Way::Mixed)
    return Mixer(LR, Task, Case.Seed).run();
  if (How == Way::Scalars)
    return insertScalars(LR, Task, Case.Seed);
  if (How == Way::Accumulate)
    cantFail(Task.insertHookAtWaveEnd(hook("flush")));
  unsigned N = 0;
  for (auto &[Symbol, MF] : LR.functions())
    for (MachineBasicBlock &MBB : *MF) {
      if (How == Way::Blocks && !MBB.empty())
        cantFail(Task.insertHookAtBlockBegin(MBB, hook("add"),
                                             {unsigned(MBB.size())}));
      for (MachineInstr &MI : MBB)
        if (How == Way::Count)
          cantFail(Task.insertHookBefore(MI, hook("count")));
        else if (How == Way::Accumulate)
          cantFail(Task.insertHookBefore(MI, hook("accumulate")));
        else if (How == Way::Stack && N++ % 5 == 0)
          cantFail(Task.insertHookBefore(MI, hook("stack"), {N}));
    }
}

} // namespace luthier::test
