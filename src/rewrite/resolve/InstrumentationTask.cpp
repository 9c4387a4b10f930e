// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/InstrumentationTask.h"
#include "luthier/Refusal.h"
#include "llvm/IR/Constants.h"

using namespace llvm;

namespace luthier {

std::optional<uint64_t> HookArgument::integer() const {
  if (K != Kind::Constant)
    return std::nullopt;
  if (!C)
    return Number;
  if (const auto *Int = dyn_cast<ConstantInt>(C);
      Int && Int->getBitWidth() <= 64)
    return Int->getZExtValue();
  if (const auto *FP = dyn_cast<ConstantFP>(C)) {
    APInt Bits = FP->getValueAPF().bitcastToAPInt();
    if (Bits.getBitWidth() <= 64)
      return Bits.getZExtValue();
  }
  return std::nullopt;
}

Error InstrumentationTask::add(Insertion Where, const void *Hook,
                               Arguments Args) {
  if (!Hook)
    return refuse(RefusalReason::UnknownHook, "the hook handle is null");
  Where.Hook = Hook;
  Where.Arguments.assign(Args.begin(), Args.end());
  Insertions.push_back(std::move(Where));
  return Error::success();
}

Error InstrumentationTask::insertHookBefore(const MachineInstr &MI,
                                            const void *Hook, Arguments Args) {
  return add({.Kind = PointKind::BeforeInstruction, .MI = &MI}, Hook, Args);
}

Error InstrumentationTask::insertHookAfter(const MachineInstr &MI,
                                           const void *Hook, Arguments Args) {
  return add({.Kind = PointKind::AfterInstruction, .MI = &MI}, Hook, Args);
}

Error InstrumentationTask::insertHookAtBlockBegin(const MachineBasicBlock &MBB,
                                                  const void *Hook,
                                                  Arguments Args) {
  return add({.Kind = PointKind::BlockBegin, .Block = &MBB}, Hook, Args);
}

Error InstrumentationTask::insertHookAtBlockEnd(const MachineBasicBlock &MBB,
                                                const void *Hook,
                                                Arguments Args) {
  return add({.Kind = PointKind::BlockEnd, .Block = &MBB}, Hook, Args);
}

Error InstrumentationTask::insertHookOnEdge(const MachineBasicBlock &From,
                                            const MachineBasicBlock &To,
                                            const void *Hook, Arguments Args) {
  return add({.Kind = PointKind::Edge, .Block = &From, .To = &To}, Hook, Args);
}

Error InstrumentationTask::insertHookAtFunctionEntry(const MachineFunction &MF,
                                                     const void *Hook,
                                                     Arguments Args) {
  return add({.Kind = PointKind::FunctionEntry, .MF = &MF}, Hook, Args);
}

Error InstrumentationTask::insertHookAtFunctionExits(const MachineFunction &MF,
                                                     const void *Hook,
                                                     Arguments Args) {
  return add({.Kind = PointKind::FunctionExit, .MF = &MF}, Hook, Args);
}

Error InstrumentationTask::insertHookAtKernelEntry(const void *Hook,
                                                   Arguments Args) {
  return add({.Kind = PointKind::KernelEntry}, Hook, Args);
}

Error InstrumentationTask::insertHookAtEndpgm(const void *Hook,
                                              Arguments Args) {
  return add({.Kind = PointKind::Endpgm}, Hook, Args);
}

Error InstrumentationTask::insertHookAtWaveEnd(const void *Hook,
                                               Arguments Args) {
  return add({.Kind = PointKind::WaveEnd}, Hook, Args);
}

} // namespace luthier
