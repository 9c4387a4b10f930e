; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Code generation keeps to the payload's own registers, s44 to s95 and v20 to v63.
; The others are reserved 32 at a time where that fits, else two, in all files.
; RUN: luthier-pass --target gfx90a --until payload-registers %s | FileCheck %s
; RUN: luthier-pass --target gfx90a --until collect %s | FileCheck --check-prefix=REPORT %s
; CHECK: stackPtrOffsetReg: '$sgpr39'
; CHECK: wwmReservedRegs:
; CHECK-NEXT: - '$vgpr0_vgpr1'
; CHECK: - '$vgpr18_vgpr19'
; CHECK-NEXT: - '$vgpr64_vgpr65_{{.*}}_vgpr95'
; CHECK-NEXT: - '$vgpr96_{{.*}}_vgpr127'
; CHECK: - '$vgpr992_{{.*}}_vgpr1023'
; CHECK-NEXT: - '$sgpr0_{{.*}}_sgpr31'
; CHECK-NEXT: - '$sgpr32_sgpr33'
; CHECK: - '$sgpr42_sgpr43'
; CHECK-NEXT: - '$sgpr96_sgpr97'
; CHECK: - '$sgpr104_sgpr105'
; CHECK-NEXT: - '$agpr0_{{.*}}_agpr31'
; CHECK: - '$agpr224_{{.*}}_agpr255'
; REPORT: hook: {{.*}}, SGPRs to {{4[4-9]}}, VGPRs to {{2[1-9]}}
define void @hook() {
  %v = call i32 asm sideeffect "", "={v0}"()
  %w = add i32 %v, 1
  store volatile i32 %w, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  ret void
}
