; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A number that the kernel keeps is read, and nothing is left of what computes
; it; another one is computed.
; RUN: luthier-pass --target gfx90a --keep-block --pass kept-numbers %s | FileCheck %s
; RUN: luthier-pass --target gfx90a --pass kept-numbers %s | FileCheck --check-prefix=NONE %s
; RUN: luthier-pass --target gfx90a --keep-block --pass kept-numbers --pass intrinsics %s | FileCheck --check-prefix=READ %s
; CHECK-LABEL: define void @hook(
; CHECK-NEXT: %[[KEPT:.*]] = call i32 @luthier.kept(i32 0, i32 poison)
; CHECK-NEXT: %x = call i32 @luthier.firstWorkItem()
; CHECK-NEXT: %[[WAVE:.*]] = lshr i32 %x, 6
; CHECK-NEXT: %sum = add i32 %[[KEPT]], %[[WAVE]]
; NONE-LABEL: define void @hook(
; NONE-NEXT: %id = call i32 @llvm.amdgcn.workgroup.id.x()
; NONE-NOT: @luthier.kept
; NONE: %sum = add i32 %row, %wave
; READ-LABEL: define void @hook(
; READ: call i32 asm sideeffect "luthier::readLane", "=s,i"(i32 24)
; READ-NOT: @luthier.kept
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @luthier.kept(i32, i32) #0
declare i32 @luthier.firstWorkItem() #1
define void @hook() {
  %id = call i32 @llvm.amdgcn.workgroup.id.x()
  %own = call i32 @luthier.firstWorkItem()
  %row = add i32 %id, %own
  %block = call i32 @luthier.kept(i32 0, i32 %row)
  %x = call i32 @luthier.firstWorkItem()
  %wave = lshr i32 %x, 6
  %number = call i32 @luthier.kept(i32 1, i32 %wave)
  %sum = add i32 %block, %number
  store volatile i32 %sum, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  ret void
}
attributes #0 = { convergent nounwind "luthier_intrinsic"="luthier::detail::kept" }
attributes #1 = { convergent nounwind "luthier_intrinsic"="luthier::detail::firstWorkItem" }
