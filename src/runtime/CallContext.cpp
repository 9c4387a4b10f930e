// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/CallContext.h"

namespace luthier::runtime {

static thread_local const CallContext *Current = nullptr;

hsa_kernel_dispatch_packet_t
RedirectedLaunch::undone(hsa_kernel_dispatch_packet_t Packet) const {
  if (!isRedirected())
    return Packet;
  Packet.kernel_object = Original.kernel_object;
  Packet.private_segment_size = Original.private_segment_size;
  Packet.group_segment_size = Original.group_segment_size;
  Packet.kernarg_address = Original.kernarg_address;
  Packet.header = Original.header;
  return Packet;
}

const CallContext *CallContext::current() { return Current; }

CallScope::CallScope(const CallContext &Context) : Outer(Current) {
  Current = &Context;
}
CallScope::~CallScope() { Current = Outer; }

} // namespace luthier::runtime
