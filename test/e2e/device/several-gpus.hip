// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several GPUs at once: memory, kernels and streams of each, copies from one to
// the other, and a kernel that reads and writes its peer's memory.
#include "Check.h"

#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

static const int N = 3000;

__global__ void scale(int *Data, int Factor) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Data[I] *= Factor;
}

__global__ void addFrom(int *Data, const int *Other) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Data[I] += Other[I];
}

static int *filled(int Device, int Start) {
  std::vector<int> Host(N);
  for (int I = 0; I < N; ++I)
    Host[I] = Start + I;
  int *Data = nullptr;
  check(hipSetDevice(Device), "hipSetDevice");
  check(hipMalloc(&Data, N * 4), "hipMalloc");
  check(hipMemcpy(Data, Host.data(), N * 4, hipMemcpyHostToDevice), "copy in");
  return Data;
}

template <typename F>
static void expect(const int *Data, F Want, const char *What) {
  std::vector<int> Host(N);
  check(hipMemcpy(Host.data(), Data, N * 4, hipMemcpyDeviceToHost), What);
  for (int I = 0; I < N; ++I)
    if (Host[I] != Want(I))
      return check(false, What, I);
}

static void testKernelsOnEach(int NumDevices) {
  std::vector<int *> Data;
  for (int D = 0; D < NumDevices; ++D) {
    Data.push_back(filled(D, D));
    scale<<<(N + 255) / 256, 256>>>(Data[D], D + 2);
  }
  for (int D = 0; D < NumDevices; ++D) {
    check(hipSetDevice(D), "hipSetDevice");
    check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    expect(Data[D], [&](int I) { return (I + D) * (D + 2); }, "own kernel");
    hipPointerAttribute_t Attributes;
    check(hipPointerGetAttributes(&Attributes, Data[D]), "attributes");
    check(Attributes.device == D, "pointer's device", D);
    check(hipFree(Data[D]), "hipFree");
  }
}

static void testPeerCopies() {
  int *First = filled(0, 100), *Second = filled(1, 7);
  check(hipMemcpyPeer(Second, 1, First, 0, N * 4), "hipMemcpyPeer");
  expect(Second, [](int I) { return 100 + I; }, "peer copy");
  // Kernel, copy to the peer, kernel there, each waiting for the one before.
  hipStream_t OnFirst, OnSecond;
  hipEvent_t Copied;
  check(hipSetDevice(0), "hipSetDevice");
  check(hipStreamCreate(&OnFirst), "hipStreamCreate");
  check(hipEventCreate(&Copied), "hipEventCreate");
  scale<<<(N + 63) / 64, 64, 0, OnFirst>>>(First, 3);
  check(hipMemcpyPeerAsync(Second, 1, First, 0, N * 4, OnFirst),
        "hipMemcpyPeerAsync");
  check(hipEventRecord(Copied, OnFirst), "hipEventRecord");
  check(hipSetDevice(1), "hipSetDevice");
  check(hipStreamCreate(&OnSecond), "hipStreamCreate");
  check(hipStreamWaitEvent(OnSecond, Copied, 0), "hipStreamWaitEvent");
  scale<<<(N + 63) / 64, 64, 0, OnSecond>>>(Second, 5);
  check(hipStreamSynchronize(OnSecond), "hipStreamSynchronize");
  expect(Second, [](int I) { return (100 + I) * 15; }, "chain over devices");
  check(hipStreamDestroy(OnFirst), "hipStreamDestroy");
  check(hipStreamDestroy(OnSecond), "hipStreamDestroy");
  hipFree(First);
  hipFree(Second);
}

static void testPeerAccess() {
  int Possible = 0;
  check(hipDeviceCanAccessPeer(&Possible, 0, 1), "hipDeviceCanAccessPeer");
  check(Possible == 1, "peers can access one another");
  check(hipSetDevice(0), "hipSetDevice");
  check(hipDeviceEnablePeerAccess(1, 0), "hipDeviceEnablePeerAccess");
  int *First = filled(0, 1), *Second = filled(1, 1000);
  check(hipSetDevice(0), "hipSetDevice");
  addFrom<<<(N + 255) / 256, 256>>>(First, Second);
  scale<<<(N + 255) / 256, 256>>>(Second, 2);
  check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  expect(First, [](int I) { return 1001 + 2 * I; }, "read from the peer");
  expect(Second, [](int I) { return 2000 + 2 * I; }, "written to the peer");
  check(hipDeviceDisablePeerAccess(1), "hipDeviceDisablePeerAccess");
  hipFree(First);
  hipFree(Second);
}

/// A host thread for each device.
static void testThreads(int NumDevices) {
  std::vector<std::thread> Threads;
  for (int D = 0; D < NumDevices; ++D)
    Threads.emplace_back([D] {
      int *Data = filled(D, 0);
      for (int Round = 0; Round < 10; ++Round)
        scale<<<(N + 255) / 256, 256>>>(Data, 2);
      expect(Data, [](int I) { return I * 1024; }, "thread's device");
      hipFree(Data);
    });
  for (std::thread &T : Threads)
    T.join();
}

/// Without peer access the other device's memory is not there.
static int faultOnPeer() {
  int *Second = filled(1, 0);
  check(hipSetDevice(0), "hipSetDevice");
  scale<<<1, 64>>>(Second, 2);
  std::printf("survived: %d\n", hipDeviceSynchronize());
  return 0;
}

int main(int NumArguments, char **Arguments) {
  int NumDevices = 0;
  check(hipGetDeviceCount(&NumDevices), "hipGetDeviceCount");
  check(NumDevices == NumArguments - 1, "number of devices", NumDevices);
  if (NumDevices < 2)
    return verdict();
  if (!std::strcmp(Arguments[NumArguments - 1], "fault"))
    return faultOnPeer();
  for (int D = 0; D < NumDevices; ++D) {
    hipDeviceProp_t Properties;
    check(hipGetDeviceProperties(&Properties, D), "hipGetDeviceProperties");
    const char *Want = Arguments[1 + D];
    check(!std::strncmp(Properties.gcnArchName, Want, std::strlen(Want)),
          Properties.gcnArchName, D);
  }
  testKernelsOnEach(NumDevices);
  testPeerCopies();
  testPeerAccess();
  testThreads(NumDevices);
  return verdict();
}
