; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A condition of scalars that decides an operation of the wave stays in SCC.
; RUN: luthier-pass --target gfx90a --pass scalars %s | FileCheck %s
; RUN: luthier-pass --target gfx90a --until scalar-conditions %s | FileCheck --check-prefix=MIR %s
; CHECK-LABEL: define void @hook(
; CHECK: %[[GT:.*]] = call i32 asm "luthier::compare 34", "=s,s,s"(i32 %a, i32 7)
; CHECK-NEXT: %[[TEST:.*]] = icmp ne i32 %[[GT]], 0
; CHECK-NEXT: br i1 %[[TEST]]
; MIR: S_CMP_{{(GT|LE)}}_U32 {{.*}}, 7, implicit-def
; MIR-NEXT: S_CBRANCH_SCC
define void @hook() {
entry:
  %a = call i32 asm sideeffect "", "={s4}"()
  %gt = icmp ugt i32 %a, 7
  br i1 %gt, label %count, label %end
count:
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 %a, i32 24)
  br label %end
end:
  ret void
}
