// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every lane adds one, after some time, and may stop its queue then.
#ifndef TIMES
#define TIMES 50
#endif
#ifndef AT_END
#define AT_END (void)0
#endif
[[clang::amdgpu_kernel]] void addOne(unsigned *Out) {
  for (int I = 0; I < TIMES; ++I)
    __builtin_amdgcn_s_sleep(0);
  __atomic_fetch_add(Out, 1u, __ATOMIC_RELAXED);
  AT_END;
}
