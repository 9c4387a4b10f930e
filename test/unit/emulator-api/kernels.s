// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small kernels as a compiler would hand them over, assembled for a target with
// waves of 64 lanes (gfx90a). Symbols, descriptors and metadata are complete.
	.text
	.p2align 8
	.globl add
	.type add,@function
// out[i] = in[i] + value, and in LDS on the way: (out, in, value). As compilers
// do, it loads more than there are arguments.
add:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dwordx4 s[8:11], s[4:5], 0x10
	s_lshl_b32 s6, s6, 6
	v_add_u32_e32 v0, s6, v0
	v_lshlrev_b32_e32 v0, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v1, v0, s[2:3]
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v1, s8, v1
	v_and_b32_e32 v2, 0xff, v0
	s_mov_b32 m0, -1
	ds_write_b32 v2, v1
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v3, v2
	s_waitcnt lgkmcnt(0)
	global_store_dword v0, v3, s[0:1]
	s_endpgm
.Ladd_end:
	.size add, .Ladd_end-add

	.p2align 8
	.globl hidden
	.type hidden,@function
// Copies eight dwords of hidden arguments, and the variable's address: (out).
hidden:
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	s_load_dwordx8 s[8:15], s[4:5], 0x8
	s_getpc_b64 s[2:3]
	s_add_u32 s2, s2, pointer@rel32@lo+4
	s_addc_u32 s3, s3, pointer@rel32@hi+12
	s_load_dwordx2 s[2:3], s[2:3], 0x0
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v0, s8
	v_mov_b32_e32 v1, s9
	v_mov_b32_e32 v2, s10
	v_mov_b32_e32 v3, s11
	global_store_dwordx4 v8, v[0:3], s[0:1]
	v_mov_b32_e32 v0, s12
	v_mov_b32_e32 v1, s13
	v_mov_b32_e32 v2, s2
	v_mov_b32_e32 v3, s3
	global_store_dwordx4 v8, v[0:3], s[0:1] offset:16
	s_endpgm
.Lhidden_end:
	.size hidden, .Lhidden_end-hidden

	.p2align 8
	.globl scratch
	.type scratch,@function
// Each lane stores its number in scratch twice, by buffer and by flat access,
// and copies both out: (out).
scratch:
	s_add_u32 flat_scratch_lo, s6, s8
	s_addc_u32 flat_scratch_hi, s7, 0
	s_add_u32 s0, s0, s8
	s_addc_u32 s1, s1, 0
	s_load_dwordx2 s[4:5], s[4:5], 0x0
	v_add_u32_e32 v1, 100, v0
	buffer_store_dword v0, off, s[0:3], 0 offset:4
	s_mov_b32 s9, 0
	scratch_store_dword off, v1, s9 offset:8
	s_waitcnt vmcnt(0)
	scratch_load_dword v2, off, s9 offset:4
	buffer_load_dword v3, off, s[0:3], 0 offset:8
	v_lshlrev_b32_e32 v0, 3, v0
	s_waitcnt vmcnt(0) lgkmcnt(0)
	global_store_dwordx2 v0, v[2:3], s[4:5]
	s_endpgm
.Lscratch_end:
	.size scratch, .Lscratch_end-scratch

	.p2align 8
	.globl faults
	.type faults,@function
// Stores to an address that is not mapped.
faults:
	v_mov_b32_e32 v0, 0
	v_mov_b32_e32 v1, 1
	global_store_dword v[0:1], v0, off
	s_endpgm
.Lfaults_end:
	.size faults, .Lfaults_end-faults

	.p2align 8
	.globl agprs
	.type agprs,@function
agprs:
	v_accvgpr_write_b32 a255, 1
	s_endpgm
.Lagprs_end:
	.size agprs, .Lagprs_end-agprs

	.data
	.globl variable
	.type variable,@object
variable:
	.long 42
	.size variable, 4
	.p2align 3
	.protected pointer
	.type pointer,@object
pointer:
	.quad variable
	.size pointer, 8

	.macro kernel name, lds, scratch, buffer, registers=12
	.section .rodata,"a"
	.p2align 6
	.amdhsa_kernel \name
		.amdhsa_next_free_vgpr \registers
		.amdhsa_next_free_sgpr 16
		.amdhsa_accum_offset 12
		.amdhsa_group_segment_fixed_size \lds
		.amdhsa_private_segment_fixed_size \scratch
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_flat_scratch_init \buffer
		.amdhsa_system_sgpr_private_segment_wavefront_offset \buffer
		.amdhsa_system_sgpr_workgroup_id_x 1-\buffer
	.end_amdhsa_kernel
	.endm
	kernel add, 256, 0, 0
	kernel hidden, 0, 0, 0
	kernel scratch, 0, 16, 1
	kernel faults, 0, 0, 0
	// All of them behind 12 VGPRs make 268 registers, which are handed out in
	// eights.
	kernel agprs, 0, 0, 0, 268

	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: add
    .symbol: add.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 256
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 12
    .max_flat_workgroup_size: 256
    .args:
      - { .name: out, .type_name: 'int*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: in, .type_name: 'int*', .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: value, .type_name: int, .offset: 16, .size: 4, .value_kind: by_value }
  - .name: hidden
    .symbol: hidden.kd
    .kernarg_segment_size: 40
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 12
    .max_flat_workgroup_size: 256
    .args:
      - { .name: out, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .offset: 8, .size: 4, .value_kind: hidden_block_count_x }
      - { .offset: 12, .size: 4, .value_kind: hidden_block_count_y }
      - { .offset: 16, .size: 4, .value_kind: hidden_block_count_z }
      - { .offset: 20, .size: 2, .value_kind: hidden_group_size_x }
      - { .offset: 22, .size: 2, .value_kind: hidden_remainder_x }
      - { .offset: 24, .size: 2, .value_kind: hidden_grid_dims }
      - { .offset: 28, .size: 4, .value_kind: hidden_dynamic_lds_size }
  - .name: scratch
    .symbol: scratch.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 16
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 12
    .max_flat_workgroup_size: 256
    .args:
      - { .name: out, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
...
	.end_amdgpu_metadata
