// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several queues and host threads at once: streams that launch together, a
// kernel that waits for another queue's, scratch that several queues need and
// that grows, and event times that grow.
#include "Check.h"

#include <string>
#include <thread>
#include <vector>

static const int N = 2000;

__global__ void addOne(int *Data) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Data[I] += 1;
}

/// Sums numbers by way of an array that lives in scratch.
template <int Size> __global__ void throughScratch(const int *In, int *Out) {
  volatile int Private[Size];
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  for (int K = 0; K < Size; ++K)
    Private[(K * 7 + In[0]) % Size] = K + I;
  int Sum = 0;
  for (int K = 0; K < Size; ++K)
    Sum += Private[K];
  Out[I] = Sum;
}

__global__ void set(volatile int *Flag) { *Flag = 1; }

__global__ void waitFor(volatile int *Flag, int *Done) {
  while (*Flag == 0)
    __builtin_amdgcn_s_sleep(1);
  *Done = 1;
}

static void testHostThreads() {
  std::vector<std::thread> Threads;
  for (int T = 0; T < 6; ++T)
    Threads.emplace_back([T] {
      hipStream_t Stream;
      check(hipStreamCreate(&Stream), "hipStreamCreate");
      int *Data;
      check(hipMalloc(&Data, N * 4), "hipMalloc");
      std::vector<int> Host(N, T);
      check(hipMemcpyAsync(Data, Host.data(), N * 4, hipMemcpyHostToDevice,
                           Stream),
            "copy in");
      for (int Round = 0; Round < 20; ++Round)
        addOne<<<(N + 127) / 128, 128, 0, Stream>>>(Data);
      check(hipMemcpyAsync(Host.data(), Data, N * 4, hipMemcpyDeviceToHost,
                           Stream),
            "copy out");
      check(hipStreamSynchronize(Stream), "hipStreamSynchronize");
      for (int I = 0; I < N; ++I)
        if (Host[I] != T + 20) {
          check(false, "thread's stream", T);
          break;
        }
      hipFree(Data);
      check(hipStreamDestroy(Stream), "hipStreamDestroy");
    });
  for (std::thread &T : Threads)
    T.join();
}

static void testWaitingForAnotherQueue() {
  hipStream_t Waiting, Setting;
  check(hipStreamCreate(&Waiting), "hipStreamCreate");
  check(hipStreamCreate(&Setting), "hipStreamCreate");
  int *Flag, *Done, Result = 0;
  check(hipMalloc(&Flag, 4), "hipMalloc");
  check(hipMalloc(&Done, 4), "hipMalloc");
  check(hipMemset(Flag, 0, 4), "hipMemset");
  check(hipMemset(Done, 0, 4), "hipMemset");
  check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  waitFor<<<1, 64, 0, Waiting>>>(Flag, Done);
  set<<<1, 1, 0, Setting>>>(Flag);
  check(hipStreamSynchronize(Setting), "the kernel waited for");
  check(hipStreamSynchronize(Waiting), "the kernel that waits");
  check(hipMemcpy(&Result, Done, 4, hipMemcpyDeviceToHost), "copy out");
  check(Result == 1, "waited");
  hipFree(Flag);
  hipFree(Done);
  check(hipStreamDestroy(Waiting), "hipStreamDestroy");
  check(hipStreamDestroy(Setting), "hipStreamDestroy");
}

template <int Size>
static void startScratch(hipStream_t Stream, int *In, int *Out) {
  throughScratch<Size><<<64, 256, 0, Stream>>>(In, Out);
}

/// Waves of four queues, each of which asks for more from launch to launch.
static void testScratch() {
  const int NumStreams = 4, Items = 64 * 256;
  hipStream_t Streams[NumStreams];
  int *In, *Out[NumStreams];
  check(hipMalloc(&In, 4), "hipMalloc");
  check(hipMemset(In, 0, 4), "hipMemset");
  for (int S = 0; S < NumStreams; ++S) {
    check(hipStreamCreate(&Streams[S]), "hipStreamCreate");
    check(hipMalloc(&Out[S], Items * 4), "hipMalloc");
  }
  check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  auto Expect = [&](int Size) {
    for (int S = 0; S < NumStreams; ++S) {
      std::vector<int> Host(Items);
      check(hipMemcpyAsync(Host.data(), Out[S], Items * 4,
                           hipMemcpyDeviceToHost, Streams[S]),
            "copy out");
      check(hipStreamSynchronize(Streams[S]), "hipStreamSynchronize");
      for (int I = 0; I < Items; ++I)
        if (Host[I] != Size * (Size - 1) / 2 + Size * I) {
          check(false, "through scratch", Size);
          break;
        }
    }
  };
  for (int S = 0; S < NumStreams; ++S)
    startScratch<17>(Streams[S], In, Out[S]);
  Expect(17);
  for (int S = 0; S < NumStreams; ++S)
    startScratch<130>(Streams[S], In, Out[S]);
  Expect(130);
  for (int S = NumStreams; S-- > 0;)
    startScratch<64>(Streams[S], In, Out[S]);
  Expect(64);
  for (int S = 0; S < NumStreams; ++S) {
    check(hipStreamDestroy(Streams[S]), "hipStreamDestroy");
    hipFree(Out[S]);
  }
  hipFree(In);
}

static void testEventTimes() {
  const int Count = 6;
  hipEvent_t Events[Count];
  int *Data;
  check(hipMalloc(&Data, N * 4), "hipMalloc");
  for (hipEvent_t &Event : Events)
    check(hipEventCreate(&Event), "hipEventCreate");
  for (int E = 0; E < Count; ++E) {
    check(hipEventRecord(Events[E], 0), "hipEventRecord");
    addOne<<<(N + 63) / 64, 64>>>(Data);
  }
  check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  float Before = 0;
  for (int E = 1; E < Count; ++E) {
    float Milliseconds = -1;
    check(hipEventElapsedTime(&Milliseconds, Events[0], Events[E]),
          "hipEventElapsedTime");
    check(Milliseconds > Before, "times grow", E);
    Before = Milliseconds;
    check(hipEventDestroy(Events[E]), "hipEventDestroy");
  }
  check(Before < 60000, "times are plausible", long(Before));
  hipFree(Data);
}

/// What the device does not have is said, and changes nothing.
static void testUnsupported() {
  int *Data;
  check(hipMalloc(&Data, 4096), "hipMalloc");
  hipIpcMemHandle_t Handle;
  hipError_t Error = hipIpcGetMemHandle(&Handle, Data);
  check(Error != hipSuccess, "sharing between processes is refused");
  std::printf("hipIpcGetMemHandle: %s\n", hipGetErrorName(Error));
  (void)hipGetLastError();
  check(hipFree(Data), "hipFree");
}

int main() {
  testHostThreads();
  testWaitingForAnotherQueue();
  testScratch();
  testEventTimes();
  testUnsupported();
  return verdict();
}
