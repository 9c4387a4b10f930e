; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What lanes decide about the wave is decided only where there are some, and a
; trap is no other way out of the hook. LLVM must not make one condition of both:
; it would be one of lanes.
; RUN: luthier-pass --target gfx90a --pass empty-exec-guards %s | FileCheck %s
; RUN: luthier-pass --target gfx90a --until part-copies %s | FileCheck --check-prefix=CODE %s
; CHECK-LABEL: define void @traps
; CHECK: br i1 %{{[0-9]+}}, label %[[CHOICE:[0-9]+]], label %[[END:[0-9]+]]
; CHECK: [[CHOICE]]:
; CHECK-NEXT: call void asm sideeffect "", ""()
; CHECK-NEXT: br i1 %c, label %trap, label %quiet
; CHECK: trap:
; CHECK-NEXT: call void @llvm.trap()
; CHECK-NEXT: br label %[[END]]
; CODE-LABEL: name: traps
; CODE: S_CBRANCH_SCC
; CODE: S_CBRANCH_VCC
; CODE: S_TRAP 2
; CHECK-LABEL: define void @sends
; CHECK: br i1 %{{[0-9]+}}, label %[[CHOICE:[0-9]+]], label %end
; CHECK: [[CHOICE]]:
; CHECK-NEXT: call void asm sideeffect "", ""()
; CHECK-NEXT: br i1 %c, label %send, label %end
; CODE-LABEL: name: sends
; CODE: S_CBRANCH_SCC
; CODE: S_CBRANCH_VCC
; CODE: S_SENDMSG 1
@Out = external addrspace(1) global [64 x i32]
declare void @llvm.trap()
declare void @llvm.amdgcn.s.sendmsg(i32 immarg, i32)
define void @traps() {
  %x = load i32, ptr addrspace(1) @Out
  %c = icmp eq i32 %x, 0
  br i1 %c, label %trap, label %quiet
trap:
  call void @llvm.trap()
  unreachable
quiet:
  ret void
}
define void @sends() {
  %x = load i32, ptr addrspace(1) @Out
  %c = icmp eq i32 %x, 0
  br i1 %c, label %send, label %end
send:
  call void @llvm.amdgcn.s.sendmsg(i32 1, i32 77)
  br label %end
end:
  ret void
}
