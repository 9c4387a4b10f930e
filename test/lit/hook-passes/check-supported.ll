; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; RUN: not luthier-pass --target gfx90a --pass check-supported %s 2>&1 | FileCheck %s
; CHECK: refused: unsupported-hook: a hook uses llvm.amdgcn.s.barrier
declare void @llvm.amdgcn.s.barrier()
define void @hook() {
  call void @llvm.amdgcn.s.barrier()
  ret void
}
