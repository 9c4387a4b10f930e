// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/SupportCheck.h"
#include "luthier/Refusal.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

namespace luthier {

/// What has no meaning in the middle of somebody else's code.
static bool isRefused(const Function &Intrinsic) {
  switch (Intrinsic.getIntrinsicID()) {
  case Intrinsic::frameaddress:
  case Intrinsic::returnaddress:
  case Intrinsic::amdgcn_implicit_buffer_ptr:
  case Intrinsic::amdgcn_groupstaticsize:
  case Intrinsic::amdgcn_s_setreg:
  case Intrinsic::amdgcn_endpgm:
  case Intrinsic::read_register: // But see lowerReadOfExec().
  case Intrinsic::write_register:
  case Intrinsic::read_volatile_register:
    return true;
  default:
    return Intrinsic.getName().starts_with("llvm.amdgcn.s.barrier");
  }
}

Error SupportCheckPass::run(Function &F, PassContext &) {
  for (const Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || Call->isInlineAsm())
      continue;
    const Function *Callee = Call->getCalledFunction();
    if (!Callee)
      return refuse(RefusalReason::UnsupportedHook,
                    "a hook calls through a pointer");
    if (!Callee->isIntrinsic())
      return refuse(RefusalReason::UnsupportedHook,
                    "a hook calls " + Callee->getName() +
                        ", which is not inlined");
    if (isRefused(*Callee))
      return refuse(RefusalReason::UnsupportedHook,
                    "a hook uses " + Callee->getName());
  }
  return Error::success();
}

} // namespace luthier
