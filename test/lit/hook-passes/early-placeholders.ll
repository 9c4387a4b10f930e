; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A counter of the wave is added to where it is, and LLVM folds constants and
; the call site's literals into the additions. (Here it is a register of the payload's.)
; RUN: luthier-pass --target gfx90a --until early-placeholders %s | FileCheck --check-prefix=ADDED %s
; ADDED: $sgpr32 = S_ADD_U32 $sgpr32, 7, implicit-def $scc
; ADDED: $sgpr33 = S_ADDC_U32 $sgpr33, 0, implicit-def $scc, implicit $scc
; ADDED: S_MOV_B32 target-flags(amdgpu-abs32-lo) @luthier.literals + 2
; RUN: luthier-pass --target gfx90a --until exec-writes %s | FileCheck --check-prefix=FOLDED %s
; FOLDED: $sgpr34 = S_ADD_U32 $sgpr34, target-flags(amdgpu-abs32-lo) @luthier.literals + 2
; RUN: luthier-pass --target gfx1201 --until exec-writes %s | FileCheck --check-prefix=WIDE %s
; WIDE: $sgpr32_sgpr33 = S_ADD_U64 $sgpr32_sgpr33, 7
;
; Numbers of 32 bits are added to the low half alone, shifted in one instruction.
; ADDED: $sgpr36 = S_ADD_U32 {{.*}}$sgpr36
; ADDED-NOT: $sgpr37
; ADDED: $sgpr38 = S_LSHL3_ADD_U32 %{{[0-9]+}}, $sgpr38
; ADDED-NOT: $sgpr39
define void @hook() {
  call void asm sideeffect "luthier::addCounter", "s,i"(i64 7, i32 32)
  %literal = call i32 asm "luthier::literal", "=s,i"(i32 2)
  %wide = zext i32 %literal to i64
  call void asm sideeffect "luthier::addCounter", "s,i"(i64 %wide, i32 34)
  call void asm sideeffect "luthier::addCounter", "s,i"(i32 7, i32 36)
  %shifted = shl i32 %literal, 3
  call void asm sideeffect "luthier::addCounter", "s,i"(i32 %shifted, i32 38)
  ret void
}
