// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that is not given any implicit argument, launched many times before
// the first launch ends, from several queues and in a graph. Under the tool of
// the same name, hooks have seen each launch's own sizes.
#include <hip/hip_runtime.h>

#include "../device/Check.h"
#include "Arguments.h"

#include <string>
#include <vector>

__global__ void add(Arguments A) {
  uint32_t Item = blockIdx.x * 64 + threadIdx.x;
  if (Item == 0)
    atomicAdd(&A.Work[A.Number], A.Number + 1);
}

__global__ void waitFor(volatile int *Flag) {
  while (*Flag == 0)
    __builtin_amdgcn_s_sleep(1);
}

constexpr uint32_t Streams = 3, PerStream = 1200, InGraph = 4, Graphs = 25;
constexpr uint32_t Count = Streams * PerStream + InGraph;

static uint32_t groups(uint32_t Number) { return Number % 5 + 1; }
static uint32_t groupSize(uint32_t Number) { return 8 + Number % 7; }

static void launch(Arguments A, uint32_t Number, hipStream_t Stream) {
  A.Number = Number;
  add<<<groups(Number), groupSize(Number), 0, Stream>>>(A);
}

static void launchInStreams(const Arguments &A) {
  int *Flag;
  check(hipHostMalloc(&Flag, sizeof(int), 0), "hipHostMalloc");
  *Flag = 0;
  hipStream_t All[Streams];
  for (hipStream_t &Stream : All) {
    check(hipStreamCreate(&Stream), "hipStreamCreate");
    waitFor<<<1, 1, 0, Stream>>>(Flag);
  }
  for (uint32_t N = 0; N < PerStream; ++N)
    for (uint32_t S = 0; S < Streams; ++S)
      launch(A, S * PerStream + N, All[S]);
  *static_cast<volatile int *>(Flag) = 1;
  for (hipStream_t &Stream : All) {
    check(hipStreamSynchronize(Stream), "hipStreamSynchronize");
    check(hipStreamDestroy(Stream), "hipStreamDestroy");
  }
  check(hipHostFree(Flag), "hipHostFree");
}

static void launchGraph(const Arguments &A) {
  hipStream_t Stream;
  hipGraph_t Graph;
  hipGraphExec_t Executable;
  check(hipStreamCreate(&Stream), "hipStreamCreate");
  check(hipStreamBeginCapture(Stream, hipStreamCaptureModeGlobal), "capture");
  for (uint32_t N = 0; N < InGraph; ++N)
    launch(A, Count - InGraph + N, Stream);
  check(hipStreamEndCapture(Stream, &Graph), "hipStreamEndCapture");
  check(hipGraphInstantiate(&Executable, Graph, nullptr, nullptr, 0),
        "hipGraphInstantiate");
  for (uint32_t N = 0; N < Graphs; ++N)
    check(hipGraphLaunch(Executable, Stream), "hipGraphLaunch");
  check(hipStreamSynchronize(Stream), "hipStreamSynchronize");
  check(hipGraphExecDestroy(Executable), "hipGraphExecDestroy");
  check(hipGraphDestroy(Graph), "hipGraphDestroy");
  check(hipStreamDestroy(Stream), "hipStreamDestroy");
}

template <class T> static std::vector<T> copyOf(const T *Device) {
  std::vector<T> Host(Count);
  check(
      hipMemcpy(Host.data(), Device, Count * sizeof(T), hipMemcpyDeviceToHost),
      "hipMemcpy");
  return Host;
}

int main(int NumArguments, char **Values) {
  const bool Instrumented =
      NumArguments > 1 && Values[1] == std::string("instrumented");
  Arguments A = {};
  check(hipMalloc(&A.Work, Count * sizeof(uint32_t)), "hipMalloc");
  check(hipMalloc(&A.Sums, Count * sizeof(Seen)), "hipMalloc");
  check(hipMemset(A.Work, 0, Count * sizeof(uint32_t)), "hipMemset");
  check(hipMemset(A.Sums, 0, Count * sizeof(Seen)), "hipMemset");
  check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  launchInStreams(A);
  launchGraph(A);
  std::vector<uint32_t> Work = copyOf(A.Work);
  std::vector<Seen> Sums = copyOf(A.Sums);
  for (uint32_t N = 0; N < Count && !Failures; ++N) {
    const uint32_t Launches = N < Count - InGraph ? 1 : Graphs;
    check(Work[N] == Launches * (N + 1), "the kernel's own arguments", N);
    const uint32_t Hooks = Instrumented * Launches;
    check(Sums[N].Launches == Hooks, "hooks in each launch", N);
    check(Sums[N].GridSize == Hooks * groups(N), "gridDim.x", N);
    check(Sums[N].BlockSize == Hooks * groupSize(N), "blockDim.x", N);
    check(Sums[N].Offset == 0, "the global offset", N);
    check(Sums[N].IsCooperative == 0, "cooperative launches", N);
  }
  check(hipFree(A.Work), "hipFree");
  check(hipFree(A.Sums), "hipFree");
  return verdict();
}
