// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose waves are stopped while they send, and what goes on after that:
//
//   killed-waves FILE STOPPING [destroy]
//
// STOPPING has a kernel that makes its queue stop, or one without an end, whose
// queue is destroyed when the first block has arrived. Then FILE's kernel runs
// on another queue, of the last device: after a page fault, that has to be
// another one, since the driver lets nothing run on the device any more. Prints
// "counted 1024" and ends with 3.
#include "../hsa/Hsa.h"
#include <atomic>

/// By the tool, when it has been sent something.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" __attribute__((visibility("default"))) int ToldByTool;
int ToldByTool = 0;

namespace {

constexpr unsigned ManyLanes = 1024;
std::atomic<bool> HasStopped = false;
void noteError(hsa_status_t, hsa_queue_t *, void *) { HasStopped = true; }
hsa_status_t noteEvent(const hsa_amd_event_t *Event, void *) {
  if (Event->event_type == HSA_AMD_GPU_MEMORY_FAULT_EVENT)
    HasStopped = true;
  return HSA_STATUS_SUCCESS;
}

std::vector<hsa_agent_t> gpus() {
  std::vector<hsa_agent_t> Found;
  CHECK(hsa_iterate_agents(
      [](hsa_agent_t Agent, void *Data) {
        hsa_device_type_t Type;
        CHECK(hsa_agent_get_info(Agent, HSA_AGENT_INFO_DEVICE, &Type));
        if (Type == HSA_DEVICE_TYPE_GPU)
          static_cast<std::vector<hsa_agent_t> *>(Data)->push_back(Agent);
        return HSA_STATUS_SUCCESS;
      },
      &Found));
  return Found;
}

struct Work {
  hsa_queue_t *Queue;
  uint64_t Kernel;
  unsigned *Count;
  unsigned **Arguments;

  Work(hsa_agent_t Gpu, const char *File)
      : Kernel(load(File, Gpu).Kernel), Count(sharedMemory<unsigned>(Gpu)),
        Arguments(sharedMemory<unsigned *>(Gpu)) {
    *Arguments = Count;
    CHECK(hsa_queue_create(Gpu, 64, HSA_QUEUE_TYPE_MULTI, noteError, nullptr,
                           UINT32_MAX, UINT32_MAX, &Queue));
  }
  void start() { launch(Queue, Kernel, Arguments, ManyLanes); }
};

} // namespace

int main(int Argc, char **Argv) {
  if (Argc < 3)
    return 2;
  const bool Destroys = Argc > 3;
  CHECK(hsa_init());
  CHECK(hsa_amd_register_system_event_handler(noteEvent, nullptr));
  const std::vector<hsa_agent_t> Gpus = gpus();
  Work Stopping(Gpus.front(), Argv[2]), Other(Gpus.back(), Argv[1]);
  Stopping.start();
  while (!(Destroys ? __atomic_load_n(&ToldByTool, __ATOMIC_ACQUIRE) != 0
                    : HasStopped.load()))
    std::this_thread::yield();
  if (Destroys)
    CHECK(hsa_queue_destroy(Stopping.Queue));
  Other.start();
  finish(Other.Queue);
  std::printf("counted %u\n", __atomic_load_n(Other.Count, __ATOMIC_ACQUIRE));
  return 3;
}
