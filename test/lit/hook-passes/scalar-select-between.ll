; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; As for a comparison (scalar-compare-between.ll): SCC goes around a choice that
; is Luthier's, too, and around both where both are in between.
; RUN: luthier-pass --target gfx90a --until scalar-conditions %s | FileCheck %s
; CHECK: S_CMP_LT_U32 {{.*}} implicit-def $scc
; CHECK: %[[KEPT:[0-9]+]]:{{.*}} = S_CSELECT_B32 1, 0, implicit $scc
; CHECK: S_CMP_EQ_U32 %{{[0-9]+}}, 7, implicit-def $scc
; CHECK: S_CMP_LG_U32 %[[KEPT]], 0, implicit-def $scc
; CHECK: %[[AGAIN:[0-9]+]]:{{.*}} = S_CSELECT_B32 1, 0, implicit $scc
; CHECK: S_CMP_LG_U32 %{{[0-9]+}}, 0, implicit-def $scc
; CHECK: S_CSELECT_B32 %{{[0-9]+}}, %{{[0-9]+}}, implicit {{.*}}$scc
; CHECK: S_CMP_LG_U32 %[[AGAIN]], 0, implicit-def $scc
; CHECK-NOT: implicit-def $scc
; CHECK: S_CSELECT_B32 %{{[0-9]+}}, %{{[0-9]+}}, implicit {{.*}}$scc
define void @hook() {
  %a = call i32 asm sideeffect "", "={s4}"()
  %b = call i32 asm sideeffect "", "={s5}"()
  %c = call i32 asm sideeffect "", "={s6}"()
  %d = call i32 asm sideeffect "", "={s7}"()
  %less = icmp ult i32 %a, %b
  %is7 = icmp eq i32 %a, 7
  %number = select i1 %is7, i32 %c, i32 %d
  %scalar = call i32 @scalar.i32(i32 %number)
  %x = select i1 %less, i32 %c, i32 %d
  store volatile i32 %x, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 %scalar, i32 24)
  ret void
}
declare i32 @scalar.i32(i32) #0
attributes #0 = { "luthier_intrinsic"="luthier::detail::scalar" }
