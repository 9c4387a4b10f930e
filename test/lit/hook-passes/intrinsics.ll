; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A counter of the wave is two lanes of the state value array; what is added has
; to be a scalar, which the pass scalars sees to.
; RUN: luthier-pass --target gfx90a --pass intrinsics %s | FileCheck %s
; RUN: luthier-pass --target gfx1100 --wave 32 --pass intrinsics %s | FileCheck --check-prefix=W32 %s
; RUN: not luthier-pass --target gfx90a --no-state --pass intrinsics %s 2>&1 | FileCheck --check-prefix=NONE %s
; CHECK-LABEL: define void @hook(
; CHECK: call i64 @luthier.scalar.i64(i64 %{{.*}})
; CHECK: call i32 asm sideeffect "luthier::readLane", "=s,i"(i32 24)
; CHECK: call i32 asm sideeffect "luthier::readLane", "=s,i"(i32 25)
; CHECK: call void asm sideeffect "luthier::writeLane", "s,i"(i32 %{{.*}}, i32 24)
; CHECK: call void asm sideeffect "luthier::writeLane", "s,i"(i32 %{{.*}}, i32 25)
; CHECK: callbr void asm sideeffect "luthier::writeExec", "s"(i64
; W32: callbr void asm sideeffect "luthier::writeExec", "s"(i32
; NONE: refused: unsupported-hook: a hook uses a wave-private counter
@Counter = external addrspace(1) global i64
declare void @luthier.waveAdd(ptr addrspace(1), i64) #0
define void @hook() {
entry:
  %n = call i64 asm sideeffect "", "={s[4:5]}"()
  call void @luthier.waveAdd(ptr addrspace(1) @Counter, i64 %n)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %n) to label %one []
one:
  ret void
}
attributes #0 = { convergent nounwind "luthier_intrinsic"="luthier::waveAdd" }
