; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Memory that each turn of a loop takes and none gives back has no fixed size.
; RUN: not luthier-pass --target gfx90a --pass allocas %s 2>&1 | FileCheck %s
; CHECK: refused: no-stack: a hook allocates memory of its stack in a loop
define void @hook(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %few = and i32 %i, 7
  %v = alloca i32, i32 %few, align 4, addrspace(5)
  store i32 1, ptr addrspace(5) %v
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
