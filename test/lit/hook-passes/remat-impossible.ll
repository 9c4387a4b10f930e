; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The loop has its result from its turns, which nothing repeats.
; RUN: not luthier-pass --target gfx90a --until exec-writes %s 2>&1 | FileCheck %s
; CHECK: error: hook: a value of lanes is used behind a luthier::writeExec of other lanes, where it cannot be computed again (PHI
declare i32 @llvm.amdgcn.workitem.id.x()
define void @hook() {
entry:
  %v = call i32 @llvm.amdgcn.workitem.id.x()
  %n = call i32 asm sideeffect "", "={s4}"()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %nexti, %loop ]
  %x = phi i32 [ %v, %entry ], [ %nextx, %loop ]
  %squared = mul i32 %x, %x
  %nextx = add i32 %squared, 3
  %nexti = add i32 %i, 1
  %more = icmp ult i32 %nexti, %n
  br i1 %more, label %loop, label %end
end:
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 -1) to label %all []
all:
  store volatile i32 %x, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  ret void
}
