// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/InstrumentationTask.h"
#include "luthier/Refusal.h"
#include "llvm/IR/Constants.h"

using namespace llvm;

namespace luthier {

std::optional<uint64_t> HookArgument::integer() const {
  if (const auto *Number = std::get_if<uint64_t>(&Value))
    return *Number;
  const auto *C = std::get_if<Constant *>(&Value);
  if (!C || !*C)
    return std::nullopt;
  if (const auto *Int = dyn_cast<ConstantInt>(*C);
      Int && Int->getBitWidth() <= 64)
    return Int->getZExtValue();
  if (const auto *FP = dyn_cast<ConstantFP>(*C)) {
    APInt Bits = FP->getValueAPF().bitcastToAPInt();
    if (Bits.getBitWidth() <= 64)
      return Bits.getZExtValue();
  }
  return std::nullopt;
}

Error InstrumentationTask::insertHookBefore(MachineInstr &MI,
                                            const void *Handle,
                                            ArrayRef<HookArgument> Arguments) {
  if (!Handle)
    return refuse(RefusalReason::UnknownHook, "the hook handle is null");
  Insertions.push_back({&MI, Handle, {Arguments.begin(), Arguments.end()}});
  return Error::success();
}

} // namespace luthier
