// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that calls functions through pointers: from a table in memory, for
// lanes that disagree, and from a register, for good.
#define GLOBAL [[clang::address_space(1)]]
#define NOINLINE extern "C" __attribute__((noinline))
#define KERNEL extern "C" [[clang::amdgpu_kernel, gnu::visibility("protected")]]
constexpr unsigned GroupSize = 128;

using Function = unsigned (*)(unsigned);
NOINLINE unsigned half(unsigned N) { return N / 2; }
NOINLINE unsigned triple(unsigned N) { return 3 * N + 1; }
NOINLINE unsigned twice(Function F, unsigned N) { return F(F(N)); }
Function Steps[] = {half, triple};

KERNEL void collatzSteps(int GLOBAL *Out) {
  const unsigned I = __builtin_amdgcn_workgroup_id_x() * GroupSize +
                     __builtin_amdgcn_workitem_id_x();
  unsigned Count = 0;
  for (unsigned N = I % 61 + 1; N != 1; ++Count)
    N = Steps[N % 2](N);
  Out[I] = twice(I & 64 ? half : triple, Count);
}
