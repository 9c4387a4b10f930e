// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads code, launches its kernel and unloads it again, many times; says how
// much memory the process has when a quarter of that is done, and in the end.
// With "keep", the code stays, and there are the launches alone.
//
//   reloads FILE TIMES [keep]
#include "../hsa/Hsa.h"
#include "Resident.h"

int main(int Argc, char **Argv) {
  if (Argc < 3)
    return 2;
  const bool Keeps = Argc > 3;
  const unsigned Times = unsigned(std::atoi(Argv[2]));
  CHECK(hsa_init());
  const hsa_agent_t Gpu = findAgent(HSA_DEVICE_TYPE_GPU);
  auto *Count = sharedMemory<unsigned>(Gpu);
  auto *Arguments = sharedMemory<unsigned *>(Gpu);
  *Arguments = Count;
  hsa_queue_t *Queue;
  CHECK(hsa_queue_create(Gpu, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr,
                         UINT32_MAX, UINT32_MAX, &Queue));
  Code Loaded = load(Argv[1], Gpu);
  for (unsigned Time = 1; Time <= Times; ++Time) {
    launch(Queue, Loaded.Kernel, Arguments);
    finish(Queue);
    if (!Keeps) {
      CHECK(hsa_executable_destroy(Loaded.Executable));
      Loaded = load(Argv[1], Gpu);
    }
    sayResident(Time, Times);
  }
  const bool IsRight =
      __atomic_load_n(Count, __ATOMIC_ACQUIRE) == Times * Lanes;
  std::puts(IsRight ? "right" : "WRONG");
  CHECK(hsa_queue_destroy(Queue));
  CHECK(hsa_shut_down());
  return !IsRight;
}
