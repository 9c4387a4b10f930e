// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every lane adds one, after some time.
[[clang::amdgpu_kernel]] void addOne(unsigned *Out) {
  for (int I = 0; I < 50; ++I)
    __builtin_amdgcn_s_sleep(0);
  __atomic_fetch_add(Out, 1u, __ATOMIC_RELAXED);
}
