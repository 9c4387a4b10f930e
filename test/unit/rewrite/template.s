; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; The code object that tests put their own code into. Launch state: s[0:1]
; kernel arguments, s2 workgroup id, v0 work-item id.
  .amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
  .amdhsa_code_object_version 4
  .text
  .p2align 8
  .globl kernel
  .type kernel,@function
kernel:
  s_endpgm
.Lend:
  .size kernel, .Lend-kernel

  .rodata
  .p2align 6
  .amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 24
    .amdhsa_next_free_sgpr 24
    .amdhsa_accum_offset 16
    .amdhsa_group_segment_fixed_size 1024
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
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 30
    .vgpr_count: 24
    .agpr_count: 8
    .max_flat_workgroup_size: 1024
...
  .end_amdgpu_metadata
