// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels in which the numbers that instr-count adds up without loops are at
// their limits: more instructions than 16 bits hold, in functions that are
// called again and again; and a loop that is left in its middle, whose other
// half is more than all the rest of the kernel.
#include "../../examples/programs/Check.h"

__device__ __attribute__((noinline)) unsigned inner(unsigned Value) {
#pragma clang loop unroll(full)
  for (unsigned I = 0; I < 120; ++I)
    Value = (Value ^ Value >> 7) * 0x9e3779b1u + I;
  return Value;
}

__device__ __attribute__((noinline)) unsigned middle(unsigned Value) {
#pragma clang loop unroll(full)
  for (unsigned I = 0; I < 16; ++I)
    Value = inner(Value);
  return Value;
}

__global__ void callOften(unsigned *Data) {
  unsigned Value = Data[threadIdx.x];
#pragma clang loop unroll(full)
  for (unsigned I = 0; I < 16; ++I)
    Value = middle(Value);
  Data[threadIdx.x] = Value;
}

/// Lane I leaves in round I % 8. Behind the way out, the wave counts alone.
__global__ void leaveInTheMiddle(unsigned *Data) {
  unsigned Round = 0;
  asm volatile("s_mov_b64 s[40:41], exec\n"
               "s_mov_b32 s42, 0\n"
               "1:\n"
               "v_add_u32_e32 %0, 1, %0\n"
               "v_cmp_gt_u32_e32 vcc, %1, %0\n"
               "s_and_b64 exec, exec, vcc\n"
               "s_cbranch_execz 2f\n"
               ".rept 60\n"
               "s_add_u32 s42, s42, 1\n"
               ".endr\n"
               "s_branch 1b\n"
               "2:\n"
               "s_mov_b64 exec, s[40:41]\n"
               : "+v"(Round)
               : "v"(threadIdx.x % 8)
               : "s40", "s41", "s42", "vcc", "scc");
  Data[threadIdx.x] = Round;
}

int main() {
  constexpr unsigned Count = 100;
  Random Input(3);
  std::vector<unsigned> Values(Count);
  for (unsigned &Value : Values)
    Value = unsigned(Input.next());
  Verdict Results("counted-once");
  const DeviceArray<unsigned> Data(Values);
  callOften<<<1, Count>>>(Data.get());
  for (unsigned &Value : Values)
    for (unsigned Call = 0; Call < 256; ++Call)
      for (unsigned I = 0; I < 120; ++I)
        Value = (Value ^ Value >> 7) * 0x9e3779b1u + I;
  Results.expectEqual(Data.read(), Values);
  leaveInTheMiddle<<<1, Count>>>(Data.get());
  for (unsigned I = 0; I < Count; ++I)
    Values[I] = std::max(1u, I % 8);
  Results.expectEqual(Data.read(), Values);
  return Results.finish();
}
