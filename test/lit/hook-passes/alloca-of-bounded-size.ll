; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A local variable whose size is computed gets the most that it can have, in the
; entry block.
; RUN: luthier-pass --target gfx90a --pass allocas %s | FileCheck %s
; CHECK-LABEL: define void @hook(
; CHECK-NEXT: alloca [60 x i8], align 4, addrspace(5)
; CHECK-NOT: alloca i32
; CHECK: store i32 1, ptr addrspace(5)
define void @hook(i32 %n) {
  %few = and i32 %n, 15
  %v = alloca i32, i32 %few, align 4, addrspace(5)
  store i32 1, ptr addrspace(5) %v
  ret void
}
