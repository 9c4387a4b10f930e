// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes back macros of hip_runtime.h that are names in LLVM's headers and in
// code that uses them. Include it before any header of LLVM; it has no include
// guard because HIP may have been included in between.

// HIP uses it inside two function bodies right after its definition; LLVM has
// llvm::CmpInst::ICMP_NE.
#undef ICMP_NE
