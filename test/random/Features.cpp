// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Features.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "RandomCase.h"
#include "SIInstrInfo.h"
#include "analysis/RegisterUse.h"
#include "lift/LiftedImpl.h"
#include "luthier/MemoryAccess.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace luthier::test {
namespace {

/// What is in the names of instructions.
struct Word {
  const char *InName;
  const char *Feature;
};
constexpr Word Words[] = {
    {"_DPP", "DPP"},
    {"_dpp", "DPP"},
    {"_SDWA", "SDWA"},
    {"_sdwa", "SDWA"},
    {"V_PK_", "packed operations"},
    {"V_MFMA", "matrix operations"},
    {"V_WMMA", "matrix operations"},
    {"_ACCVGPR_", "accumulation registers"},
    {"S_SET_GPR_IDX_ON", "GPR index mode"},
    {"V_MOVREL", "GPRs by index"},
    {"S_CLAUSE", "clauses"},
    {"S_SETREG", "MODE written"},
    {"S_ROUND_MODE", "MODE written"},
    {"S_DENORM_MODE", "MODE written"},
    {"S_BARRIER", "barriers"},
    {"_ATOMIC_", "atomics"},
    {"V_CMPX", "v_cmpx"},
    {"V_DUAL", "dual issue"},
    {"V_READLANE", "lanes by number"},
    {"V_WRITELANE", "lanes by number"},
    {"PERMUTE_B32", "lanes exchanged"},
    {"V_SWAP", "lanes exchanged"},
    {"S_GETPC", "own position"},
    {"_SAVEEXEC", "EXEC saved"},
    {"WAITCNT_DEPCTR", "hazards handled"},
};

class Collector {
public:
  explicit Collector(const LiftedRepresentation &LR)
      : LR(LR), Names(LR.impl().Target->instructions()) {}

  Features run() {
    for (const auto &[Symbol, MF] : LR.functions())
      function(*MF);
    transfers();
    registers();
    return std::move(Found);
  }

private:
  void function(MachineFunction &MF);
  void instruction(const MachineInstr &MI);
  void memory(const MachineInstr &MI);
  void cycles(MachineFunction &MF);
  void visit(const MachineBasicBlock &MBB, const MachineDominatorTree &Tree);
  void transfers();
  void registers();

  const LiftedRepresentation &LR;
  const MCInstrInfo &Names;
  Features Found;
  /// Blocks seen, and those on the way to the present one.
  DenseSet<const MachineBasicBlock *> Seen, Path;
  DenseSet<unsigned> OpcodesSeen;
};

void Collector::memory(const MachineInstr &MI) {
  for (unsigned N = 0; N != countMemoryAccesses(MI); ++N)
    switch (spaceOf(memoryAccessKind(MI, N))) {
    case MemorySpace::LDS:
      Found.insert("LDS");
      break;
    case MemorySpace::Scratch:
      Found.insert("scratch instructions");
      break;
    case MemorySpace::Buffer:
      Found.insert("buffer instructions");
      break;
    case MemorySpace::Flat:
      Found.insert("flat instructions");
      break;
    default:
      break;
    }
}

void Collector::instruction(const MachineInstr &MI) {
  if (!OpcodesSeen.insert(MI.getOpcode()).second)
    return;
  const StringRef Name = Names.getName(MI.getOpcode());
  for (const Word &W : Words)
    if (Name.contains(W.InName))
      Found.insert(W.Feature);
  if (Name.contains("F64"))
    Found.insert("64-bit floating point");
  memory(MI);
}

/// Edges back to a block that other ways lead past make a cycle irreducible.
void Collector::visit(const MachineBasicBlock &MBB,
                      const MachineDominatorTree &Tree) {
  Seen.insert(&MBB);
  Path.insert(&MBB);
  for (const MachineBasicBlock *To : MBB.successors())
    if (Path.contains(To))
      Found.insert(Tree.dominates(To, &MBB) ? "loops" : "irreducible loops");
    else if (!Seen.contains(To))
      visit(*To, Tree);
  Path.erase(&MBB);
}

void Collector::cycles(MachineFunction &MF) {
  if (MF.size() < 2)
    return;
  MachineDominatorTree Tree(MF);
  visit(MF.front(), Tree);
}

void Collector::function(MachineFunction &MF) {
  unsigned Ends = 0;
  for (const MachineBasicBlock &MBB : MF)
    for (const MachineInstr &MI : MBB) {
      instruction(MI);
      Ends += MI.getOpcode() == AMDGPU::S_ENDPGM;
      if (MI.isConditionalBranch())
        Found.insert("branches");
    }
  if (Ends > 1)
    Found.insert("several ends");
  cycles(MF);
}

void Collector::transfers() {
  for (const ControlTransfer &T : LR.controlTransfers())
    switch (T.Kind) {
    case ControlTransfer::Call:
      Found.insert("calls");
      if (T.Callee == T.MI->getMF())
        Found.insert("recursion");
      break;
    case ControlTransfer::TailCall:
      Found.insert("tail calls");
      break;
    case ControlTransfer::UnresolvedCall:
    case ControlTransfer::UnresolvedJump:
      Found.insert(T.FollowsPointer ? "calls through pointers" : UnknownCode);
      break;
    default:
      break;
    }
}

void Collector::registers() {
  const LiftedRepresentation::Impl &Impl = LR.impl();
  const KernelDescriptor &D = Impl.Kernel->Descriptor;
  const RegisterFileTraits &Traits =
      *registerFileTraits(Impl.Object->target().Processor);
  const RegisterUse Use = registerUse(LR);
  // Code that calls pointers may use a few less.
  if (Use.VGPRs + 4 > Traits.AddressableVGPRs)
    Found.insert("all VGPRs");
  else if (Use.VGPRs + 4 > D.allocatedVGPRs(Traits))
    Found.insert("all allocated VGPRs");
  if (Use.AGPRs + 4 > Traits.AddressableVGPRs)
    Found.insert("all AGPRs");
  if (Use.SGPRs + 2 > Traits.AddressableSGPRs)
    Found.insert("all SGPRs");
  if (D.usesDynamicStack())
    Found.insert("dynamic stack");
  Found.insert(D.usesWave32() ? "waves of 32" : "waves of 64");
}

} // namespace

Features featuresOf(const LiftedRepresentation &LR) {
  return Collector(LR).run();
}

Features featuresOf(const KernelLaunch &Launch) {
  Features Found;
  if (Launch.DynamicLds)
    Found.insert("dynamic LDS");
  for (unsigned Axis = 0; Axis != 3; ++Axis)
    if (Launch.Grid[Axis] % Launch.Workgroup[Axis])
      Found.insert("partial workgroups");
  return Found;
}

Features featuresOf(const InstrumentationReport &Report) {
  Features Found;
  if (Report.Storage)
    Found.insert("hooks' state in " + spelling(*Report.Storage));
  if (Report.SavedSGPRs)
    Found.insert("hooks borrow SGPRs");
  if (Report.SavedVGPRs)
    Found.insert("hooks borrow VGPRs");
  if (Report.StackBytes)
    Found.insert("hooks have a stack");
  return Found;
}

} // namespace luthier::test
