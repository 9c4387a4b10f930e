// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP's functions about memory. Nothing is asynchronous here.
#include "Device.h"
#include "Status.h"

using namespace luthier::hip;

using Guard = std::lock_guard<std::recursive_mutex>;

extern "C" {

hipError_t hipMalloc(void **Memory, size_t Size) {
  Guard Locked(lock());
  // As HIP has it.
  *Memory = Size ? device().allocate(Size) : nullptr;
  return doneIf(*Memory || !Size, hipErrorOutOfMemory);
}
hipError_t hipHostMalloc(void **Memory, size_t Size, unsigned) {
  Guard Locked(lock());
  *Memory = device().allocateShared(Size);
  return doneIf(*Memory, hipErrorOutOfMemory);
}
hipError_t hipMallocManaged(void **Memory, size_t Size, unsigned) {
  return hipHostMalloc(Memory, Size, 0);
}
hipError_t hipFree(void *Memory) {
  Guard Locked(lock());
  return doneIf(!Memory || device().free(Memory));
}
hipError_t hipHostFree(void *Memory) { return hipFree(Memory); }
hipError_t hipHostGetDevicePointer(void **OnDevice, void *Memory, unsigned) {
  *OnDevice = Memory;
  return hipSuccess;
}

hipError_t hipMemcpy(void *To, const void *From, size_t Size, hipMemcpyKind) {
  Guard Locked(lock());
  return doneIf(device().copy(To, From, Size));
}
hipError_t hipMemcpyAsync(void *To, const void *From, size_t Size,
                          hipMemcpyKind Kind, hipStream_t) {
  return hipMemcpy(To, From, Size, Kind);
}
hipError_t hipMemcpyWithStream(void *To, const void *From, size_t Size,
                               hipMemcpyKind Kind, hipStream_t) {
  return hipMemcpy(To, From, Size, Kind);
}
hipError_t hipMemcpyDtoH(void *To, hipDeviceptr_t From, size_t Size) {
  return hipMemcpy(To, From, Size, hipMemcpyDeviceToHost);
}
hipError_t hipMemcpyHtoD(hipDeviceptr_t To, void *From, size_t Size) {
  return hipMemcpy(To, From, Size, hipMemcpyHostToDevice);
}
hipError_t hipMemcpy2D(void *To, size_t ToPitch, const void *From,
                       size_t FromPitch, size_t Width, size_t Height,
                       hipMemcpyKind Kind) {
  for (size_t Row = 0; Row != Height; ++Row)
    if (hipError_t Status = hipMemcpy(
            static_cast<char *>(To) + Row * ToPitch,
            static_cast<const char *>(From) + Row * FromPitch, Width, Kind))
      return Status;
  return hipSuccess;
}

hipError_t hipMemset(void *To, int Byte, size_t Size) {
  Guard Locked(lock());
  return doneIf(device().fill(To, Byte, Size));
}
hipError_t hipMemsetAsync(void *To, int Byte, size_t Size, hipStream_t) {
  return hipMemset(To, Byte, Size);
}
}
