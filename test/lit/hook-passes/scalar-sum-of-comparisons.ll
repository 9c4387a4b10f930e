; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A sum of comparisons would be a v_cndmask; as numbers that s_cmp makes, it is
; the same whatever EXEC is.
; RUN: luthier-pass --target gfx90a --pass intrinsics --pass scalars %s | FileCheck %s
; CHECK-LABEL: define void @hook(
; CHECK: %[[EQ:.*]] = call i32 asm "luthier::compare 32", "=s,s,s"(i32 %a, i32 0)
; CHECK: %[[LT:.*]] = call i32 asm "luthier::compare 36", "=s,s,s"(i32 %a, i32 %b)
; CHECK-NOT: icmp
; CHECK-NOT: select
; CHECK: call void asm sideeffect "luthier::writeLane"
define void @hook() {
  %a = call i32 asm sideeffect "", "={s4}"()
  %b = call i32 asm sideeffect "", "={s5}"()
  %eq = icmp eq i32 %a, 0
  %lt = icmp ult i32 %a, %b
  %x = zext i1 %eq to i32
  %y = zext i1 %lt to i32
  %sum = add i32 %x, %y
  %scalar = call i32 @scalar.i32(i32 %sum)
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 %scalar, i32 24)
  ret void
}
declare i32 @scalar.i32(i32) #0
declare i64 @scalar.i64(i64) #0
attributes #0 = { "luthier_intrinsic"="luthier::detail::scalar" }
