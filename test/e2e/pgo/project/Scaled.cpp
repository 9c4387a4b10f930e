// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Scaled.h"
#include <hip/hip_runtime.h>

static __global__ void scale(int *Value) { *Value *= FACTOR; }

int scaled(int Value) {
  int *Data = nullptr;
  if (hipMalloc(&Data, sizeof(int)) != hipSuccess ||
      hipMemcpy(Data, &Value, sizeof(int), hipMemcpyHostToDevice) != hipSuccess)
    return -1;
  scale<<<1, 1>>>(Data);
  const hipError_t Failure =
      hipMemcpy(&Value, Data, sizeof(int), hipMemcpyDeviceToHost);
  return Failure == hipSuccess ? Value : -1;
}
