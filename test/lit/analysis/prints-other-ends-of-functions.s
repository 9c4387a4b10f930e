; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Functions may end in a call for good; those without an end have that of the
; next one.
; RUN: clang --target=amdgcn-amd-amdhsa -mcpu=gfx90a -mcode-object-version=4 -Wa,-I,%S/Inputs %s -o %t.co
; RUN: luthier lift %t.co --kernel kernel --print=cfg | FileCheck %s --check-prefix=CFG
; RUN: luthier lift %t.co --kernel kernel --print=call-graph | FileCheck %s --check-prefix=CALLS

; CFG: # kernel kernel for gfx90a
; CFG-NEXT: bb.0 at 0x{{[0-9a-f]+}}, 9 instructions: ends the program{{$}}
; CFG: # function tail for gfx90a
; CFG-NEXT: bb.0 at 0x{{[0-9a-f]+}}, 4 instructions: calls another function for good{{$}}
; CFG: # function open for gfx90a
; CFG-NEXT: bb.0 at 0x{{[0-9a-f]+}}, 2 instructions: returns{{$}}

; CALLS: {{^}}function tail
; CALLS-NEXT: {{^}}  0x{{[0-9a-f]+}}  jumps to last{{$}}
  .amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
  .amdhsa_code_object_version 4
  .text
  .globl kernel
  .p2align 8
  .type kernel,@function
kernel:
  s_getpc_b64 s[4:5]
.Lhere:
  s_add_u32 s4, s4, tail-.Lhere
  s_addc_u32 s5, s5, 0
  s_swappc_b64 s[30:31], s[4:5]
  s_getpc_b64 s[4:5]
.Lthere:
  s_add_u32 s4, s4, open-.Lthere
  s_addc_u32 s5, s5, 0
  s_swappc_b64 s[30:31], s[4:5]
  s_endpgm
.Lend:
  .size kernel, .Lend-kernel
  .globl tail
  .type tail,@function
tail:
  s_getpc_b64 s[4:5]
.Ltail:
  s_add_u32 s4, s4, last-.Ltail
  s_addc_u32 s5, s5, 0
  s_setpc_b64 s[4:5]
.Ltail_end:
  .size tail, .Ltail_end-tail
  .globl open
  .type open,@function
open:
  s_nop 0
.Lopen_end:
  .size open, .Lopen_end-open
  .globl last
  .type last,@function
last:
  s_setpc_b64 s[30:31]
.Llast_end:
  .size last, .Llast_end-last
  .include "kernel-descriptor.s"
