// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/CallContext.h"

namespace luthier::runtime {

static thread_local const CallContext *Current = nullptr;

const CallContext *CallContext::current() { return Current; }

CallScope::CallScope(const CallContext &Context) : Outer(Current) {
  Current = &Context;
}
CallScope::~CallScope() { Current = Outer; }

} // namespace luthier::runtime
