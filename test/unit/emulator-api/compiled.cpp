// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel with calls, a stack, LDS, barriers, divergence, a clock and atomics,
// without a device library.
using Int = unsigned [[clang::address_space(1)]];

using Local = unsigned [[clang::address_space(3)]];
[[clang::loader_uninitialized]] static Local Shared[128];

[[gnu::noinline]] static unsigned stir(unsigned X, unsigned Rounds) {
  unsigned Table[4] = {X, X ^ 0x9e3779b9, X * 3, 7};
  for (unsigned N = 0; N != Rounds; ++N)
    Table[(X + N) % 4] += Table[N % 4] * 5 + N;
  return Table[0] + Table[1] - Table[2] + Table[3];
}

extern "C" [[clang::amdgpu_kernel, gnu::visibility("protected")]] void
mix(Int *Out, unsigned Count) {
  const unsigned Id = __builtin_amdgcn_workitem_id_x();
  const unsigned I = __builtin_amdgcn_workgroup_id_x() * 128 + Id;
  const unsigned long long Begin = __builtin_readcyclecounter();
  Shared[Id] = stir(I, Id % Count);
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  unsigned Sum = I < 250 ? Shared[Id ^ 1] : 0;
  if (Id & 2)
    Sum += stir(Sum, 3);
  __scoped_atomic_fetch_add(Out + 300, Sum | 1, __ATOMIC_RELAXED,
                            __MEMORY_SCOPE_DEVICE);
  if (__builtin_readcyclecounter() >= Begin)
    Out[I] = Sum | 1;
}
