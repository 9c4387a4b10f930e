; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What a lane is written with, hardware waits for, but not for the number of the lane; nor, on gfx942 and gfx950, for the
; v_cmpx before, which any write of a lane has to keep its distance from.
; RUN: luthier-pass --target gfx90a --until collect %s | FileCheck %s --check-prefixes=CHECK,NEAR
; RUN: luthier-pass --target gfx942 --until collect %s | FileCheck %s --check-prefixes=CHECK,FAR
; RUN: luthier-pass --target gfx950 --until collect %s | FileCheck %s --check-prefixes=CHECK,FAR
; NEAR: constant: {{[0-9]+}} bytes, stack
; FAR: constant: {{[0-9]+}} bytes{{.*}} NeedsDistance, stack
; CHECK: chosen: {{[0-9]+}} bytes{{.*}} NeedsDistance, stack
define void @constant() {
  %n = call i32 asm sideeffect "", "=s"()
  %v = call i32 asm sideeffect "", "=v"()
  %with = call i32 @llvm.amdgcn.writelane.i32(i32 %n, i32 3, i32 %v)
  call void asm sideeffect "", "v"(i32 %with)
  ret void
}
define void @chosen() {
  %n = call i32 asm sideeffect "", "=s"()
  %v = call i32 asm sideeffect "", "=v"()
  %with = call i32 @llvm.amdgcn.writelane.i32(i32 7, i32 %n, i32 %v)
  call void asm sideeffect "", "v"(i32 %with)
  ret void
}
declare i32 @llvm.amdgcn.writelane.i32(i32, i32, i32)
