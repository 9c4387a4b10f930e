; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; LLVM places variables of a fixed size itself.
; RUN: luthier-pass --target gfx90a --pass allocas %s | FileCheck %s
; CHECK-LABEL: define void @hook(
; CHECK-NEXT: %v = alloca [4 x i32], align 16, addrspace(5)
; CHECK-NEXT: call void @llvm.lifetime.start.p5(ptr addrspace(5) %v)
; CHECK-NEXT: store i32 1, ptr addrspace(5) %v
define void @hook() {
  %v = alloca [4 x i32], align 16, addrspace(5)
  call void @llvm.lifetime.start.p5(ptr addrspace(5) %v)
  store i32 1, ptr addrspace(5) %v
  ret void
}
