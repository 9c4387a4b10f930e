// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/InsertionPointResolver.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "lift/LiftedImpl.h"
#include "luthier/Refusal.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier {

static bool endsWave(const MachineInstr &MI) {
  return MI.getOpcode() == AMDGPU::S_ENDPGM ||
         MI.getOpcode() == AMDGPU::S_ENDPGM_SAVED;
}

static Error noPoint(const Twine &Why) {
  return refuse(RefusalReason::NoInsertionPoint, Why);
}

static std::string nameOf(const MachineBasicBlock &MBB) {
  return ("bb." + Twine(MBB.getNumber())).str();
}

InsertionPointResolver::InsertionPointResolver(const LiftedRepresentation &LR)
    : LR(LR), Legal(InsertionLegality::run(LR)) {
  // Blocks are far fewer.
  Parts.reserve(LR.impl().Origins.size() + LR.impl().Origins.size() / 4);
  for (const auto &[Symbol, MF] : LR.functions()) {
    Parts.insert(MF);
    for (const MachineBasicBlock &MBB : *MF) {
      Parts.insert(&MBB);
      for (const MachineInstr &MI : MBB.instrs())
        Parts.insert(&MI);
    }
  }
}

Error InsertionPointResolver::checkIsThere(
    const detail::InsertionRequest &I) const {
  const std::pair<const void *, const char *> Named[] = {{I.MI, "instruction"},
                                                         {I.Block, "block"},
                                                         {I.To, "block"},
                                                         {I.MF, "function"}};
  for (auto [Part, What] : Named)
    if (Part && !Parts.contains(Part))
      return noPoint(Twine("there is no such ") + What +
                     " in the kernel: it was removed, or is of another "
                     "LiftedRepresentation");
  return Error::success();
}

/// Jumps through registers to a known place are written as branches, unless a
/// tool has changed them.
bool InsertionPointResolver::becomesBranch(const MachineInstr &MI) const {
  const ControlTransfer *Transfer = LR.transferOf(MI);
  return Transfer && Transfer->Kind == ControlTransfer::Jump &&
         !LR.impl().isChanged(MI);
}

/// By a return, tail call or end of the wave. A jump to an unknown place
/// counts: it is one of these, unless it goes through a jump table.
bool InsertionPointResolver::leavesFunction(const MachineInstr &MI) const {
  if (endsWave(MI))
    return true;
  const ControlTransfer *Transfer = LR.transferOf(MI);
  return Transfer && Transfer->Kind != ControlTransfer::Call &&
         Transfer->Kind != ControlTransfer::UnresolvedCall &&
         !becomesBranch(MI);
}

Error InsertionPointResolver::before(const MachineInstr &MI,
                                     Points &Result) const {
  Expected<const MachineInstr *> Anchor = Legal.anchorOf(MI);
  if (!Anchor)
    return Anchor.takeError();
  Result.push_back({InsertionPoint::before(**Anchor), &MI});
  return Error::success();
}

Error InsertionPointResolver::leaving(const MachineInstr &MI,
                                      Points &Result) const {
  const ControlTransfer *Transfer = LR.transferOf(MI);
  if (!Transfer || !Transfer->isUnresolved())
    return noPoint("control does not leave for other code there");
  if (!Transfer->FollowsPointer || LR.impl().isChanged(MI))
    return before(MI, Result);
  Result.push_back({InsertionPoint::leaving(MI), &MI});
  return Error::success();
}

Error InsertionPointResolver::edge(const MachineBasicBlock &From,
                                   const MachineBasicBlock &To,
                                   Points &Result) const {
  if (!From.isSuccessor(&To))
    return noPoint(nameOf(To) + " does not follow " + nameOf(From));
  if (!From.empty() && From.back().isIndirectBranch() &&
      !becomesBranch(From.back()))
    return noPoint("the jump at the end of " + nameOf(From) +
                   " goes through a register");
  if (!Legal.isLegalBehind(From))
    return noPoint("nothing can be inserted behind " + nameOf(From));
  Result.push_back({InsertionPoint::edge(From, To)});
  return Error::success();
}

