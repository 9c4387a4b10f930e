; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What differs from lane to lane is no operand of the wave.
; RUN: not luthier-pass --target gfx90a --pass intrinsics --pass scalars %s 2>&1 | FileCheck %s
; CHECK: refused: unsupported-hook: the operand of luthier::waveAtomicAdd, pushOnce or its like is not made of scalars but of {{.*}}; see luthier::firstLane
define void @hook() {
  %a = call i32 asm sideeffect "", "={s4}"()
  %v = call i32 asm sideeffect "", "={v0}"()
  %sum = add i32 %a, %v
  %scalar = call i32 @scalar.i32(i32 %sum)
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 %scalar, i32 24)
  ret void
}
declare i32 @scalar.i32(i32) #0
declare i64 @scalar.i64(i64) #0
attributes #0 = { "luthier_intrinsic"="luthier::detail::scalar" }
