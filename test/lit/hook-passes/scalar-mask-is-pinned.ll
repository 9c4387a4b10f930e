; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A ballot is exact because of where it is computed: it has to stay there.
; RUN: luthier-pass --target gfx90a --pass intrinsics --pass scalars %s | FileCheck %s
; CHECK: %mask = call i64 @llvm.amdgcn.ballot.i64(i1 %some)
; CHECK-NEXT: %[[PINNED:.*]] = call i64 asm sideeffect "", "=s,0"(i64 %mask)
; CHECK: call i64 @llvm.ctpop.i64(i64 %[[PINNED]])
define void @hook() {
  %v = call i32 asm sideeffect "", "={v0}"()
  %some = icmp ugt i32 %v, 3
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 %some)
  %count = call i64 @llvm.ctpop.i64(i64 %mask)
  %number = trunc i64 %count to i32
  %scalar = call i32 @scalar.i32(i32 %number)
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 %scalar, i32 24)
  ret void
}
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare i64 @llvm.ctpop.i64(i64)
declare i32 @scalar.i32(i32) #0
declare i64 @scalar.i64(i64) #0
attributes #0 = { "luthier_intrinsic"="luthier::detail::scalar" }
