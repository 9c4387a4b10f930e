; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; LLVM's structurizer would move the cast up to where the ways part: what it takes
; is made in its block, of nothing.
; RUN: luthier-pass --target gfx90a --pass pin-free-values %s | FileCheck %s
; CHECK-LABEL: then:
; CHECK: %[[PINNED:.*]] = call i32 asm sideeffect "", "=v,0"(i32 %v)
; CHECK-NEXT: %wide = zext i32 %[[PINNED]] to i64
define void @hook() {
entry:
  %v = call i32 asm sideeffect "", "={v0}"()
  %c = icmp eq i32 %v, 3
  br i1 %c, label %then, label %end
then:
  %wide = zext i32 %v to i64
  br label %end
end:
  %x = phi i64 [ %wide, %then ], [ 0, %entry ]
  store volatile i64 %x, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  ret void
}
