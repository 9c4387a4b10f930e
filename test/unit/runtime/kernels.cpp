// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two kernels that a fake GPU runtime "loads".
[[clang::amdgpu_kernel]] void first(int *Out) { *Out = 1; }
[[clang::amdgpu_kernel]] void second(int *Out) { *Out = 2; }
