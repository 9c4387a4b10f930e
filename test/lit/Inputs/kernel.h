// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel needs, without a device library.
#define KERNEL [[clang::amdgpu_kernel, gnu::visibility("protected")]]
using Int = int [[clang::address_space(1)]];
using Float = float [[clang::address_space(1)]];
using Local = int [[clang::address_space(3)]];
inline unsigned id() { return __builtin_amdgcn_workitem_id_x(); }
