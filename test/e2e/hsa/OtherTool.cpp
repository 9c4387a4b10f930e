// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An HSA tool that has nothing to do with Luthier: it counts queues and the
// kernels that they are given, as profilers do, and prints both at the end.
// With OTHER_TOOL_ONLY_COUNTS, it looks at calls alone and makes no queues
// itself. With OTHER_TOOL_COMES_LATE, it takes its place in the table only when
// the program looks for devices, in front of whoever was loaded after it; with
// OTHER_TOOL_COMES_LATER, only when the first queue has been made.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <hsa/hsa.h>
#include <hsa/hsa_api_trace.h>
#include <hsa/hsa_ext_amd.h>

namespace {

// The pointers at their places in ROCm 5's table.
decltype(hsa_queue_create) *Create;
decltype(hsa_amd_queue_intercept_create) *InterceptCreate;
decltype(hsa_amd_queue_intercept_register) *InterceptRegister;
decltype(hsa_iterate_agents) *IterateAgents;
HsaApiTable *Late;

// Each queue calls on a thread of its own.
std::atomic<unsigned> Queues, Dispatches;

void onPackets(const void *Packets, uint64_t Count, uint64_t, void *,
               hsa_amd_queue_intercept_packet_writer Write) {
  const auto *Each = static_cast<const hsa_kernel_dispatch_packet_t *>(Packets);
  for (uint64_t N = 0; N != Count; ++N)
    Dispatches += (Each[N].header & 0xff) == HSA_PACKET_TYPE_KERNEL_DISPATCH;
  Write(Packets, Count);
}

hsa_status_t create(hsa_agent_t Agent, uint32_t Size, hsa_queue_type32_t Type,
                    void (*OnError)(hsa_status_t, hsa_queue_t *, void *),
                    void *Data, uint32_t Private, uint32_t Group,
                    hsa_queue_t **Queue) {
  ++Queues;
  const bool OnlyCounts = std::getenv("OTHER_TOOL_ONLY_COUNTS");
  const hsa_status_t Status = (OnlyCounts ? Create : InterceptCreate)(
      Agent, Size, Type, OnError, Data, Private, Group, Queue);
  if (Status != HSA_STATUS_SUCCESS || OnlyCounts)
    return Status;
  return InterceptRegister(*Queue, &onPackets, nullptr);
}

hsa_status_t iterateAgents(hsa_status_t (*Each)(hsa_agent_t, void *),
                           void *Data) {
  Late->core_->hsa_queue_create_fn = &create;
  return IterateAgents(Each, Data);
}

hsa_status_t
interceptFirst(hsa_agent_t Agent, uint32_t Size, hsa_queue_type32_t Type,
               void (*OnError)(hsa_status_t, hsa_queue_t *, void *), void *Data,
               uint32_t Private, uint32_t Group, hsa_queue_t **Queue) {
  Late->core_->hsa_queue_create_fn = &create;
  return InterceptCreate(Agent, Size, Type, OnError, Data, Private, Group,
                         Queue);
}

} // namespace

extern "C" __attribute__((visibility("default"))) bool
OnLoad(HsaApiTable *Table, uint64_t, uint64_t, const char *const *) {
  Create = Table->core_->hsa_queue_create_fn;
  InterceptCreate = Table->amd_ext_->hsa_amd_queue_intercept_create_fn;
  InterceptRegister = Table->amd_ext_->hsa_amd_queue_intercept_register_fn;
  if (std::getenv("OTHER_TOOL_COMES_LATE")) {
    Late = Table;
    IterateAgents = Table->core_->hsa_iterate_agents_fn;
    Table->core_->hsa_iterate_agents_fn = &iterateAgents;
  } else if (std::getenv("OTHER_TOOL_COMES_LATER")) {
    Late = Table;
    Table->amd_ext_->hsa_amd_queue_intercept_create_fn = &interceptFirst;
  } else {
    Table->core_->hsa_queue_create_fn = &create;
  }
  std::atexit([] {
    std::fprintf(stderr, "other tool: %u queues, %u dispatches\n",
                 Queues.load(), Dispatches.load());
  });
  return true;
}
