// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern "C" {
[[clang::amdgpu_kernel, gnu::visibility("protected")]] void
collatzSteps(int [[clang::address_space(1)]] * Steps) {
  const unsigned I =
      __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  int Count = 0;
  for (unsigned N = I + 1; N != 1; ++Count)
    N = N % 2 ? 3 * N + 1 : N / 2;
  Steps[I] = Count;
}
}
