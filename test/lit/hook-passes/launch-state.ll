; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Launch state comes from the state value array and the packed ids, whatever the
; application has made of its registers.
; RUN: luthier-pass --target gfx90a --pass launch-state %s | FileCheck %s
; RUN: not luthier-pass --target gfx90a --no-state --pass launch-state %s 2>&1 | FileCheck --check-prefix=NONE %s
; CHECK-LABEL: define void @hook(
; CHECK: call i32 asm "luthier::workItemIds", "=v"()
; CHECK-NEXT: lshr i32 %{{.*}}, 10
; CHECK-NEXT: and i32 %{{.*}}, 1023
; CHECK: call i32 asm "luthier::readLane", "=s,i"(i32 8)
; NONE: refused: unsupported-hook: a hook reads launch state with llvm.amdgcn.workgroup.id.x
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workgroup.id.x()
define void @hook() {
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  store volatile i32 %y, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  store volatile i32 %g, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  ret void
}
