; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What one lane adds at an offset of 32 bits behind an address of the wave takes the instruction's own sum of both, and nothing is
; added across lanes.
; RUN: luthier-pass --target gfx90a --until early-placeholders %s | FileCheck %s
; CHECK-LABEL: name: {{ *}}hook
; CHECK-NOT: V_ADD_CO_U32
; CHECK-NOT: V_ADDC_U32
; CHECK: GLOBAL_ATOMIC_ADD_X2_SADDR
declare i64 @argument(i32, i32, i32, i32) #0
declare i32 @slot(i32, i32, i32, i32) #0
attributes #0 = { convergent nounwind memory(inaccessiblemem: readwrite) "luthier_intrinsic"="luthier.argument" }
define void @hook() naked {
entry:
  %place = call i64 @argument(i32 0, i32 0, i32 2, i32 1)
  %number = call i32 @slot(i32 0, i32 0, i32 1, i32 0)
  %exec = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) to label %one []
one:
  %offset = shl i32 %number, 3
  %wide = zext i32 %offset to i64
  %table = inttoptr i64 %place to ptr addrspace(1)
  %cell = getelementptr i8, ptr addrspace(1) %table, i64 %wide
  %old = atomicrmw add ptr addrspace(1) %cell, i64 1 syncscope("agent") monotonic
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %exec) to label %two []
two:
  ret void
}
