// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/ControlFlow.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "analysis/AnnotatedPrinter.h"
#include "llvm/ADT/GenericCycleImpl.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineCycleAnalysis.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier {

BlockEnd endOf(const MachineBasicBlock &MBB, const LiftedRepresentation &LR) {
  if (!MBB.succ_empty())
    return BlockEnd::Successors;
  if (MBB.empty())
    return BlockEnd::RunsOn;
  const MachineInstr &Last = MBB.back();
  if (Last.getOpcode() == AMDGPU::S_ENDPGM ||
      Last.getOpcode() == AMDGPU::S_ENDPGM_SAVED)
    return BlockEnd::Program;
  const ControlTransfer *Transfer = LR.transferOf(Last);
  if (!Transfer || Last.isCall())
    return Last.isBarrier() ? BlockEnd::UnknownJump : BlockEnd::RunsOn;
  switch (Transfer->Kind) {
  case ControlTransfer::Return:
    return BlockEnd::Return;
  case ControlTransfer::TailCall:
    return BlockEnd::TailCall;
  default:
    return BlockEnd::UnknownJump;
  }
}

DenseSet<const MachineBasicBlock *> reachedBlocks(const MachineFunction &MF) {
  DenseSet<const MachineBasicBlock *> Result;
  SmallVector<const MachineBasicBlock *> Work;
  if (!MF.empty()) {
    Result.insert(&MF.front());
    Work.push_back(&MF.front());
  }
  while (!Work.empty())
    for (const MachineBasicBlock *Next : Work.pop_back_val()->successors())
      if (Result.insert(Next).second)
        Work.push_back(Next);
  return Result;
}

static StringRef textOf(BlockEnd End) {
  switch (End) {
  case BlockEnd::Successors:
    return "";
  case BlockEnd::Program:
    return " ends the program";
  case BlockEnd::Return:
    return " returns";
  case BlockEnd::TailCall:
    return " calls another function for good";
  case BlockEnd::UnknownJump:
    return " jumps to an unknown place";
  case BlockEnd::RunsOn:
    return " runs on past the function";
  }
  llvm_unreachable("not an end");
}

bool isEnteredOnce(const LiftedRepresentation &LR) {
  const MachineFunction *Kernel = LR.functions().front().second;
  return none_of(LR.controlTransfers(),
                 [&](const ControlTransfer &T) { return T.Callee == Kernel; });
}

DenseSet<const MachineBasicBlock *>
blocksBeforeLoops(const LiftedRepresentation &LR) {
  MachineFunction &MF = *LR.functions().front().second;
  DenseSet<const MachineBasicBlock *> Result;
  if (!isEnteredOnce(LR))
    return Result;
  MachineCycleInfo Cycles;
  Cycles.compute(MF);
  SmallVector<const MachineBasicBlock *> Work;
  auto isBehind = [&](const MachineBasicBlock *MBB) {
    if (Result.erase(MBB))
      Work.push_back(MBB);
  };
  Result = reachedBlocks(MF);
  for (const MachineBasicBlock &MBB : MF)
    if (Cycles.getCycle(&MBB) ||
        any_of(MBB, [](const MachineInstr &MI) { return MI.isCall(); }))
      isBehind(&MBB);
  while (!Work.empty())
    for_each(Work.pop_back_val()->successors(), isBehind);
  return Result;
}

void printControlFlow(const LiftedRepresentation &LR, raw_ostream &OS) {
  for (const auto &[Symbol, MF] : LR.functions()) {
    printHeading(LR, Symbol, OS);
    const auto Reached = reachedBlocks(*MF);
    for (const MachineBasicBlock &MBB : *MF) {
      OS << "bb." << MBB.getNumber() << " at "
         << format_hex(
                MBB.empty() ? 0 : LR.originalAddress(MBB.front()).value_or(0),
                6)
         << ", " << MBB.size() << " instructions:";
      OS << textOf(endOf(MBB, LR));
      ListSeparator Comma(",");
      for (const MachineBasicBlock *Next : MBB.successors())
        OS << Comma << " to bb." << Next->getNumber();
      if (!Reached.contains(&MBB))
        OS << "  # not reached";
      OS << '\n';
    }
  }
}

} // namespace luthier
