; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A payload's stack begins at a multiple of 16: more alignment takes room to
; move in.
; RUN: luthier-pass --target gfx90a --pass allocas %s | FileCheck %s
; CHECK-LABEL: define void @hook(
; CHECK: %[[ROOM:.*]] = alloca [52 x i8], align 16, addrspace(5)
; CHECK: %[[END:.*]] = getelementptr inbounds i8, ptr addrspace(5) %[[ROOM]], i32 48
; CHECK: %[[V:.*]] = call ptr addrspace(5) @llvm.ptrmask.p5.i32(ptr addrspace(5) %[[END]], i32 -64)
; CHECK: store i32 1, ptr addrspace(5) %[[V]]
define void @hook() {
  %v = alloca i32, align 64, addrspace(5)
  store i32 1, ptr addrspace(5) %v
  ret void
}
