; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Code generation keeps to the payload's own registers, from s44 and v20 on.
; RUN: luthier-pass --target gfx90a --until payload-registers %s | FileCheck %s
; RUN: luthier-pass --target gfx90a --until collect %s | FileCheck --check-prefix=REPORT %s
; CHECK: stackPtrOffsetReg: '$sgpr39'
; CHECK: wwmReservedRegs:
; CHECK: '$vgpr0'
; REPORT: hook: {{.*}}, SGPRs to {{4[4-9]}}, VGPRs to {{2[1-9]}}
define void @hook() {
  %v = call i32 asm sideeffect "", "={v0}"()
  %w = add i32 %v, 1
  store volatile i32 %w, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  ret void
}
