; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: clang --target=amdgcn-amd-amdhsa -mcpu=gfx90a -mcode-object-version=4 %s -o %t.co
; RUN: luthier lift %t.co --kernel kernel --print=cfg | FileCheck %s --check-prefix=CFG
; RUN: luthier lift %t.co --kernel kernel --print=call-graph | FileCheck %s --check-prefix=CALLS
; RUN: luthier lift %t.co --kernel kernel --print=liveness | FileCheck %s --check-prefix=LIVE
; RUN: luthier lift %t.co --kernel kernel --print=loads-in-flight | FileCheck %s --check-prefix=LOADS
; RUN: luthier lift %t.co --kernel kernel --print=registers | FileCheck %s --check-prefix=REGISTERS
; RUN: %exits 2 luthier lift %t.co --kernel kernel --print=future 2>&1 | FileCheck %s --check-prefix=UNKNOWN

; CFG: # kernel kernel for gfx90a
; CFG-NEXT: bb.0 at 0x{{[0-9a-f]+}}, 7 instructions: to bb.2, to bb.1
; CFG-NEXT: bb.1 at 0x{{[0-9a-f]+}}, 3 instructions: to bb.2
; CFG-NEXT: bb.2 at 0x{{[0-9a-f]+}}, 1 instructions: ends the program

; CALLS: {{^}}kernel kernel{{$}}
; CALLS-NOT: {{.}}

; LIVE: bb.0:
; LIVE-NEXT: # live: s0-s1 v0 exec mode{{$}}
; LIVE-NEXT: {{^[0-9a-f]+ .*}}S_LOAD_DWORDX2_IMM
; LIVE-NEXT: # live: s4-s5 v0 exec mode{{$}}
; LIVE-NEXT: {{^[0-9a-f]+ .*}}V_LSHLREV_B32_e32
; LIVE-NEXT: # live: s4-s5 v0-v1 exec mode{{$}}
; LIVE-NEXT: {{^[0-9a-f]+ .*}}S_WAITCNT
; LIVE-NEXT: {{^[0-9a-f]+ .*}}GLOBAL_LOAD_DWORD_SADDR
; LIVE-NEXT: # live: s4-s5 v0-v2 exec mode{{$}}
; LIVE-NEXT: {{^[0-9a-f]+ .*}}V_CMP_LT_U32_e32
; LIVE-NEXT: # live: s4-s5 v0-v2 vcc exec mode{{$}}
; LIVE-NEXT: {{^[0-9a-f]+ .*}}S_AND_SAVEEXEC_B64
; LIVE-NEXT: # live: s4-s5 v0-v2 exec mode{{$}}
; LIVE-NEXT: {{^[0-9a-f]+ .*}}S_CBRANCH_EXECZ
; LIVE: # live: s4-s5 v1 v3 exec mode{{$}}
; LIVE-NEXT: {{^[0-9a-f]+ .*}}GLOBAL_STORE_DWORD_SADDR
; LIVE-NEXT: bb.2:
; LIVE-NEXT: # live: none{{$}}
; LIVE-NEXT: {{^[0-9a-f]+ .*}}S_ENDPGM

; LOADS: bb.0:
; LOADS-NEXT: # in flight: none{{$}}
; LOADS-NEXT: {{^[0-9a-f]+ .*}}S_LOAD_DWORDX2_IMM
; LOADS-NEXT: # in flight: s4-s5{{$}}
; LOADS: {{^[0-9a-f]+ .*}}S_WAITCNT
; LOADS-NEXT: # in flight: none{{$}}
; LOADS-NEXT: {{^[0-9a-f]+ .*}}GLOBAL_LOAD_DWORD_SADDR
; LOADS-NEXT: # in flight: v2{{$}}
; LOADS: bb.1:
; LOADS-NEXT: # in flight: v2{{$}}
; LOADS-NEXT: {{^[0-9a-f]+ .*}}S_WAITCNT
; LOADS-NEXT: # in flight: none{{$}}
; LOADS: bb.2:
; LOADS-NEXT: # in flight: v2{{$}}

; REGISTERS: SGPRs: 7 in use of 32 allocated
; REGISTERS-NEXT: VGPRs: 4 in use of 64 allocated
; REGISTERS-NEXT: AGPRs: 8 in use of 8 allocated
; REGISTERS-NEXT: waves per SIMD: 7 of 8, limited by VGPRs
; REGISTERS-NEXT: without fewer waves: 102 SGPRs, 64 VGPRs
; REGISTERS-NEXT: for workgroups of 1024: 120 VGPRs

; UNKNOWN: {{^}}luthier: error: --print future: choose one of: cfg, call-graph, liveness, loads-in-flight, registers; luthier lift --help explains them{{$}}
  .amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
  .amdhsa_code_object_version 4
  .text
  .globl kernel
  .p2align 8
  .type kernel,@function
kernel:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[4:5]
  v_cmp_lt_u32_e32 vcc, 7, v0
  s_and_saveexec_b64 s[2:3], vcc
  s_cbranch_execz join
  s_waitcnt vmcnt(0)
  v_add_u32_e32 v3, v2, v0
  global_store_dword v1, v3, s[4:5]
join:
  s_endpgm
.Lend:
  .size kernel, .Lend-kernel
  .rodata
  .p2align 6
  .amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 72
    .amdhsa_next_free_sgpr 24
    .amdhsa_accum_offset 64
  .end_amdhsa_kernel
  .amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--gfx90a
amdhsa.kernels:
  - .name: kernel
    .symbol: kernel.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 24
    .vgpr_count: 72
    .agpr_count: 8
    .max_flat_workgroup_size: 1024
...
  .end_amdgpu_metadata
