; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Should a value of lanes come through as an operand of the wave, the check
; behind instruction selection finds the instruction that took one lane's.
; RUN: not luthier-pass --target gfx90a --until wave-operands %s 2>&1 | FileCheck %s
; CHECK: error: hook: what an operation of the wave takes would be computed for lanes (
define void @hook() {
  %v = call i32 asm sideeffect "", "={v0}"()
  %w = add i32 %v, 1
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 %w, i32 24)
  ret void
}
