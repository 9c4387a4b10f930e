; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A comparison has a bit for each lane that was active: it is made again, and so
; is the logic on it.
; RUN: luthier-pass --target gfx90a --until exec-writes %s | FileCheck %s
; CHECK: V_CMP_GT_U32
; CHECK: $exec = S_MOV_B64_term -1
; CHECK: V_CMP_GT_U32
; CHECK: V_CNDMASK_B32
declare i32 @llvm.amdgcn.workitem.id.x()
define void @hook() {
entry:
  %v = call i32 @llvm.amdgcn.workitem.id.x()
  %some = icmp ult i32 %v, 9
  %a = select i1 %some, i32 3, i32 4
  store volatile i32 %a, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 -1) to label %all []
all:
  %b = select i1 %some, i32 5, i32 6
  store volatile i32 %b, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  ret void
}
