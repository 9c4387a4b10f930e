; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Lanes of the state value array are read and written where they are: there is no
; copy of v16.
; RUN: luthier-pass --target gfx90a --until placeholders %s | FileCheck %s
; CHECK-NOT: INLINEASM
; CHECK: %[[OLD:[0-9]+]]:{{.*}} = V_READLANE_B32 $vgpr16, 24
; CHECK: $vgpr16 = V_WRITELANE_B32 {{.*}}, 24, $vgpr16
; CHECK: V_MOV_B32_e32 $vgpr17
; CHECK-NOT: COPY $vgpr16
; CHECK: SI_RETURN
define void @hook() {
  %old = call i32 asm sideeffect "luthier::readLane", "=s,i"(i32 24)
  %new = add i32 %old, 1
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 %new, i32 24)
  %ids = call i32 asm "luthier::workItemIds", "=v"()
  store volatile i32 %ids, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  ret void
}
