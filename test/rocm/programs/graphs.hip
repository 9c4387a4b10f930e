// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that graphs launch: captured from streams that fork and join, made of
// nodes, several times, and with other arguments than before; and nodes that
// are graphs, events and functions of the host.
#include "Check.h"

static constexpr unsigned N = 1 << 14;
static constexpr unsigned Size = 256;

__global__ void fill(uint32_t *Out, uint32_t Value) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  Out[I] = Value + I;
}

__global__ void scale(uint32_t *Out, uint32_t Factor) {
  Out[blockIdx.x * blockDim.x + threadIdx.x] *= Factor;
}

__global__ void add(uint32_t *Out, const uint32_t *A, const uint32_t *B) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  Out[I] += A[I] + B[I];
}

namespace {

std::vector<uint32_t> numbers(uint32_t First, uint32_t Step) {
  std::vector<uint32_t> Values(N);
  for (unsigned I = 0; I != N; ++I)
    Values[I] = First + Step * I;
  return Values;
}

hipGraph_t captured(uint32_t *Sum, uint32_t *A, uint32_t *B) {
  hipStream_t First, Second;
  hipEvent_t Forked, Joined;
  CHECK_HIP(hipStreamCreate(&First));
  CHECK_HIP(hipStreamCreate(&Second));
  CHECK_HIP(hipEventCreate(&Forked));
  CHECK_HIP(hipEventCreate(&Joined));
  CHECK_HIP(hipStreamBeginCapture(First, hipStreamCaptureModeGlobal));
  // HIP 7.2 does not let roots in other streams wait for the launch before, so
  // there is one root.
  fill<<<N / Size, Size, 0, First>>>(A, 3);
  CHECK_HIP(hipEventRecord(Forked, First));
  CHECK_HIP(hipStreamWaitEvent(Second, Forked, 0));
  fill<<<N / Size, Size, 0, Second>>>(B, 5);
  scale<<<N / Size, Size, 0, Second>>>(B, 2);
  CHECK_HIP(hipEventRecord(Joined, Second));
  CHECK_HIP(hipStreamWaitEvent(First, Joined, 0));
  add<<<N / Size, Size, 0, First>>>(Sum, A, B);
  hipGraph_t Graph;
  CHECK_HIP(hipStreamEndCapture(First, &Graph));
  CHECK_HIP(hipEventDestroy(Forked));
  CHECK_HIP(hipEventDestroy(Joined));
  CHECK_HIP(hipStreamDestroy(First));
  CHECK_HIP(hipStreamDestroy(Second));
  return Graph;
}

hipGraphExec_t instantiate(hipGraph_t Graph) {
  hipGraphExec_t Exec;
  CHECK_HIP(hipGraphInstantiate(&Exec, Graph, nullptr, nullptr, 0));
  return Exec;
}

void testCapture(Verdict &V) {
  DeviceArray<uint32_t> Sum(std::vector<uint32_t>(N, 0)), A(N), B(N);
  hipGraph_t Graph = captured(Sum.get(), A.get(), B.get());
  V.expectEqual(Sum.read(), numbers(0, 0));
  hipGraphExec_t Exec = instantiate(Graph);
  for (int Times = 0; Times != 3; ++Times)
    CHECK_HIP(hipGraphLaunch(Exec, nullptr));
  V.expectEqual(Sum.read(), numbers(3 * (3 + 10), 3 * 3));
  CHECK_HIP(hipGraphExecDestroy(Exec));
  CHECK_HIP(hipGraphDestroy(Graph));
}

hipKernelNodeParams launchOf(void *Kernel, void **Arguments) {
  hipKernelNodeParams Params{};
  Params.func = Kernel;
  Params.gridDim = dim3(N / Size);
  Params.blockDim = dim3(Size);
  Params.kernelParams = Arguments;
  return Params;
}

void testNodes(Verdict &V) {
  DeviceArray<uint32_t> Out(N);
  std::vector<uint32_t> Result(N);
  uint32_t *Memory = Out.get(), Value = 7, Factor = 11;
  void *FillArguments[] = {&Memory, &Value},
       *ScaleArguments[] = {&Memory, &Factor};
  hipKernelNodeParams Fill =
      launchOf(reinterpret_cast<void *>(fill), FillArguments);
  hipKernelNodeParams Scale =
      launchOf(reinterpret_cast<void *>(scale), ScaleArguments);
  hipGraph_t Graph;
  hipGraphNode_t First, Second, Third;
  CHECK_HIP(hipGraphCreate(&Graph, 0));
  CHECK_HIP(hipGraphAddKernelNode(&First, Graph, nullptr, 0, &Fill));
  CHECK_HIP(hipGraphAddKernelNode(&Second, Graph, &First, 1, &Scale));
  CHECK_HIP(hipGraphAddMemcpyNode1D(&Third, Graph, &Second, 1, Result.data(),
                                    Memory, Out.bytes(),
                                    hipMemcpyDeviceToHost));
  hipGraphExec_t Exec = instantiate(Graph);
  CHECK_HIP(hipGraphLaunch(Exec, nullptr));
  CHECK_HIP(hipStreamSynchronize(nullptr));
  V.expectEqual(Result, numbers(77, 11));
  Factor = 13;
  CHECK_HIP(hipGraphExecKernelNodeSetParams(Exec, Second, &Scale));
  CHECK_HIP(hipGraphLaunch(Exec, nullptr));
  CHECK_HIP(hipStreamSynchronize(nullptr));
  V.expectEqual(Result, numbers(91, 13));
  CHECK_HIP(hipGraphExecDestroy(Exec));
  CHECK_HIP(hipGraphDestroy(Graph));
}

/// Kernels in a graph within the graph, then an event and a host function.
void testOtherNodes(Verdict &V) {
  DeviceArray<uint32_t> Out(N);
  uint32_t *Memory = Out.get(), Value = 2, Factor = 3, Calls = 0;
  void *FillArguments[] = {&Memory, &Value},
       *ScaleArguments[] = {&Memory, &Factor};
  hipKernelNodeParams Fill =
      launchOf(reinterpret_cast<void *>(fill), FillArguments);
  hipKernelNodeParams Scale =
      launchOf(reinterpret_cast<void *>(scale), ScaleArguments);
  hipGraph_t Graph, Inner;
  hipGraphNode_t Filled, Scaled, Child, Recorded, Called;
  CHECK_HIP(hipGraphCreate(&Inner, 0));
  CHECK_HIP(hipGraphAddKernelNode(&Filled, Inner, nullptr, 0, &Fill));
  CHECK_HIP(hipGraphAddKernelNode(&Scaled, Inner, &Filled, 1, &Scale));
  CHECK_HIP(hipGraphCreate(&Graph, 0));
  CHECK_HIP(hipGraphAddChildGraphNode(&Child, Graph, nullptr, 0, Inner));
  hipEvent_t Start, Event;
  CHECK_HIP(hipEventCreate(&Start));
  CHECK_HIP(hipEventCreate(&Event));
  CHECK_HIP(hipGraphAddEventRecordNode(&Recorded, Graph, &Child, 1, Event));
  hipHostNodeParams Call{};
  Call.fn = [](void *Count) { ++*static_cast<uint32_t *>(Count); };
  Call.userData = &Calls;
  CHECK_HIP(hipGraphAddHostNode(&Called, Graph, &Recorded, 1, &Call));
  hipGraphExec_t Exec = instantiate(Graph);
  for (uint32_t Times = 1; Times != 3; ++Times) {
    CHECK_HIP(hipMemset(Memory, 0, Out.bytes()));
    CHECK_HIP(hipEventRecord(Start, nullptr));
    CHECK_HIP(hipGraphLaunch(Exec, nullptr));
    CHECK_HIP(hipStreamSynchronize(nullptr));
    // An error where the graph has not recorded the event.
    float Milliseconds;
    CHECK_HIP(hipEventElapsedTime(&Milliseconds, Start, Event));
    V.expect(Calls == Times, "calls of the host");
    V.expectEqual(Out.read(), numbers(6, 3));
  }
  CHECK_HIP(hipGraphExecDestroy(Exec));
  CHECK_HIP(hipGraphDestroy(Graph));
  CHECK_HIP(hipGraphDestroy(Inner));
  CHECK_HIP(hipEventDestroy(Start));
  CHECK_HIP(hipEventDestroy(Event));
}

} // namespace

int main() {
  Verdict V("graphs");
  testCapture(V);
  testNodes(V);
  testOtherNodes(V);
  return V.finish();
}
