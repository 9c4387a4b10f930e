// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of saxpy.c, without a device library.
using Float = float [[clang::address_space(1)]];

extern "C" [[clang::amdgpu_kernel, gnu::visibility("protected")]] void
saxpy(Float *Y, Float *X, float A, unsigned Count) {
  const unsigned I = __builtin_amdgcn_workgroup_id_x() * 256 +
                     __builtin_amdgcn_workitem_id_x();
  if (I < Count)
    Y[I] += A * X[I];
}
