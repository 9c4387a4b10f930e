// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that uses the GPU without HIP, and less politely: small queues,
// launches without completion signals or barriers, code object bytes that are
// gone once loaded. Prints how many lanes have run, if it waits for them.
//
//   launches FILE LAUNCHES QUEUES wait|finish|exit|destroy|shut-down|stuck|
//                                 probe|gate|unload
//   launches FILE LAUNCHES QUEUES reload OTHER
//
// With "probe", it starts and ends the runtime twice before, as programs do
// that only want to know whether there is a device. With "reload", it unloads
// the code, does the same again with OTHER, which has a kernel of that name,
// and then with FILE once more. With "gate", nothing runs before the thread
// that launches has launched everything. With "unload", it unloads the code as
// soon as the signal of the last launch says that it has completed.
#include "Hsa.h"
#include <string>

int main(int Argc, char **Argv) {
  const std::string End = Argc < 5 ? "" : Argv[4];
  if (Argc != (End == "reload" ? 6 : 5))
    return 2;
  const unsigned Launches = unsigned(std::atoi(Argv[2]));

  if (End == "probe")
    for (int I = 0; I < 2; ++I) {
      CHECK(hsa_init());
      CHECK(hsa_shut_down());
    }
  CHECK(hsa_init());
  const hsa_agent_t Gpu = findAgent(HSA_DEVICE_TYPE_GPU);
  Code Loaded = load(Argv[1], Gpu);
  auto *Count = sharedMemory<unsigned>(Gpu);
  auto *Arguments = sharedMemory<unsigned *>(Gpu);
  *Arguments = Count;

  const uint32_t QueueSize = End == "gate" ? 1024 : 64;
  std::vector<hsa_queue_t *> Queues(size_t(std::atoi(Argv[3])));
  std::vector<std::thread> Threads;
  for (hsa_queue_t *&Queue : Queues)
    Threads.emplace_back([&] {
      CHECK(hsa_queue_create(Gpu, QueueSize, HSA_QUEUE_TYPE_MULTI, nullptr,
                             nullptr, UINT32_MAX, UINT32_MAX, &Queue));
      const bool HasGate = End == "gate";
      hsa_signal_t Gate = HasGate ? obstruct(Queue) : hsa_signal_t();
      for (unsigned I = 0; I < Launches; ++I)
        launch(Queue, Loaded.Kernel, Arguments);
      if (HasGate)
        hsa_signal_store_screlease(Gate, 0);
    });
  for (std::thread &Thread : Threads)
    Thread.join();

  if (End == "stuck")
    obstruct(Queues.front());
  if (End == "stuck" || End == "exit")
    std::exit(0);

  unsigned Expected = Launches * unsigned(Queues.size()) * Lanes;
  if (End == "reload")
    for (const char *Next : {Argv[5], Argv[1]}) {
      for (hsa_queue_t *Queue : Queues)
        finish(Queue);
      const uint64_t Before = Loaded.Kernel;
      CHECK(hsa_executable_destroy(Loaded.Executable));
      Loaded = load(Next, Gpu);
      if (Loaded.Kernel == Before)
        std::printf("other code, same address\n");
      for (hsa_queue_t *Queue : Queues)
        for (unsigned I = 0; I < Launches; ++I)
          launch(Queue, Loaded.Kernel, Arguments);
      Expected += Launches * unsigned(Queues.size()) * Lanes;
    }
  if (End == "unload") {
    hsa_signal_t Done;
    CHECK(hsa_signal_create(hsa_signal_value_t(Queues.size()), 0, nullptr,
                            &Done));
    for (hsa_queue_t *Queue : Queues)
      launch(Queue, Loaded.Kernel, Arguments, Lanes, Done);
    Expected += unsigned(Queues.size()) * Lanes;
    hsa_signal_wait_scacquire(Done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                              HSA_WAIT_STATE_BLOCKED);
    CHECK(hsa_executable_destroy(Loaded.Executable));
  }
  while (__atomic_load_n(Count, __ATOMIC_ACQUIRE) != Expected)
    std::this_thread::yield();
  std::printf("%u lanes\n", *Count);
  // What has been added shows while the last kernel still runs.
  if (End == "finish")
    for (hsa_queue_t *Queue : Queues)
      finish(Queue);
  if (End == "wait" || End == "finish")
    return 0;
  for (hsa_queue_t *Queue : Queues)
    CHECK(hsa_queue_destroy(Queue));
  if (End != "unload")
    CHECK(hsa_executable_destroy(Loaded.Executable));
  if (End == "shut-down" || End == "probe") {
    CHECK(hsa_shut_down());
    // Once more: tools have had their end.
    CHECK(hsa_init());
    CHECK(hsa_shut_down());
  }
  return 0;
}
