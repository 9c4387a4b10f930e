// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels in launches of one to three dimensions, also with workgroups that the
// grid's end cuts off. Each work-item writes down what it knows of the launch
// and, in one kernel, what it computes with atomics, functions of mathematics
// and memory of all kinds; under the tool of the same name, hooks at the
// kernel's start and end have written the same, or the program fails.
#include <hip/hip_ext.h>
#include <hip/hip_runtime.h>
#include <hsa/hsa.h>

#include "../device/Check.h"
#include "Record.h"

#include <cstring>
#include <string>
#include <vector>

/// Keeps busy with values of its own in between, so that little of what the
/// launch left in registers survives.
extern "C" __global__ void plain(Records R, uint32_t *Work) {
  uint32_t Item = workItem(), Value = Item;
  R.Clocks[InKernel][Item] = timesNow();
  for (uint32_t I = 0; I < Item % 17; ++I)
    Value = Value * 1664525 + 1013904223;
  writeRecord(R.Slots[0][Item]);
  R.Where[0][Item] = pointersNow();
  Work[Item] = Value;
  R.Clocks[LaterInKernel][Item] = timesNow();
}

/// With a group segment and a barrier, at which there is a hook, too, and with
/// what is computed.
extern "C" __global__ void sharing(Records R, uint32_t *Work) {
  __shared__ uint32_t Shared[1024];
  uint32_t InGroup =
      (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  uint32_t Item = workItem();
  Shared[InGroup] = Item;
  R.Clocks[InKernel][Item] = timesNow();
  __syncthreads();
  R.Clocks[LaterInKernel][Item] = timesNow();
  writeRecord(R.Slots[0][Item]);
  R.Where[0][Item] = pointersNow();
  compute(R.Results[0][Item], Item);
  Work[Item] = Shared[InGroup ^ 1 ? InGroup : 0] + Shared[0];
}

/// Asks for nothing but its one argument.
extern "C" __global__ void modest(Records R, uint32_t *Work) {
  if (R.Count == 0)
    Work[0] = 1;
}

struct Launch {
  dim3 Items, Group;
};

template <class T>
static std::vector<T> copyOf(const T *Device, uint32_t Count) {
  std::vector<T> Host(Count);
  check(
      hipMemcpy(Host.data(), Device, Count * sizeof(T), hipMemcpyDeviceToHost),
      "hipMemcpy");
  return Host;
}

template <class T> static T *zeros(uint32_t Count) {
  T *Device = nullptr;
  check(hipMalloc(&Device, Count * sizeof(T)), "hipMalloc");
  check(hipMemset(Device, 0, Count * sizeof(T)), "hipMemset");
  return Device;
}

/// The first word in which the two differ, or -1.
template <class T> static int differingWord(const T &A, const T &B) {
  uint32_t Words[2][sizeof(T) / 4];
  std::memcpy(Words[0], &A, sizeof(T));
  std::memcpy(Words[1], &B, sizeof(T));
  for (size_t I = 0; I < sizeof(T) / 4; ++I)
    if (Words[0][I] != Words[1][I])
      return I;
  return -1;
}

/// What a work-item sees of a clock never goes back.
static void checkClocks(const Records &R, const char *Name, bool Instrumented) {
  std::vector<Times> At[5];
  for (int M = AtEntry; M <= AtEnd; ++M)
    At[M] = copyOf(R.Clocks[M], R.Count);
  const bool HasKernels = std::strcmp(Name, "modest") != 0,
             HasBetween = std::strcmp(Name, "sharing") == 0;
  for (uint32_t I = 0; I < R.Count; ++I) {
    Times Last = {};
    for (int M = AtEntry; M <= AtEnd; ++M) {
      const Times &Now = At[M][I];
      const bool IsKernels = M == InKernel || M == LaterInKernel;
      const bool Exists =
          IsKernels ? HasKernels : Instrumented && (M != Between || HasBetween);
      check((Now.Clock && Now.Wall) == Exists, "who looks at the clocks", M);
      if (Exists)
        check(Now.Clock >= Last.Clock && Now.Wall >= Last.Wall,
              "a clock goes on, up to moment", M);
      if (Exists)
        Last = Now;
    }
    if (Failures)
      return;
  }
}

static void run(hipModule_t Module, const char *Name, const Launch &L,
                bool Instrumented) {
  hipFunction_t Function;
  check(hipModuleGetFunction(&Function, Module, Name), "hipModuleGetFunction");
  Records R;
  R.Count = L.Items.x * L.Items.y * L.Items.z;
  auto *Work = zeros<uint32_t>(R.Count);
  for (Record *&Slot : R.Slots)
    Slot = zeros<Record>(R.Count);
  for (Pointers *&Where : R.Where)
    Where = zeros<Pointers>(R.Count);
  for (Computed *&Results : R.Results)
    Results = zeros<Computed>(R.Count);
  for (Times *&Clocks : R.Clocks)
    Clocks = zeros<Times>(R.Count);
  void *Arguments[] = {&R, &Work};
  check(hipExtModuleLaunchKernel(Function, L.Items.x, L.Items.y, L.Items.z,
                                 L.Group.x, L.Group.y, L.Group.z, 0, nullptr,
                                 Arguments, nullptr, nullptr, nullptr, 0),
        "hipExtModuleLaunchKernel");
  check(hipDeviceSynchronize(), "hipDeviceSynchronize");

  std::vector<Record> Own = copyOf(R.Slots[0], R.Count);
  std::vector<Pointers> OwnWhere = copyOf(R.Where[0], R.Count);
  std::vector<Computed> OwnResults = copyOf(R.Results[0], R.Count);
  const bool Writes = std::strcmp(Name, "modest") != 0,
             Computes = std::strcmp(Name, "sharing") == 0;
  for (int Hook = 1; Hook <= 2; ++Hook) {
    std::vector<Record> Hooks = copyOf(R.Slots[Hook], R.Count);
    std::vector<Pointers> Where = copyOf(R.Where[Hook], R.Count);
    std::vector<Computed> Results = copyOf(R.Results[Hook], R.Count);
    for (uint32_t I = 0; I < R.Count; ++I) {
      check(Hooks[I].Written == (Instrumented ? 0x600du : 0u),
            "the hook runs where the tool is", I);
      if (!Instrumented)
        break;
      if (Writes)
        check(differingWord(Where[I], OwnWhere[I]) < 0,
              "word of the pointers by a hook",
              differingWord(Where[I], OwnWhere[I]));
      if (Writes)
        check(differingWord(Hooks[I], Own[I]) < 0,
              Hook == 1 ? "word of the record by the hook at the start"
                        : "word of the record by the hook at the end",
              differingWord(Hooks[I], Own[I]));
      else
        check(Hooks[I].GridItems[0] == L.Items.x &&
                  Hooks[I].GridItems[1] == L.Items.y &&
                  Hooks[I].GridSize[2] ==
                      (L.Items.z + L.Group.z - 1) / L.Group.z,
              "a hook sees a launch that the kernel did not ask for", I);
      check(Results[I].Written == (I % 3 == 1 ? 0 : 0xd0eu),
            "the hook computes where its lanes are active", I);
      if (Computes)
        check(differingWord(Results[I], OwnResults[I]) < 0,
              "word of what is computed by a hook",
              differingWord(Results[I], OwnResults[I]));
      if (Failures)
        return;
    }
  }
  checkClocks(R, Name, Instrumented);
  for (Record *Slot : R.Slots)
    check(hipFree(Slot), "hipFree");
  for (Pointers *Where : R.Where)
    check(hipFree(Where), "hipFree");
  for (Computed *Results : R.Results)
    check(hipFree(Results), "hipFree");
  for (Times *Clocks : R.Clocks)
    check(hipFree(Clocks), "hipFree");
  check(hipFree(Work), "hipFree");
}

int main(int Count, char **Arguments) {
  const bool Instrumented =
      Count > 2 && Arguments[2] == std::string("instrumented");
  hipModule_t Module;
  check(hipModuleLoad(&Module, Arguments[1]), "hipModuleLoad");
  const Launch Launches[] = {
      {{64, 1, 1}, {64, 1, 1}},  {{1000, 1, 1}, {128, 1, 1}},
      {{40, 24, 1}, {16, 8, 1}}, {{37, 21, 1}, {16, 8, 1}},
      {{12, 10, 9}, {4, 5, 3}},  {{13, 7, 5}, {8, 4, 4}},
      {{1, 1, 130}, {1, 1, 64}},
  };
  for (const Launch &L : Launches)
    for (const char *Name : {"plain", "sharing", "modest"}) {
      run(Module, Name, L, Instrumented);
      if (Failures) {
        std::printf("in %s, grid %u %u %u, group %u %u %u\n", Name, L.Items.x,
                    L.Items.y, L.Items.z, L.Group.x, L.Group.y, L.Group.z);
        return verdict();
      }
    }
  return verdict();
}
