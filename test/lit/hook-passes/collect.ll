; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What a payload clobbers and uses is found in its code.
; RUN: luthier-pass --target gfx90a --until collect %s | FileCheck %s
; CHECK: flags: {{[0-9]+}} bytes ClobbersSCC UsesState WritesState ActsOnWave NeedsDistance, stack 0
; CHECK: stack: {{[0-9]+}} bytes{{.*}}, stack 68
; RUN: not luthier-pass --target gfx90a --no-stack --until collect %s 2>&1 | FileCheck --check-prefix=NONE %s
; NONE: refused: no-stack: stack: a hook needs stack memory
@Counter = external addrspace(1) global i64
declare void @luthier.waveAdd(ptr addrspace(1), i64) #0
define void @flags() {
  call void @luthier.waveAdd(ptr addrspace(1) @Counter, i64 1)
  ret void
}
define void @stack() {
  %a = alloca [16 x i32], align 4, addrspace(5)
  %n = call i32 asm sideeffect "", "={v0}"()
  %p = getelementptr i32, ptr addrspace(5) %a, i32 %n
  store volatile i32 1, ptr addrspace(5) %p
  ret void
}
attributes #0 = { convergent nounwind "luthier_intrinsic"="luthier::waveAdd" }
