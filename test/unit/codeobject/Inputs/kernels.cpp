// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose descriptors differ in each field that the tests look at. Plain
// C++ for the device, so that no device library is needed.
#define KERNEL extern "C" [[clang::amdgpu_kernel, gnu::visibility("protected")]]
#define GLOBAL [[clang::address_space(1)]]
using Int = int GLOBAL;
using Float = float GLOBAL;

static unsigned id() { return __builtin_amdgcn_workitem_id_x(); }

KERNEL void add(Int *To, int Value) { To[id()] += Value; }

using Local = int [[clang::address_space(3)]];
[[clang::loader_uninitialized]] static Local Shared[256];
KERNEL [[clang::amdgpu_flat_work_group_size(1, 256)]] void
useLocalMemory(Int *To) {
  Shared[id()] = To[id()];
  __builtin_amdgcn_s_barrier();
  To[id()] = Shared[255 - id()];
}

// The index is not known, so that the array stays in memory.
KERNEL void useStack(Int *To, int Index) {
  volatile int Stack[20];
  for (int I = 0; I < 20; ++I)
    Stack[I] = To[I];
  To[0] = Stack[Index];
}

KERNEL void useRegisters(Float *To, float A) {
  float Values[60];
  for (int I = 0; I < 60; ++I)
    Values[I] = To[I * 64 + id()];
  __builtin_amdgcn_s_barrier();
  for (int I = 0; I < 60; ++I)
    To[id() * 64 + I] = Values[59 - I] * A;
}

#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__) ||       \
    defined(__gfx950__)
KERNEL void useAccumulators(Float *To) {
  float A;
  asm volatile("v_accvgpr_write_b32 %0, 1" : "=a"(A) : : "a9");
  asm volatile("; %0" : : "a"(A));
  To[0] = 1;
}
#endif

[[gnu::noinline, gnu::visibility("protected")]] int notAKernel(Int *From) {
  return *From * 3;
}
KERNEL void callFunction(Int *To) { *To = notAKernel(To + 1); }
