// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel whose blocks are executed a known number of times: of 1000 lanes,
// lane I goes I % 7 times through a loop, and each third takes a branch.
//   counting devices       a launch on each device
//   counting modules FILE...  loads the kernel from each, with a launch each
//   counting _exit|SIGTERM  a launch, then the process ends so
//   counting SIGKILL [FILE]  two launches, or as many as it takes until FILE
//                          names the kernel, then the process is killed
//   counting abort         a launch, then the process ends so
//   counting fault         likewise, by a launch that writes where no memory is
//   counting exec          a launch, then the program anew in this process
//   counting processes     two of them, with a launch each
//   counting beside FILE   a process that loads the kernel from FILE, launches
//                          it and ends by _exit(); then a launch in this one
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <hip/hip_runtime.h>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

static void check(hipError_t Status) {
  if (Status == hipSuccess)
    return;
  std::fprintf(stderr, "%s\n", hipGetErrorString(Status));
  std::exit(1);
}

extern "C" __global__ void counting(unsigned *Out) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned Sum = 0;
  for (unsigned Turn = 0; Turn < I % 7; ++Turn)
    Sum += Out[I] + Turn;
  if (I % 3 == 0)
    Sum += 1000;
  Out[I] = Sum;
}

static unsigned *buffer() {
  unsigned *Out = nullptr;
  check(hipMalloc(&Out, 4000));
  check(hipMemset(Out, 0, 4000));
  return Out;
}

static void launch() {
  counting<<<10, 100>>>(buffer());
  check(hipDeviceSynchronize());
}

static void launchModule(const char *Path) {
  hipModule_t Module;
  hipFunction_t Kernel;
  check(hipModuleLoad(&Module, Path));
  check(hipModuleGetFunction(&Kernel, Module, "counting"));
  unsigned *Out = buffer();
  void *Arguments[] = {&Out};
  check(hipModuleLaunchKernel(Kernel, 10, 1, 1, 100, 1, 1, 0, nullptr,
                              Arguments, nullptr));
  check(hipDeviceSynchronize());
  check(hipModuleUnload(Module));
}

/// Before this process starts the GPU's runtime, which children cannot inherit.
static void launchInChild(const char *Path) {
  if (fork() == 0) {
    launchModule(Path);
    _exit(0);
  }
  int Status = 1;
  wait(&Status);
  if (Status)
    std::exit(1);
}

static bool namesKernel(const char *Path) {
  std::stringstream Text;
  Text << std::ifstream(Path).rdbuf();
  return Text.str().find("\"counting\"") != std::string::npos;
}

int main(int Argc, char **Argv) {
  const std::string How = Argc > 1 ? Argv[1] : "devices";
  if (How == "modules") {
    for (int I = 2; I != Argc; ++I)
      launchModule(Argv[I]);
    return 0;
  }
  if (How == "processes")
    for (int N = 0; N != 2; ++N)
      if (fork() == 0) {
        execl(Argv[0], Argv[0], "devices", nullptr);
        _exit(127);
      }
  while (How == "processes" && wait(nullptr) > 0)
    ;
  if (How == "processes")
    return 0;
  if (How == "beside")
    launchInChild(Argv[2]);
  int Count = 1;
  if (How == "devices")
    check(hipGetDeviceCount(&Count));
  for (int N = 0; N != Count; ++N) {
    check(hipSetDevice(N));
    launch();
  }
  if (How == "_exit")
    _exit(0);
  if (How == "SIGTERM")
    raise(SIGTERM);
  if (How == "exec")
    execl(Argv[0], Argv[0], "devices", nullptr);
  if (How == "abort")
    abort();
  if (How == "fault") {
    counting<<<10, 100>>>(nullptr);
    return hipDeviceSynchronize() != hipSuccess;
  }
  if (How == "SIGKILL") {
    do
      launch();
    while (Argc > 2 && !namesKernel(Argv[2]));
    raise(SIGKILL);
  }
}
