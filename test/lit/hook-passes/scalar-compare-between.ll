; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Where selection puts a comparison that is Luthier's between one of LLVM's and
; what reads SCC behind that, SCC goes around it in a register.
; RUN: luthier-pass --target gfx90a --until scalar-conditions %s | FileCheck %s
; CHECK: S_CMP_LT_U32 {{.*}} implicit-def $scc
; CHECK: %[[KEPT:[0-9]+]]:{{.*}} = S_CSELECT_B32 1, 0, implicit $scc
; CHECK: S_CMP_EQ_U32 {{.*}} implicit-def $scc
; CHECK: S_CSELECT_B32 1, 0, implicit $scc
; CHECK: S_CMP_LG_U32 %[[KEPT]], 0, implicit-def $scc
; CHECK-NOT: implicit-def $scc
; CHECK: S_CSELECT_B32 %{{[0-9]+}}, %{{[0-9]+}}, implicit {{.*}}$scc
define void @hook() {
  %a = call i32 asm sideeffect "", "={s4}"()
  %b = call i32 asm sideeffect "", "={s5}"()
  %c = call i32 asm sideeffect "", "={s6}"()
  %d = call i32 asm sideeffect "", "={s7}"()
  %less = icmp ult i32 %a, %b
  %is7 = icmp eq i32 %a, 7
  %number = zext i1 %is7 to i32
  %scalar = call i32 @scalar.i32(i32 %number)
  %x = select i1 %less, i32 %c, i32 %d
  store volatile i32 %x, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 %scalar, i32 24)
  ret void
}
declare i32 @scalar.i32(i32) #0
attributes #0 = { "luthier_intrinsic"="luthier::detail::scalar" }
