; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Scalars end the outer loop, which turns without lanes; the inner one needs the
; guard, inside of the outer one.
; RUN: luthier-pass --target gfx90a --pass empty-exec-guards %s | FileCheck %s
; CHECK-LABEL: entry:
; CHECK-NOT: @llvm.amdgcn.ballot
; CHECK-LABEL: outer:
; CHECK: call i64 @llvm.amdgcn.ballot.i64
; CHECK: br i1 %{{.*}}, label %inner, label %
; CHECK-LABEL: inner:
define void @hook() {
entry:
  %n = call i32 asm sideeffect "", "={s4}"()
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
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 %i, i32 24)
  %nexti = add i32 %i, 1
  %morei = icmp ult i32 %nexti, %n
  br i1 %morei, label %outer, label %end
end:
  ret void
}
