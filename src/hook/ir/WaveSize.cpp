// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/WaveSize.h"
#include "amdgpu/TargetTraits.h"
#include "luthier/Refusal.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace luthier {

unsigned waveSizeOf(const Module &M) {
  for (const Function &F : M) {
    if (!F.hasFnAttribute("luthier_hook"))
      continue;
    StringRef Features = F.getFnAttribute("target-features").getValueAsString();
    if (Features.contains("+wavefrontsize64"))
      return 64;
    if (Features.contains("+wavefrontsize32"))
      return 32;
    StringRef Processor = F.getFnAttribute("target-cpu").getValueAsString();
    if (const RegisterFileTraits *Traits = registerFileTraits(Processor))
      return Traits->WaveSize;
  }
  return 0;
}

static bool addsUpperHalf(const User *U) {
  auto *Call = dyn_cast<CallInst>(U);
  return Call && Call->getIntrinsicID() == Intrinsic::amdgcn_mbcnt_hi;
}

/// Counts all lanes below one's own.
static bool isLaneNumber(const CallInst &Call) {
  auto *Mask = dyn_cast<ConstantInt>(Call.getArgOperand(0));
  return Mask && Mask->isMinusOne();
}

/// Means the same in both sizes, or can be made to. A mask of 64 bits has zeros
/// for lanes that do not exist.
static bool isNeutral(const CallInst &Call) {
  switch (Call.getIntrinsicID()) {
  case Intrinsic::amdgcn_readfirstlane:
  case Intrinsic::amdgcn_wavefrontsize:
  case Intrinsic::amdgcn_s_sleep:
  case Intrinsic::amdgcn_wave_barrier:
    return true;
  case Intrinsic::amdgcn_ballot:
  case Intrinsic::amdgcn_icmp:
  case Intrinsic::amdgcn_fcmp:
    return Call.getType()->isIntegerTy(64);
  case Intrinsic::amdgcn_mbcnt_lo:
    return isLaneNumber(Call) || any_of(Call.users(), addsUpperHalf);
  default:
    return !Call.getCalledFunction()->isIntrinsic() || !Call.isConvergent();
  }
}

static Error checkWaveSize(const Function &F, unsigned Compiled,
                           unsigned Actual) {
  if (Compiled == Actual || !Compiled)
    return Error::success();
  for (const Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallInst>(&I);
    if (Call && Call->getCalledFunction() && !isNeutral(*Call))
      return refuse(RefusalReason::WaveSize,
                    "a hook compiled for waves of " + Twine(Compiled) +
                        " lanes uses " + Call->getCalledFunction()->getName() +
                        " in a kernel with waves of " + Twine(Actual));
  }
  return Error::success();
}

static void lowerWaveSize(Function &F, unsigned Compiled, unsigned Actual) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Call = dyn_cast<CallInst>(&I);
    if (!Call)
      continue;
    if (Call->getIntrinsicID() == Intrinsic::amdgcn_wavefrontsize) {
      Call->replaceAllUsesWith(ConstantInt::get(Call->getType(), Actual));
      Call->eraseFromParent();
    } else if (Compiled == 32 && Actual == 64 &&
               Call->getIntrinsicID() == Intrinsic::amdgcn_mbcnt_lo &&
               none_of(Call->users(), addsUpperHalf)) {
      // In waves of 32 lanes, the lower half is all there is to count.
      IRBuilder<> B(Call->getNextNode());
      auto *Both = cast<Instruction>(B.CreateIntrinsic(
          Intrinsic::amdgcn_mbcnt_hi, {}, {B.getInt32(-1), Call}));
      Call->replaceUsesWithIf(
          Both, [&](const Use &U) { return U.getUser() != Both; });
    }
  }
}

Error WaveSizePass::run(Function &F, PassContext &C) {
  if (Error E = checkWaveSize(F, C.CompiledWaveSize, C.ABI.WaveSize))
    return E;
  lowerWaveSize(F, C.CompiledWaveSize, C.ABI.WaveSize);
  return Error::success();
}

} // namespace luthier
