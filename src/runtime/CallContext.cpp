// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/CallContext.h"

namespace luthier::runtime {

static thread_local const CallContext *Current = nullptr;
static thread_local CallScope *Innermost = nullptr;

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

CallScope::CallScope(const CallContext &Context)
    : Outer(Current), OuterScope(Innermost) {
  Current = &Context;
  Innermost = this;
}

CallScope::~CallScope() {
  Current = Outer;
  Innermost = OuterScope;
}

bool CallScope::keep(std::shared_ptr<const void> Object) {
  if (!Innermost)
    return false;
  Innermost->Kept.push_back(std::move(Object));
  return true;
}

} // namespace luthier::runtime
