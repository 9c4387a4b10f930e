; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A choice by a condition of scalars is s_cselect, not v_cndmask.
; RUN: luthier-pass --target gfx90a --pass intrinsics --pass scalars %s | FileCheck %s
; RUN: luthier-pass --target gfx90a --until scalar-conditions %s | FileCheck --check-prefix=MIR %s
; CHECK-LABEL: define void @hook(
; CHECK: %[[LT:.*]] = call i32 asm "luthier::compare 40", "=s,s,s"(i32 %a, i32 %b)
; CHECK: call i32 asm "luthier::select", "=s,s,s,s"(i32 %[[LT]], i32 %a, i32 %b)
; MIR: S_CMP_LT_I32
; MIR: S_CSELECT_B32
; MIR-NOT: V_CNDMASK
; MIR: SI_RETURN
define void @hook() {
  %a = call i32 asm sideeffect "", "={s4}"()
  %b = call i32 asm sideeffect "", "={s5}"()
  %lt = icmp slt i32 %a, %b
  %min = select i1 %lt, i32 %a, i32 %b
  %scalar = call i32 @scalar.i32(i32 %min)
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 %scalar, i32 24)
  ret void
}
declare i32 @scalar.i32(i32) #0
declare i64 @scalar.i64(i64) #0
attributes #0 = { "luthier_intrinsic"="luthier::detail::scalar" }
