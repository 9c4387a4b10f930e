// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ToolMemory.h"
#include "runtime/CallContext.h"
#include "runtime/Verification.h"

namespace luthier::runtime {

void ToolMemory::allocated(void *Memory, size_t Size) {
  const CallContext *Context = CallContext::current();
  if (!Context || !Context->Owner || !isVerifying())
    return;
  const uint64_t Begin = reinterpret_cast<uint64_t>(Memory);
  excludeFromVerification(Begin, Begin + Size);
  std::lock_guard Guard(Lock);
  Known.insert(Memory);
}

void ToolMemory::aboutToBeFreed(void *Memory) {
  {
    std::lock_guard Guard(Lock);
    if (!Known.erase(Memory))
      return;
  }
  includeInVerification(reinterpret_cast<uint64_t>(Memory));
}

} // namespace luthier::runtime
