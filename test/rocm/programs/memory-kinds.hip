// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that HIP has several ways to get: in the order of a stream, in a
// graph, managed with advice, and mapped piece by piece.
#include "Check.h"

static constexpr unsigned Size = 256;

__global__ void addNumbers(uint32_t *Memory, uint32_t Value) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  Memory[I] += Value + I;
}

namespace {

std::vector<uint32_t> numbers(unsigned Count, uint32_t First, uint32_t Step) {
  std::vector<uint32_t> Values(Count);
  for (unsigned I = 0; I != Count; ++I)
    Values[I] = First + Step * I;
  return Values;
}

void launch(uint32_t *Memory, unsigned Count, uint32_t Value,
            hipStream_t Stream) {
  addNumbers<<<Count / Size, Size, 0, Stream>>>(Memory, Value);
  CHECK_HIP(hipGetLastError());
}

/// Two streams, and memory that one frees and the other may be given.
void testInStreamOrder(Verdict &V) {
  constexpr unsigned N = 1 << 14;
  hipStream_t Streams[2];
  for (hipStream_t &Stream : Streams)
    CHECK_HIP(hipStreamCreate(&Stream));
  for (uint32_t Round = 0; Round != 4; ++Round) {
    hipStream_t Stream = Streams[Round % 2];
    uint32_t *Memory;
    CHECK_HIP(hipMallocAsync(reinterpret_cast<void **>(&Memory),
                             N * sizeof(uint32_t), Stream));
    CHECK_HIP(hipMemsetAsync(Memory, 0, N * sizeof(uint32_t), Stream));
    launch(Memory, N, Round, Stream);
    std::vector<uint32_t> Result(N);
    CHECK_HIP(hipMemcpyAsync(Result.data(), Memory, N * sizeof(uint32_t),
                             hipMemcpyDeviceToHost, Stream));
    CHECK_HIP(hipFreeAsync(Memory, Stream));
    CHECK_HIP(hipStreamSynchronize(Stream));
    V.expectEqual(Result, numbers(N, Round, 1));
  }
  hipMemPool_t Pool;
  CHECK_HIP(hipDeviceGetDefaultMemPool(&Pool, 0));
  CHECK_HIP(hipMemPoolTrimTo(Pool, 0));
  for (hipStream_t Stream : Streams)
    CHECK_HIP(hipStreamDestroy(Stream));
}

/// Launched twice; each time, it has to come to the same numbers.
void launchGraph(Verdict &V, hipGraph_t Graph, std::vector<uint32_t> &Result,
                 const std::vector<uint32_t> &Expected) {
  hipGraphExec_t Exec;
  CHECK_HIP(hipGraphInstantiate(&Exec, Graph, nullptr, nullptr, 0));
  for (int Times = 0; Times != 2; ++Times) {
    std::fill(Result.begin(), Result.end(), 0);
    CHECK_HIP(hipGraphLaunch(Exec, nullptr));
    CHECK_HIP(hipStreamSynchronize(nullptr));
    V.expectEqual(Result, Expected);
  }
  CHECK_HIP(hipGraphExecDestroy(Exec));
  CHECK_HIP(hipGraphDestroy(Graph));
  CHECK_HIP(hipDeviceGraphMemTrim(0));
}

/// The graph allocates memory, and frees it, in each launch.
void testNodesOfGraph(Verdict &V) {
  constexpr unsigned N = 1 << 12;
  hipGraph_t Graph;
  hipGraphNode_t Allocated, Set, Added, Copied, Freed;
  CHECK_HIP(hipGraphCreate(&Graph, 0));
  hipMemAllocNodeParams Memory{};
  Memory.poolProps.allocType = hipMemAllocationTypePinned;
  Memory.poolProps.location = {hipMemLocationTypeDevice, {0}};
  Memory.bytesize = N * sizeof(uint32_t);
  CHECK_HIP(hipGraphAddMemAllocNode(&Allocated, Graph, nullptr, 0, &Memory));
  hipMemsetParams Ones{};
  Ones.dst = Memory.dptr;
  Ones.elementSize = sizeof(uint32_t);
  Ones.width = N;
  Ones.height = 1;
  Ones.value = 1;
  CHECK_HIP(hipGraphAddMemsetNode(&Set, Graph, &Allocated, 1, &Ones));
  uint32_t Value = 9;
  void *Arguments[] = {&Memory.dptr, &Value};
  hipKernelNodeParams Launch{};
  Launch.func = reinterpret_cast<void *>(addNumbers);
  Launch.gridDim = dim3(N / Size);
  Launch.blockDim = dim3(Size);
  Launch.kernelParams = Arguments;
  CHECK_HIP(hipGraphAddKernelNode(&Added, Graph, &Set, 1, &Launch));
  std::vector<uint32_t> Result(N);
  CHECK_HIP(hipGraphAddMemcpyNode1D(&Copied, Graph, &Added, 1, Result.data(),
                                    Memory.dptr, N * sizeof(uint32_t),
                                    hipMemcpyDeviceToHost));
  CHECK_HIP(hipGraphAddMemFreeNode(&Freed, Graph, &Copied, 1, Memory.dptr));
  launchGraph(V, Graph, Result, numbers(N, 10, 1));
}

void testCapturedByGraph(Verdict &V) {
  constexpr unsigned N = 1 << 12;
  constexpr size_t Bytes = N * sizeof(uint32_t);
  hipStream_t Stream;
  hipGraph_t Graph;
  uint32_t *Memory;
  std::vector<uint32_t> Result(N);
  CHECK_HIP(hipStreamCreate(&Stream));
  CHECK_HIP(hipStreamBeginCapture(Stream, hipStreamCaptureModeGlobal));
  CHECK_HIP(hipMallocAsync(reinterpret_cast<void **>(&Memory), Bytes, Stream));
  CHECK_HIP(hipMemsetAsync(Memory, 0, Bytes, Stream));
  launch(Memory, N, 4, Stream);
  CHECK_HIP(hipMemcpyAsync(Result.data(), Memory, Bytes, hipMemcpyDeviceToHost,
                           Stream));
  CHECK_HIP(hipFreeAsync(Memory, Stream));
  CHECK_HIP(hipStreamEndCapture(Stream, &Graph));
  launchGraph(V, Graph, Result, numbers(N, 4, 1));
  CHECK_HIP(hipStreamDestroy(Stream));
}

/// One range of addresses, two pieces of memory, which then change places.
void testMapped(Verdict &V) {
  hipMemAllocationProp Kind{};
  Kind.type = hipMemAllocationTypePinned;
  Kind.location = {hipMemLocationTypeDevice, {0}};
  size_t Piece = 0;
  CHECK_HIP(hipMemGetAllocationGranularity(&Piece, &Kind,
                                           hipMemAllocationGranularityMinimum));
  V.expect(Piece != 0, "granularity");
  const unsigned Count = Piece / sizeof(uint32_t);
  hipMemGenericAllocationHandle_t Pieces[2];
  for (auto &Handle : Pieces)
    CHECK_HIP(hipMemCreate(&Handle, Piece, &Kind, 0));
  void *Range;
  CHECK_HIP(hipMemAddressReserve(&Range, 2 * Piece, Piece, nullptr, 0));
  hipMemAccessDesc Access{Kind.location, hipMemAccessFlagsProtReadWrite};
  auto Map = [&](unsigned First) {
    for (unsigned I = 0; I != 2; ++I)
      CHECK_HIP(hipMemMap(static_cast<char *>(Range) + I * Piece, Piece, 0,
                          Pieces[First ^ I], 0));
    CHECK_HIP(hipMemSetAccess(Range, 2 * Piece, &Access, 1));
  };
  auto Unmap = [&] {
    for (unsigned I = 0; I != 2; ++I)
      CHECK_HIP(hipMemUnmap(static_cast<char *>(Range) + I * Piece, Piece));
  };
  auto *Memory = static_cast<uint32_t *>(Range);
  Map(0);
  CHECK_HIP(hipMemset(Memory, 0, 2 * Piece));
  launch(Memory, 2 * Count, 1, nullptr);
  CHECK_HIP(hipDeviceSynchronize());
  Unmap();
  Map(1);
  launch(Memory, Count, 0, nullptr);
  std::vector<uint32_t> Result(2 * Count), Expected(2 * Count);
  CHECK_HIP(hipMemcpy(Result.data(), Memory, 2 * Piece, hipMemcpyDeviceToHost));
  for (unsigned I = 0; I != Count; ++I) {
    Expected[I] = 1 + Count + I + I;
    Expected[Count + I] = 1 + I;
  }
  V.expectEqual(Result, Expected);
  Unmap();
  CHECK_HIP(hipMemAddressFree(Range, 2 * Piece));
  for (auto Handle : Pieces)
    CHECK_HIP(hipMemRelease(Handle));
}

/// The host and the GPU write in turns. Advice may be without effect.
void testManaged(Verdict &V) {
  constexpr unsigned N = 1 << 14;
  constexpr size_t Bytes = N * sizeof(uint32_t);
  uint32_t *Memory;
  CHECK_HIP(hipMallocManaged(reinterpret_cast<void **>(&Memory), Bytes,
                             hipMemAttachGlobal));
  std::fill_n(Memory, N, 2);
  for (hipMemoryAdvise Advice :
       {hipMemAdviseSetReadMostly, hipMemAdviseUnsetReadMostly,
        hipMemAdviseSetPreferredLocation, hipMemAdviseSetAccessedBy})
    CHECK_HIP(hipMemAdvise(Memory, Bytes, Advice, 0));
  CHECK_HIP(hipMemPrefetchAsync(Memory, Bytes, 0, nullptr));
  launch(Memory, N, 1, nullptr);
  CHECK_HIP(hipMemPrefetchAsync(Memory, Bytes, hipCpuDeviceId, nullptr));
  CHECK_HIP(hipDeviceSynchronize());
  V.expectEqual({Memory, Memory + N}, numbers(N, 3, 1));
  Memory[5] = 100;
  launch(Memory, N, 1, nullptr);
  CHECK_HIP(hipDeviceSynchronize());
  std::vector<uint32_t> Expected = numbers(N, 4, 2);
  Expected[5] = 106;
  V.expectEqual({Memory, Memory + N}, Expected);
  CHECK_HIP(hipFree(Memory));
}

} // namespace

int main() {
  Verdict V("memory-kinds");
  testInStreamOrder(V);
  testManaged(V);
  testMapped(V);
  testNodesOfGraph(V);
  testCapturedByGraph(V);
  return V.finish();
}
