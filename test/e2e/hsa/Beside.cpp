// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   beside FILE OTHER
//
// Launches FILE's kernel, and again while another thread launches OTHER's for
// the first time, when the tool says so. Prints how many lanes have run.
#include "Hsa.h"

/// By the tool, while it is at work on OTHER's kernel.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" __attribute__((visibility("default"))) int ToldByTool;
int ToldByTool = 0;

int main(int Argc, char **Argv) {
  if (Argc != 3)
    return 2;
  CHECK(hsa_init());
  const hsa_agent_t Gpu = findAgent(HSA_DEVICE_TYPE_GPU);
  const Code First = load(Argv[1], Gpu), Second = load(Argv[2], Gpu);
  auto *Count = sharedMemory<unsigned>(Gpu);
  auto *Arguments = sharedMemory<unsigned *>(Gpu);
  *Arguments = Count;
  hsa_queue_t *Queues[2];
  for (hsa_queue_t *&Queue : Queues)
    CHECK(hsa_queue_create(Gpu, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr,
                           UINT32_MAX, UINT32_MAX, &Queue));
  launch(Queues[0], First.Kernel, Arguments);
  std::thread Other([&] { launch(Queues[1], Second.Kernel, Arguments); });
  while (!__atomic_load_n(&ToldByTool, __ATOMIC_ACQUIRE))
    std::this_thread::yield();
  launch(Queues[0], First.Kernel, Arguments);
  Other.join();
  for (hsa_queue_t *Queue : Queues)
    finish(Queue);
  std::printf("lanes: %u\n", __atomic_load_n(Count, __ATOMIC_ACQUIRE));
}
