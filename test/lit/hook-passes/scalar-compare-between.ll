; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A comparison that is Luthier's does not come between one of LLVM's and what
; reads SCC behind that.
; RUN: luthier-pass --target gfx90a --until scalar-conditions %s | FileCheck %s
; CHECK: S_CMP_LT_U32 {{.*}} implicit-def $scc
; CHECK-NOT: S_CMP
; CHECK: S_CSELECT_B32 %{{[0-9]+}}, %{{[0-9]+}}, implicit {{.*}}$scc
define void @hook() {
entry:
  %a = call i32 asm sideeffect "", "={s4}"()
  %b = call i32 asm sideeffect "", "={s5}"()
  %c = call i32 asm sideeffect "", "={s6}"()
  %d = call i32 asm sideeffect "", "={s7}"()
  %t = icmp ult i32 %a, %b
  %u = call i32 asm "luthier::compare 32", "=s,s,s,~{scc}"(i32 %a, i32 7)
  %x = select i1 %t, i32 %c, i32 %d
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 %x, i32 24)
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 %u, i32 25)
  ret void
}