Error InsertionPointResolver::after(const MachineInstr &MI,
                                    Points &Result) const {
  const MachineBasicBlock &MBB = *MI.getParent();
  if (leavesFunction(MI))
    return noPoint("control does not come back behind the instruction that "
                   "ends " +
                   nameOf(MBB));
  if (MI.isTerminator() && &MI != &MBB.back())
    return noPoint(nameOf(MBB) + " has several terminators");
  const MachineInstr *Next = nullptr;
  if (!MI.isTerminator()) {
    Expected<const MachineInstr *> Anchor = Legal.anchorAfter(MI);
    if (!Anchor)
      return Anchor.takeError();
    Next = *Anchor;
  }
  if (Next) {
    Result.push_back({InsertionPoint::before(*Next), &MI, true});
    return Error::success();
  }
  if (MBB.succ_empty())
    return noPoint("nothing is known to follow " + nameOf(MBB));
  for (const MachineBasicBlock *To : MBB.successors()) {
    if (Error E = edge(MBB, *To, Result))
      return E;
    Result.back().Instruction = &MI;
    Result.back().IsAfter = true;
  }
  return Error::success();
}

Error InsertionPointResolver::blockEnd(const MachineBasicBlock &MBB,
                                       Points &Result) const {
  auto Terminator = MBB.getFirstTerminator();
  if (Terminator != MBB.end())
    return before(*Terminator, Result);
  if (MBB.empty())
    return noPoint(nameOf(MBB) + " is empty");
  return after(MBB.back(), Result);
}

Error InsertionPointResolver::beforeEach(
    const MachineFunction &MF, function_ref<bool(const MachineInstr &)> Leaves,
    Points &Result) const {
  for (const MachineBasicBlock &MBB : MF)
    for (const MachineInstr &MI : MBB)
      if (Leaves(MI))
        if (Error E = before(MI, Result))
          return E;
  return Error::success();
}

/// A wave that gives its vector registers back does so once, and ends after it.
Error InsertionPointResolver::waveEnd(const MachineFunction &MF,
                                      Points &Result) const {
  for (const MachineBasicBlock &MBB : MF) {
    bool Deallocated = Legal.isEnteredDeallocated(MBB);
    for (const MachineInstr &MI : MBB) {
      const bool Deallocates = Legal.deallocatesVGPRs(MI);
      if (!Deallocated && (Deallocates || endsWave(MI)))
        if (Error E = before(MI, Result))
          return E;
      Deallocated |= Deallocates;
    }
  }
  return Error::success();
}

Expected<SmallVector<ResolvedInsertion, 1>>
InsertionPointResolver::resolve(const detail::InsertionRequest &I) const {
  if (Error E = checkIsThere(I))
    return std::move(E);
  SmallVector<ResolvedInsertion, 1> Result;
  if (Error E = find(I, Result))
    return std::move(E);
  return Result;
}

Error InsertionPointResolver::find(const detail::InsertionRequest &I,
                                   Points &Result) const {
  switch (I.Kind) {
  case PointKind::BeforeInstruction:
    return before(*I.MI, Result);
  case PointKind::AfterInstruction:
    return after(*I.MI, Result);
  case PointKind::BlockBegin:
    if (I.Block->empty())
      return noPoint(nameOf(*I.Block) + " is empty");
    return before(I.Block->front(), Result);
  case PointKind::BlockEnd:
    return blockEnd(*I.Block, Result);
  case PointKind::Edge:
    return edge(*I.Block, *I.To, Result);
  case PointKind::FunctionEntry:
    Result.push_back({InsertionPoint::entry(*I.MF)});
    return Error::success();
  case PointKind::KernelEntry:
    Result.push_back({InsertionPoint::entry(*LR.functions().front().second)});
    return Error::success();
  case PointKind::Leaving:
    return leaving(*I.MI, Result);
  case PointKind::FunctionExit:
    return beforeEach(
        *I.MF, [&](const MachineInstr &MI) { return leavesFunction(MI); },
        Result);
  case PointKind::Endpgm:
    for (const auto &[Symbol, MF] : LR.functions())
      if (Error E = beforeEach(*MF, endsWave, Result))
        return E;
    return Error::success();
  case PointKind::WaveEnd:
    for (const auto &[Symbol, MF] : LR.functions())
      if (Error E = waveEnd(*MF, Result))
        return E;
    return Error::success();
  }
  llvm_unreachable("every kind of point is handled");
}

} // namespace luthier
