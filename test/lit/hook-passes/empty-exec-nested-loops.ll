; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; While a guarded loop runs, lanes are active: the loop inside of it needs no
; guard.
; RUN: luthier-pass --target gfx90a --pass empty-exec-guards %s | FileCheck %s
; CHECK-LABEL: define void @hook(
; CHECK-COUNT-1: call i64 @llvm.amdgcn.ballot.i64
; CHECK-NOT: call i64 @llvm.amdgcn.ballot.i64
; CHECK: ret void
define void @hook() {
entry:
  %n = call i32 asm sideeffect "", "={v0}"()
  %m = call i32 asm sideeffect "", "={v1}"()
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %nexti, %latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %nextj, %inner ]
  store volatile i32 %j, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  %nextj = add i32 %j, 1
  %morej = icmp ult i32 %nextj, %m
  br i1 %morej, label %inner, label %latch
latch:
  %nexti = add i32 %i, 1
  %morei = icmp ult i32 %nexti, %n
  br i1 %morei, label %outer, label %end
end:
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 1, i32 24)
  ret void
}
