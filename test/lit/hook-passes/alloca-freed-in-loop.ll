; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; In a loop that gives the memory back there is one of it, and the stack does not
; move any more.
; RUN: luthier-pass --target gfx90a --pass allocas %s | FileCheck %s
; CHECK-LABEL: entry:
; CHECK-NEXT: alloca [28 x i8], align 4, addrspace(5)
; CHECK-LABEL: loop:
; CHECK-NOT: llvm.stacksave
; CHECK-NOT: alloca
; CHECK-NOT: call void @llvm.stackrestore
; CHECK: end:
declare ptr addrspace(5) @llvm.stacksave.p5()
declare void @llvm.stackrestore.p5(ptr addrspace(5))
define void @hook(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %stack = call ptr addrspace(5) @llvm.stacksave.p5()
  %few = and i32 %i, 7
  %v = alloca i32, i32 %few, align 4, addrspace(5)
  store i32 1, ptr addrspace(5) %v
  call void @llvm.stackrestore.p5(ptr addrspace(5) %stack)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
