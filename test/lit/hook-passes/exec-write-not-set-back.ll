; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Lanes that went the other way would be missing where the ways meet.
; RUN: not luthier-pass --target gfx90a --pass check-exec-writes %s 2>&1 | FileCheck %s
; CHECK: refused: unsupported-hook: luthier::writeExec is called where lanes go different ways, and EXEC is not set to what it was there before they meet
declare i32 @llvm.amdgcn.workitem.id.x()
define void @hook() {
entry:
  %v = call i32 @llvm.amdgcn.workitem.id.x()
  %some = icmp ugt i32 %v, 3
  br i1 %some, label %then, label %end
then:
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) to label %one []
one:
  store volatile i32 7, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  br label %end
end:
  ret void
}
