// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for rocprofiler-sdk, which no Debian has, behind ROCm's own
// rocprofiler-register, which one has. ROCr hands its table to that library
// before it loads tools; Debian's is built without it, so OnLoad() does it
// here, and this library has to come first. The registration calls
// rocprofiler_set_api_table(), which does what a profiler of dispatches does:
// queues that it can see into, a signal of its own at the end of each kernel,
// its times from there, and then what the application waits for.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <hsa/hsa.h>
#include <hsa/hsa_api_trace.h>
#include <hsa/hsa_ext_amd.h>
#include <vector>

namespace {

CoreApiTable Core;
AmdExtTable Amd;
bool IsRegistered = false;
std::atomic<unsigned> Queues, Dispatches, Timed;

struct Observed {
  hsa_agent_t Agent;
  hsa_signal_t Own, Applications;
};

/// Runs in a thread of the runtime.
bool onEnd(hsa_signal_value_t, void *Data) {
  auto *O = static_cast<Observed *>(Data);
  hsa_amd_profiling_dispatch_time_t Times;
  if (Amd.hsa_amd_profiling_get_dispatch_time_fn(O->Agent, O->Own, &Times) ==
          HSA_STATUS_SUCCESS &&
      Times.end > Times.start)
    ++Timed;
  if (O->Applications.handle)
    Core.hsa_signal_subtract_screlease_fn(O->Applications, 1);
  Core.hsa_signal_destroy_fn(O->Own);
  delete O;
  return false;
}

void onPackets(const void *Packets, uint64_t Count, uint64_t, void *Data,
               hsa_amd_queue_intercept_packet_writer Write) {
  const hsa_agent_t Agent = {reinterpret_cast<uint64_t>(Data)};
  const auto *Each = static_cast<const hsa_kernel_dispatch_packet_t *>(Packets);
  std::vector<hsa_kernel_dispatch_packet_t> Copies(Each, Each + Count);
  for (hsa_kernel_dispatch_packet_t &Packet : Copies) {
    if ((Packet.header & 0xff) != HSA_PACKET_TYPE_KERNEL_DISPATCH)
      continue;
    ++Dispatches;
    hsa_signal_t Own;
    if (Core.hsa_signal_create_fn(1, 0, nullptr, &Own) != HSA_STATUS_SUCCESS)
      std::abort();
    auto *O = new Observed{Agent, Own, Packet.completion_signal};
    Packet.completion_signal = Own;
    if (Amd.hsa_amd_signal_async_handler_fn(Own, HSA_SIGNAL_CONDITION_LT, 1,
                                            &onEnd, O) != HSA_STATUS_SUCCESS)
      std::abort();
  }
  Write(Copies.data(), Count);
}

hsa_status_t create(hsa_agent_t Agent, uint32_t Size, hsa_queue_type32_t Type,
                    void (*OnError)(hsa_status_t, hsa_queue_t *, void *),
                    void *Data, uint32_t Private, uint32_t Group,
                    hsa_queue_t **Queue) {
  ++Queues;
  hsa_status_t Status = Amd.hsa_amd_queue_intercept_create_fn(
      Agent, Size, Type, OnError, Data, Private, Group, Queue);
  if (Status == HSA_STATUS_SUCCESS)
    Status = Amd.hsa_amd_profiling_set_profiler_enabled_fn(*Queue, 1);
  if (Status == HSA_STATUS_SUCCESS)
    Status = Amd.hsa_amd_queue_intercept_register_fn(
        *Queue, &onPackets, reinterpret_cast<void *>(Agent.handle));
  return Status;
}

} // namespace

// Names that the registration looks for.
extern "C" {
__attribute__((visibility("default"))) int
rocprofiler_set_api_table(const char *Name, uint64_t, uint64_t, void **Tables,
                          uint64_t NumTables) {
  if (std::strcmp(Name, "hsa") != 0 || NumTables != 1)
    return 0;
  auto &Table = *static_cast<HsaApiTable *>(Tables[0]);
  Core = *Table.core_;
  Amd = *Table.amd_ext_;
  Table.core_->hsa_queue_create_fn = &create;
  IsRegistered = true;
  std::atexit([] {
    std::fprintf(stderr, "profiler: %u queues, %u dispatches, %u timed\n",
                 Queues.load(), Dispatches.load(), Timed.load());
  });
  return 0;
}

__attribute__((visibility("default"))) bool
OnLoad(HsaApiTable *Table, uint64_t, uint64_t, const char *const *) {
  struct Identifier {
    uint64_t Handle;
  } Id;
  using Register =
      int (*)(const char *Name, uint32_t (*Import)(), uint32_t Version,
              void **Tables, uint64_t NumTables, Identifier *Id);
  void *Library = dlopen("librocprofiler-register.so.0", RTLD_NOW);
  auto Call = reinterpret_cast<Register>(
      Library ? dlsym(Library, "rocprofiler_register_library_api_table")
              : nullptr);
  void *Tables[] = {Table};
  const int Status = Call ? Call("hsa", nullptr, 11800, Tables, 1, &Id) : -1;
  if (Status != 0 || !IsRegistered)
    std::fprintf(stderr, "profiler: not registered (%d)\n", Status);
  return IsRegistered;
}
}
