; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Lanes that the write switches on have not executed the addition in front of
; it: it is done again behind.
; RUN: luthier-pass --target gfx90a --until exec-writes %s | FileCheck %s
; CHECK: V_MOV_B32_e32 $vgpr17
; CHECK: $exec = S_MOV_B64_term -1
; CHECK: %[[IDS:[0-9]+]]:vgpr_32 = V_MOV_B32_e32 $vgpr17
; CHECK: %[[SUM:[0-9]+]]:vgpr_32 = {{.*}}%[[IDS]]
; CHECK: GLOBAL_STORE_DWORD {{.*}}%[[SUM]]
declare i32 @llvm.amdgcn.workitem.id.x()
define void @hook() {
entry:
  %v = call i32 @llvm.amdgcn.workitem.id.x()
  store volatile i32 %v, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 -1) to label %all []
all:
  store volatile i32 %v, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  ret void
}
