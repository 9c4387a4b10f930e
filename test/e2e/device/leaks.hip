// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and unloads one module again and again, which has the kernel of this
// file, and launches it sometimes: neither descriptors nor memory grow with the
// number.
//
//   leaks MODULE LOADS
#include "Check.h"

#include <cstdlib>
#include <dirent.h>
#include <fstream>
#include <malloc.h>
#include <string>

extern "C" __global__ void increment(int *Data) { Data[threadIdx.x] += 1; }

/// What a process must not collect.
struct Possessions {
  long Descriptors = 0, Mappings = 0;
  /// In KiB: addresses, and memory behind them.
  long Mapped = 0, Resident = 0;
};

static Possessions count() {
  Possessions Now;
  DIR *Folder = opendir("/proc/self/fd");
  while (readdir(Folder))
    ++Now.Descriptors;
  closedir(Folder);
  std::string Line;
  for (std::ifstream Maps("/proc/self/maps"); std::getline(Maps, Line);)
    ++Now.Mappings;
  for (std::ifstream Status("/proc/self/status"); std::getline(Status, Line);) {
    if (Line.rfind("VmSize:", 0) == 0)
      Now.Mapped = std::strtol(Line.c_str() + 7, nullptr, 10);
    if (Line.rfind("VmRSS:", 0) == 0)
      Now.Resident = std::strtol(Line.c_str() + 6, nullptr, 10);
  }
  return Now;
}

static void loadAndUnload(const char *File, int *Data, bool Launches) {
  hipModule_t Module;
  hipFunction_t Function;
  check(hipModuleLoad(&Module, File), "hipModuleLoad");
  check(hipModuleGetFunction(&Function, Module, "increment"),
        "hipModuleGetFunction");
  if (Launches) {
    void *Arguments[] = {&Data};
    check(hipModuleLaunchKernel(Function, 1, 1, 1, 64, 1, 1, 0, nullptr,
                                Arguments, nullptr),
          "launch");
    check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  }
  check(hipModuleUnload(Module), "hipModuleUnload");
}

int main(int, char **Arguments) {
  constexpr int WarmUp = 200, LaunchEach = 50;
  // Heaps go up and down by some pages whatever is loaded.
  constexpr long MayGrow = 2048;
  // malloc() gives threads 64 MiB of addresses each, when they first meet
  // another one in it.
  check(mallopt(M_ARENA_MAX, 1) == 1, "mallopt");
  const int Loads = std::atoi(Arguments[2]);
  int *Data;
  check(hipMalloc(&Data, 64 * sizeof(int)), "hipMalloc");
  check(hipMemset(Data, 0, 64 * sizeof(int)), "hipMemset");
  Possessions Before;
  int Launches = 0;
  for (int I = 0; I != Loads && !Failures; ++I) {
    if (I == WarmUp)
      Before = count();
    const bool IsLaunched = I % LaunchEach == 0;
    loadAndUnload(Arguments[1], Data, IsLaunched);
    Launches += IsLaunched;
  }
  const Possessions After = count();
  int Result = 0;
  check(hipMemcpy(&Result, Data, sizeof(Result), hipMemcpyDeviceToHost),
        "hipMemcpy");
  check(Result == Launches, "launches", Result);
  std::printf(
      "%d loads after %d: descriptors %ld, %ld before; mappings %ld, %ld "
      "before; KiB mapped %ld, %ld before; KiB resident %ld, %ld before\n",
      Loads - WarmUp, WarmUp, After.Descriptors, Before.Descriptors,
      After.Mappings, Before.Mappings, After.Mapped, Before.Mapped,
      After.Resident, Before.Resident);
  check(After.Descriptors - Before.Descriptors <= 0, "descriptors");
  check(After.Mappings - Before.Mappings <= 16, "mappings");
  check(After.Mapped - Before.Mapped <= MayGrow, "KiB mapped");
  check(After.Resident - Before.Resident <= MayGrow, "KiB resident");
  return verdict();
}
