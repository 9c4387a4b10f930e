; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; LLVM's structurizer writes terminators anew and knows only br: for it, writes
; are calls, and behind it terminators again.
; RUN: luthier-pass --target gfx90a --pass exec-writes-to-calls %s | FileCheck --check-prefix=CALLS %s
; RUN: luthier-pass --target gfx90a --pass exec-writes-to-calls --pass structurizecfg --pass calls-to-exec-writes %s | FileCheck %s
; CALLS-NOT: callbr
; CALLS-COUNT-2: call void asm sideeffect "luthier::writeExec"
; CALLS: "luthier-exec-writes"="2"
; CHECK-COUNT-2: callbr void asm sideeffect "luthier::writeExec"
; CHECK-NOT: call void asm sideeffect "luthier::writeExec"
declare i64 @llvm.amdgcn.ballot.i64(i1)
define void @hook() {
entry:
  %v = call i32 asm sideeffect "", "={v0}"()
  %some = icmp ugt i32 %v, 3
  br i1 %some, label %then, label %end
then:
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) to label %one []
one:
  store volatile i32 7, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) to label %end []
end:
  ret void
}
