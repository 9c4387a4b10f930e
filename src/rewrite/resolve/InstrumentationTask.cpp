// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/InstrumentationTask.h"
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

Inserted InstrumentationTask::add(detail::InsertionRequest Request,
                                  const void *Hook,
                                  ArrayRef<HookArgument> Args) {
  Request.Hook = Hook;
  Contents.Insertions.push_back(std::move(Request));
  Contents.Insertions.back().Arguments.assign(Args.begin(), Args.end());
  return {};
}

} // namespace luthier
