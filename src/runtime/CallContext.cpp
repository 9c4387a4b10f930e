// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/CallContext.h"

namespace luthier::runtime {

static thread_local const CallContext *Current = nullptr;

hsa_kernel_dispatch_packet_t
RedirectedLaunch::undone(hsa_kernel_dispatch_packet_t Packet) const {
  if (!isRedirected())
    return Packet;
  auto undo = [&](auto Field) {
    if (Packet.*Field == After.*Field)
      Packet.*Field = Before.*Field;
  };
  undo(&hsa_kernel_dispatch_packet_t::kernel_object);
  undo(&hsa_kernel_dispatch_packet_t::private_segment_size);
  undo(&hsa_kernel_dispatch_packet_t::group_segment_size);
  undo(&hsa_kernel_dispatch_packet_t::kernarg_address);
  Packet.header ^= Before.header ^ After.header;
  return Packet;
}

void RedirectedLaunch::redirected(const hsa_kernel_dispatch_packet_t &From,
                                  const hsa_kernel_dispatch_packet_t &To) {
  Before = From;
  After = To;
}

const CallContext *CallContext::current() { return Current; }

CallScope::CallScope(const CallContext &Context) : Outer(Current) {
  Current = &Context;
}
CallScope::~CallScope() { Current = Outer; }

} // namespace luthier::runtime
