// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that nothing needs, in a section of its own, so that the linker
// may drop it and keep its lines: from address 0 to where the kernel lies.
.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
.amdhsa_code_object_version 5

.section .text.dropped,"ax",@progbits
.type dropped,@function
dropped:
.rept 3000
  s_nop 0
.endr
  s_setpc_b64 s[30:31]
.size dropped, .-dropped

.section .text.kept,"ax",@progbits
.globl kept
.p2align 8
.type kept,@function
kept:
.rept 3000
  s_nop 0
.endr
  s_endpgm
.size kept, .-kept

.rodata
.p2align 6
.amdhsa_kernel kept
  .amdhsa_next_free_vgpr 8
  .amdhsa_accum_offset 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: kept
    .symbol: kept.kd
    .args: []
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 14
    .vgpr_count: 8
    .max_flat_workgroup_size: 1024
.end_amdgpu_metadata
