// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles kernels while it runs, by hipRTC, from two threads at once; its own
// arguments are further options for that.
#include "Check.h"
#include <hip/hiprtc.h>
#include <string>
#include <thread>

static constexpr unsigned Threads = 2, Count = 300;

static void checkRtc(hiprtcResult Status, const char *What) {
  if (Status == HIPRTC_SUCCESS)
    return;
  std::fprintf(stderr, "%s: %s\n", What, hiprtcGetErrorString(Status));
  std::exit(2);
}

static std::string Architecture;
static std::vector<const char *> Given;

static std::vector<char> compile(unsigned Factor) {
  const std::string Source =
      "extern \"C\" __global__ void times" + std::to_string(Factor) +
      "(unsigned *Data, unsigned Count) {\n"
      "  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (I < Count)\n"
      "    Data[I] *= FACTOR;\n"
      "}\n";
  const std::string Define = "-DFACTOR=" + std::to_string(Factor);
  std::vector<const char *> Options = {Architecture.c_str(), Define.c_str()};
  Options.insert(Options.end(), Given.begin(), Given.end());
  hiprtcProgram Program;
  checkRtc(hiprtcCreateProgram(&Program, Source.c_str(), "times.hip", 0,
                               nullptr, nullptr),
           "hiprtcCreateProgram");
  checkRtc(hiprtcCompileProgram(Program, int(Options.size()), Options.data()),
           "hiprtcCompileProgram");
  size_t Size = 0;
  checkRtc(hiprtcGetCodeSize(Program, &Size), "hiprtcGetCodeSize");
  std::vector<char> Code(Size);
  checkRtc(hiprtcGetCode(Program, Code.data()), "hiprtcGetCode");
  checkRtc(hiprtcDestroyProgram(&Program), "hiprtcDestroyProgram");
  return Code;
}

static std::vector<unsigned> launch(unsigned Factor) {
  const std::vector<char> Code = compile(Factor);
  hipModule_t Module;
  hipFunction_t Kernel;
  CHECK_HIP(hipModuleLoadData(&Module, Code.data()));
  CHECK_HIP(hipModuleGetFunction(&Kernel, Module,
                                 ("times" + std::to_string(Factor)).c_str()));
  const DeviceArray<unsigned> Data(std::vector<unsigned>(Count, 7));
  unsigned *Memory = Data.get(), Number = Count;
  void *Arguments[] = {&Memory, &Number};
  for (int Times = 0; Times != 2; ++Times)
    CHECK_HIP(hipModuleLaunchKernel(Kernel, groupsFor(Count, 64), 1, 1, 64, 1,
                                    1, 0, nullptr, Arguments, nullptr));
  std::vector<unsigned> Result = Data.read();
  CHECK_HIP(hipModuleUnload(Module));
  return Result;
}

int main(int Argc, char **Argv) {
  hipDeviceProp_t Properties;
  CHECK_HIP(hipGetDeviceProperties(&Properties, 0));
  Architecture = std::string("--gpu-architecture=") + Properties.gcnArchName;
  Given.assign(Argv + 1, Argv + Argc);
  std::vector<std::vector<unsigned>> Results(Threads);
  std::vector<std::thread> All;
  for (unsigned Thread = 0; Thread != Threads; ++Thread)
    All.emplace_back([&, Thread] { Results[Thread] = launch(Thread + 3); });
  for (std::thread &T : All)
    T.join();
  Verdict V("compiled");
  for (unsigned Thread = 0; Thread != Threads; ++Thread)
    V.expectEqual(Results[Thread], std::vector<unsigned>(
                                       Count, 7 * (Thread + 3) * (Thread + 3)));
  return V.finish();
}
