; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Calls and returns do not end in another block, code that is not known is named
; as such, and so is code that nobody reaches. The kernel loses the address of
; the function that it knows before it calls what it does not know.
; RUN: clang --target=amdgcn-amd-amdhsa -mcpu=gfx90a -mcode-object-version=4 -Wa,-I,%S/Inputs %s -o %t.co
; RUN: luthier lift %t.co --kernel kernel --print=cfg | FileCheck %s --check-prefix=CFG
; RUN: luthier lift %t.co --kernel kernel --print=call-graph | FileCheck %s --check-prefix=CALLS

; CFG: # kernel kernel for gfx90a
; CFG-NEXT: bb.0 at 0x{{[0-9a-f]+}}, 7 instructions: to bb.3, to bb.1{{$}}
; CFG-NEXT: bb.1 at 0x{{[0-9a-f]+}}, 1 instructions: ends the program{{$}}
; CFG-NEXT: bb.2 at 0x{{[0-9a-f]+}}, 2 instructions: to bb.3  # not reached{{$}}
; CFG-NEXT: bb.3 at 0x{{[0-9a-f]+}}, 2 instructions: jumps to an unknown place{{$}}
; CFG-NEXT: # function known for gfx90a
; CFG-NEXT: bb.0 at 0x{{[0-9a-f]+}}, 2 instructions: returns{{$}}

; CALLS: {{^}}kernel kernel  # reaches unknown code{{$}}
; CALLS-NEXT: {{^}}  0x{{[0-9a-f]+}}  calls known{{$}}
; CALLS-NEXT: {{^}}  0x{{[0-9a-f]+}}  calls an unknown function{{$}}
; CALLS-NEXT: {{^}}  0x{{[0-9a-f]+}}  jumps to an unknown place{{$}}
; CALLS-NEXT: {{^}}function known{{$}}
; CALLS-NEXT: {{^}}  0x{{[0-9a-f]+}}  returns{{$}}
; CALLS-NOT: {{.}}
  .amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
  .amdhsa_code_object_version 4
  .text
  .globl kernel
  .p2align 8
  .type kernel,@function
kernel:
  s_getpc_b64 s[4:5]
.Lhere:
  s_add_u32 s4, s4, known-.Lhere
  s_addc_u32 s5, s5, 0
  s_swappc_b64 s[30:31], s[4:5]
  s_mov_b64 s[4:5], 0
  s_cmp_eq_u32 s6, 0
  s_cbranch_scc1 .Lunknown
  s_endpgm
  v_mov_b32_e32 v1, v0
  s_branch .Lunknown
.Lunknown:
  s_swappc_b64 s[30:31], s[8:9]
  s_setpc_b64 s[10:11]
.Lend:
  .size kernel, .Lend-kernel
  .globl known
  .p2align 8
  .type known,@function
known:
  s_nop 0
  s_setpc_b64 s[30:31]
.Lknown_end:
  .size known, .Lknown_end-known
  .include "kernel-descriptor.s"
