; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; LLVM divides in floating point, which only vector instructions have: for the
; wave, the division is expanded to integer arithmetic.
; RUN: luthier-pass --target gfx90a --pass intrinsics --pass scalars %s | FileCheck %s
; RUN: luthier-pass --target gfx90a --until wave-operands %s | FileCheck --check-prefix=MIR %s
; CHECK-LABEL: define void @hook(
; CHECK-NOT: = udiv
; CHECK: call void asm sideeffect "luthier::writeLane"
; MIR-NOT: V_RCP
; MIR: SI_RETURN
define void @hook() {
  %a = call i32 asm sideeffect "", "={s4}"()
  %b = call i32 asm sideeffect "", "={s5}"()
  %q = udiv i32 %a, %b
  %scalar = call i32 @scalar.i32(i32 %q)
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 %scalar, i32 24)
  ret void
}
declare i32 @scalar.i32(i32) #0
declare i64 @scalar.i64(i64) #0
attributes #0 = { "luthier_intrinsic"="luthier::detail::scalar" }
