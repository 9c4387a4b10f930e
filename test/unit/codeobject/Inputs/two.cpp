// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One of two translation units whose code is linked into one code object.
using Int = int [[clang::address_space(1)]];

extern "C" [[clang::amdgpu_kernel, gnu::visibility("protected")]] void
two(Int *To, Int *From) {
  To[0] = From[0] * 2;
}
