; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; RUN: luthier-pass --target gfx1100 --wave 64 --compiled-wave 32 --pass wave-size %s | FileCheck %s
; RUN: sed 's/;BAD //' %s > %t.ll
; RUN: not luthier-pass --target gfx1100 --wave 64 --compiled-wave 32 --pass wave-size %t.ll 2>&1 | FileCheck --check-prefix=BAD %s
; CHECK-LABEL: define void @hook(
; CHECK: %lane = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
; CHECK-NEXT: %[[BOTH:.*]] = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lane)
; CHECK: store volatile i32 %[[BOTH]]
; CHECK: store volatile i32 64
; BAD: refused: wave-size: a hook compiled for waves of 32 lanes uses llvm.amdgcn.ballot.i32 in a kernel with waves of 64
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.wavefrontsize()
declare i32 @llvm.amdgcn.ballot.i32(i1)
define void @hook() {
  %lane = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  store volatile i32 %lane, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  %size = call i32 @llvm.amdgcn.wavefrontsize()
  store volatile i32 %size, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  ;BAD %mask = call i32 @llvm.amdgcn.ballot.i32(i1 true)
  ret void
}
