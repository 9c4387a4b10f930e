; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Logic on conditions of scalars, as the structurizer leaves it, becomes numbers
; and a test that stays in SCC.
; RUN: luthier-pass --target gfx90a --pass scalar-branches %s | FileCheck %s
; CHECK-LABEL: define void @hook(
; CHECK: asm "luthier::compare 34"
; CHECK: asm "luthier::compare 32"
; CHECK: %[[TEST:.*]] = icmp ne i32 %{{.*}}, 0
; CHECK-NEXT: br i1 %[[TEST]], label %count, label %end
define void @hook() #0 {
entry:
  %a = call i32 asm sideeffect "", "={s4}"()
  %gt = icmp ugt i32 %a, 7
  %eq = icmp eq i32 %a, 3
  %or = or i1 %gt, %eq
  br i1 %or, label %count, label %end
count:
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 %a, i32 24)
  br label %end
end:
  ret void
}
attributes #0 = { "luthier-lane-effects"="0" }
