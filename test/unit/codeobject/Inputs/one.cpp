// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One of two translation units whose code is linked into one code object.
using Int = int [[clang::address_space(1)]];

extern "C" [[clang::amdgpu_kernel, gnu::visibility("protected")]] void
one(Int *To) {
  To[0] = 1;
}
