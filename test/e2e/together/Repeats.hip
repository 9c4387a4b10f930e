// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does many times what long-running programs do: compiles a kernel, loads and
// launches it from two threads with streams of their own, launches a graph, and
// lets go of everything. Says how large the process is.
//
//   repeats TIMES
#include "Check.h"
#include "Resident.h"
#include <hip/hiprtc.h>
#include <string>
#include <thread>

static constexpr unsigned Threads = 2, Count = 500;

__global__ void add(unsigned *Data, unsigned Number) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Data[I] += Number;
}

static void checkRtc(hiprtcResult Status, const char *What) {
  if (Status == HIPRTC_SUCCESS)
    return;
  std::fprintf(stderr, "%s: %s\n", What, hiprtcGetErrorString(Status));
  std::exit(2);
}

static std::vector<char> compile() {
  const char *Source = "extern \"C\" __global__ void twice(unsigned *Data) {\n"
                       "  Data[threadIdx.x] *= 2;\n"
                       "}\n";
  const char *Options[] = {"--gpu-architecture=gfx90a"};
  hiprtcProgram Program;
  checkRtc(
      hiprtcCreateProgram(&Program, Source, "twice.hip", 0, nullptr, nullptr),
      "hiprtcCreateProgram");
  checkRtc(hiprtcCompileProgram(Program, 1, Options), "hiprtcCompileProgram");
  size_t Size = 0;
  checkRtc(hiprtcGetCodeSize(Program, &Size), "hiprtcGetCodeSize");
  std::vector<char> Code(Size);
  checkRtc(hiprtcGetCode(Program, Code.data()), "hiprtcGetCode");
  checkRtc(hiprtcDestroyProgram(&Program), "hiprtcDestroyProgram");
  return Code;
}

static void launchLoaded(const std::vector<char> &Code, unsigned *Data,
                         hipStream_t Stream) {
  hipModule_t Module;
  hipFunction_t Kernel;
  CHECK_HIP(hipModuleLoadData(&Module, Code.data()));
  CHECK_HIP(hipModuleGetFunction(&Kernel, Module, "twice"));
  void *Arguments[] = {&Data};
  CHECK_HIP(hipModuleLaunchKernel(Kernel, 1, 1, 1, Count, 1, 1, 0, Stream,
                                  Arguments, nullptr));
  CHECK_HIP(hipStreamSynchronize(Stream));
  CHECK_HIP(hipModuleUnload(Module));
}

/// While no other thread is at work: HIP 5.2, not 6.4, gives a graph's launch
/// the arguments that another thread has for the same kernel, and the other way
/// round.
static std::vector<unsigned> launchGraph() {
  hipStream_t Stream;
  CHECK_HIP(hipStreamCreateWithFlags(&Stream, hipStreamNonBlocking));
  const DeviceArray<unsigned> Numbers(std::vector<unsigned>(Count, 1));
  unsigned *Data = Numbers.get();
  unsigned First = 3, Second = 4;
  void *Arguments[] = {&Data, &First}, *Further[] = {&Data, &Second};
  hipKernelNodeParams Launch{};
  Launch.func = reinterpret_cast<void *>(add);
  Launch.gridDim = dim3(groupsFor(Count, 64));
  Launch.blockDim = dim3(64);
  Launch.kernelParams = Arguments;
  hipGraph_t Graph;
  hipGraphNode_t One, Two;
  CHECK_HIP(hipGraphCreate(&Graph, 0));
  CHECK_HIP(hipGraphAddKernelNode(&One, Graph, nullptr, 0, &Launch));
  Launch.kernelParams = Further;
  CHECK_HIP(hipGraphAddKernelNode(&Two, Graph, &One, 1, &Launch));
  hipGraphExec_t Exec;
  CHECK_HIP(hipGraphInstantiate(&Exec, Graph, nullptr, nullptr, 0));
  CHECK_HIP(hipGraphLaunch(Exec, Stream));
  CHECK_HIP(hipStreamSynchronize(Stream));
  CHECK_HIP(hipGraphExecDestroy(Exec));
  CHECK_HIP(hipGraphDestroy(Graph));
  CHECK_HIP(hipStreamDestroy(Stream));
  return Numbers.read();
}

static std::vector<unsigned> once(const std::vector<char> &Code) {
  hipStream_t First, Second;
  CHECK_HIP(hipStreamCreateWithFlags(&First, hipStreamNonBlocking));
  CHECK_HIP(hipStreamCreateWithFlags(&Second, hipStreamNonBlocking));
  const DeviceArray<unsigned> Data(std::vector<unsigned>(Count, 1));
  add<<<groupsFor(Count, 64), 64, 0, First>>>(Data.get(), 1);
  CHECK_HIP(hipStreamSynchronize(First));
  launchLoaded(Code, Data.get(), Second);
  CHECK_HIP(hipStreamDestroy(First));
  CHECK_HIP(hipStreamDestroy(Second));
  return Data.read();
}

int main(int Argc, char **Argv) {
  if (Argc != 2)
    return 2;
  const unsigned Times = unsigned(std::atoi(Argv[1]));
  Verdict V("repeats");
  for (unsigned Time = 1; Time <= Times; ++Time) {
    const std::vector<char> Code = compile();
    std::vector<std::vector<unsigned>> Results(Threads);
    std::vector<std::thread> All;
    for (unsigned Thread = 0; Thread != Threads; ++Thread)
      All.emplace_back([&, Thread] { Results[Thread] = once(Code); });
    for (std::thread &T : All)
      T.join();
    for (const std::vector<unsigned> &Result : Results)
      V.expectEqual(Result, std::vector<unsigned>(Count, (1 + 1) * 2));
    V.expectEqual(launchGraph(), std::vector<unsigned>(Count, 1 + 3 + 4));
    sayResident(Time, Times);
  }
  return V.finish();
}
