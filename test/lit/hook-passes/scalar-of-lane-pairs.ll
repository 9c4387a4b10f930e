; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; An argument in a pair of vector registers differs from lane to lane, and one in a pair of scalar registers does not; nor does
; vcc, although its name begins like theirs.
; RUN: luthier-pass --target gfx90a --pass intrinsics --pass scalars %s 2>&1 | FileCheck %s
; CHECK: define void @pair()
; RUN: sed 's/{s\[40:41\]}/{v[18:19]}/' %s > %t.ll
; RUN: not luthier-pass --target gfx90a --pass intrinsics --pass scalars %t.ll 2>&1 | FileCheck %s --check-prefix=LANES
; LANES: refused: unsupported-hook: the operand of luthier::waveAtomicAdd, pushOnce or its like is not made of scalars but of {{.*}}; see luthier::firstLane
define void @pair() {
  %v = call i64 asm sideeffect "", "={s[40:41]}"()
  %vcc = call i64 asm sideeffect "", "={vcc}"()
  %sum = add i64 %v, %vcc
  %scalar = call i64 @scalar.i64(i64 %sum)
  %low = trunc i64 %scalar to i32
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 %low, i32 24)
  ret void
}
declare i64 @scalar.i64(i64) #0
attributes #0 = { "luthier_intrinsic"="luthier::detail::scalar" }
