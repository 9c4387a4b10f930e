; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What no tool has registered stays, for the pass intrinsics to refuse.
; RUN: luthier-pass --target gfx90a --pass user-intrinsics %s | FileCheck %s
; RUN: not luthier-pass --target gfx90a --until intrinsics %s 2>&1 | FileCheck --check-prefix=REFUSED %s
; CHECK: call void @mine()
; REFUSED: refused: unsupported-hook: unknown intrinsic mine::unknown
declare void @mine() #0
define void @hook() {
  call void @mine()
  ret void
}
attributes #0 = { convergent nounwind "luthier_intrinsic"="mine::unknown" }
