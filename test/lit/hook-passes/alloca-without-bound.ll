; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Nothing bounds the size: refused, whatever else is known.
; RUN: not luthier-pass --target gfx90a --pass allocas %s 2>&1 | FileCheck %s
; CHECK: refused: no-stack: a hook's local variable has a size known only when it runs, and nothing keeps it below 8192 bytes
define void @hook(i32 %n) {
  %v = alloca i32, i32 %n, align 4, addrspace(5)
  store i32 1, ptr addrspace(5) %v
  ret void
}
