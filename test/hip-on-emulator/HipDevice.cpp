// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP's functions about devices and errors.
#include "Device.h"
#include "Status.h"
#include <cstring>

using namespace luthier::hip;

static thread_local hipError_t LastError = hipSuccess;

hipError_t luthier::hip::done(hipError_t Status) {
  if (Status != hipSuccess)
    LastError = Status;
  return Status;
}

static constexpr size_t MemoryBytes = size_t(16) << 30;

extern "C" {

hipError_t hipGetLastError() {
  const hipError_t Last = LastError;
  LastError = hipSuccess;
  return Last;
}
hipError_t hipPeekAtLastError() { return LastError; }

const char *hipGetErrorName(hipError_t Error) {
  switch (Error) {
  case hipSuccess:
    return "hipSuccess";
  case hipErrorInvalidValue:
    return "hipErrorInvalidValue";
  case hipErrorOutOfMemory:
    return "hipErrorOutOfMemory";
  case hipErrorInvalidDevice:
    return "hipErrorInvalidDevice";
  case hipErrorInvalidConfiguration:
    return "hipErrorInvalidConfiguration";
  case hipErrorInvalidDeviceFunction:
    return "hipErrorInvalidDeviceFunction";
  case hipErrorNoBinaryForGpu:
    return "hipErrorNoBinaryForGpu";
  case hipErrorFileNotFound:
    return "hipErrorFileNotFound";
  case hipErrorNotFound:
    return "hipErrorNotFound";
  default:
    return "another error";
  }
}
const char *hipGetErrorString(hipError_t Error) {
  return hipGetErrorName(Error);
}

hipError_t hipGetDevice(int *Number) {
  *Number = 0;
  return hipSuccess;
}
hipError_t hipGetDeviceCount(int *Count) {
  *Count = 1;
  return hipSuccess;
}
hipError_t hipSetDevice(int Number) {
  return doneIf(Number == 0, hipErrorInvalidDevice);
}
hipError_t hipDeviceSynchronize() { return hipSuccess; }
hipError_t hipMemGetInfo(size_t *Free, size_t *Total) {
  *Free = *Total = MemoryBytes;
  return hipSuccess;
}

hipError_t hipGetDeviceProperties(hipDeviceProp_t *P, int Number) {
  if (Number != 0)
    return done(hipErrorInvalidDevice);
  const Settings &S = settings();
  *P = {};
  S.Target.copy(P->name, sizeof(P->name) - 1);
  S.Target.copy(P->gcnArchName, sizeof(P->gcnArchName) - 1);
  // As HIP counts them: 908, 910 for gfx90a, 1030.
  const std::string Digits = S.Target.substr(3);
  P->major = std::stoi(Digits.substr(0, Digits.size() - 2));
  P->minor = std::stoi(Digits.substr(Digits.size() - 2, 1), nullptr, 16);
  P->gcnArch = P->major * 100 + P->minor * 10 +
               std::stoi(Digits.substr(Digits.size() - 1), nullptr, 16);
  P->warpSize = S.WaveSize;
  P->totalGlobalMem = MemoryBytes;
  P->sharedMemPerBlock = P->maxSharedMemoryPerMultiProcessor =
      (S.Target == "gfx950" ? 160 : 64) << 10;
  P->regsPerBlock = 65536;
  P->maxThreadsPerBlock = 1024;
  P->multiProcessorCount = 8;
  P->maxThreadsPerMultiProcessor = 2048;
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    P->maxThreadsDim[Axis] = 1024;
    P->maxGridSize[Axis] = INT32_MAX;
  }
  P->clockRate = P->memoryClockRate = 1000000;
  P->clockInstructionRate = 100000;
  P->totalConstMem = MemoryBytes;
  P->concurrentKernels = P->canMapHostMemory = 1;
  return hipSuccess;
}

hipError_t hipDeviceGetAttribute(int *Value, hipDeviceAttribute_t Attribute,
                                 int Number) {
  hipDeviceProp_t P;
  if (hipError_t Status = hipGetDeviceProperties(&P, Number))
    return Status;
  switch (Attribute) {
  case hipDeviceAttributeWarpSize:
    *Value = P.warpSize;
    return hipSuccess;
  case hipDeviceAttributeMultiprocessorCount:
    *Value = P.multiProcessorCount;
    return hipSuccess;
  case hipDeviceAttributeMaxThreadsPerBlock:
    *Value = P.maxThreadsPerBlock;
    return hipSuccess;
  case hipDeviceAttributeMaxSharedMemoryPerBlock:
    *Value = int(P.sharedMemPerBlock);
    return hipSuccess;
  case hipDeviceAttributeClockRate:
    *Value = P.clockRate;
    return hipSuccess;
  default:
    return done(hipErrorInvalidValue);
  }
}
}
