// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that launch at the same time, each on streams of its own, with work
// of each stream that waits for another's. All GPUs have their share of them.
//
//   streams THREADS STREAMS
#include "Check.h"
#include <cstdlib>
#include <thread>

static constexpr unsigned Rounds = 4, Count = 500;
static unsigned Threads, Streams;

__global__ void step(unsigned *Out, const unsigned *In, unsigned Key) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Out[I] = (In[Count - 1 - I] ^ Key) * 2654435761u + I;
}

static unsigned keyOf(unsigned Thread, unsigned Round) {
  return 1000 * Thread + Round;
}

static std::vector<unsigned> onHost(unsigned Thread) {
  std::vector<unsigned> Data(Count, Thread), Next(Count);
  for (unsigned Round = 0; Round != Rounds * Streams; ++Round) {
    for (unsigned I = 0; I != Count; ++I)
      Next[I] = (Data[Count - 1 - I] ^ keyOf(Thread, Round)) * 2654435761u + I;
    Data.swap(Next);
  }
  return Data;
}

/// Each launch is on another stream than the one before.
static std::vector<unsigned> onDevice(unsigned Thread) {
  int Devices = 0;
  CHECK_HIP(hipGetDeviceCount(&Devices));
  CHECK_HIP(hipSetDevice(int(Thread) % Devices));
  std::vector<hipStream_t> On(Streams);
  hipEvent_t Done;
  CHECK_HIP(hipEventCreateWithFlags(&Done, hipEventDisableTiming));
  for (hipStream_t &Stream : On)
    CHECK_HIP(hipStreamCreateWithFlags(&Stream, hipStreamNonBlocking));
  const DeviceArray<unsigned> First(std::vector<unsigned>(Count, Thread)),
      Second(Count);
  unsigned *Data = First.get(), *Next = Second.get();
  for (unsigned Round = 0; Round != Rounds * Streams; ++Round) {
    hipStream_t Stream = On[Round % Streams];
    if (Round)
      CHECK_HIP(hipStreamWaitEvent(Stream, Done, /*flags=*/0));
    step<<<groupsFor(Count, 128), 128, 0, Stream>>>(Next, Data,
                                                    keyOf(Thread, Round));
    CHECK_HIP(hipEventRecord(Done, Stream));
    std::swap(Data, Next);
  }
  std::vector<unsigned> Result(Count);
  CHECK_HIP(hipEventSynchronize(Done));
  CHECK_HIP(
      hipMemcpy(Result.data(), Data, First.bytes(), hipMemcpyDeviceToHost));
  for (hipStream_t Stream : On)
    CHECK_HIP(hipStreamDestroy(Stream));
  CHECK_HIP(hipEventDestroy(Done));
  return Result;
}

int main(int Argc, char **Argv) {
  if (Argc != 3)
    return 2;
  Threads = std::atoi(Argv[1]);
  Streams = std::atoi(Argv[2]);
  std::vector<std::vector<unsigned>> Results(Threads);
  std::vector<std::thread> All;
  for (unsigned Thread = 0; Thread != Threads; ++Thread)
    All.emplace_back([&, Thread] { Results[Thread] = onDevice(Thread); });
  for (std::thread &T : All)
    T.join();
  Verdict V("streams");
  for (unsigned Thread = 0; Thread != Threads; ++Thread)
    V.expectEqual(Results[Thread], onHost(Thread));
  return V.finish();
}
