// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two kernels: no hooks can be put into one, since it has bytes that are no
// instruction, on a way that is never taken.
//   refused            launches both
//   refused only       launches that one alone
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>

extern "C" __global__ void counted(unsigned *Out) {
  if (threadIdx.x % 2)
    Out[threadIdx.x] = 1;
}

extern "C" __global__ void opaque(unsigned *Out, bool Never) {
  if (Never)
    asm volatile(".long 0xffffffff");
  Out[threadIdx.x] = 2;
}

int main(int Argc, char **) {
  unsigned *Out = nullptr;
  if (hipMalloc(&Out, 256) != hipSuccess)
    return 1;
  if (Argc == 1)
    counted<<<1, 64>>>(Out);
  opaque<<<1, 64>>>(Out, false);
  return hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
