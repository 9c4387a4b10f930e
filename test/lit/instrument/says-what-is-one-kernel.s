// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names that share a descriptor are one kernel: its hooks are inserted once,
// whichever name is asked for, and all of them lead to it.
// RUN: clang --target=amdgcn-amd-amdhsa -mcpu=gfx90a %s -o %t.co
// RUN: luthier instrument %t.co --tool instr-count -o %t.all | FileCheck %s --check-prefix=ALL
// ALL: {{^}}gfx90a: first: {{[0-9]+}} hooks{{$}}
// ALL-NEXT: {{^}}gfx90a: alias: the same kernel as first{{$}}
// ALL-NEXT: {{^}}gfx90a: other: {{[0-9]+}} hooks{{$}}
// ALL-NEXT: {{^}}2 kernels instrumented, 0 unchanged{{$}}
// RUN: luthier instrument %t.co --tool instr-count --kernel alias -o %t.alias | FileCheck %s --check-prefix=ALIAS
// ALIAS: {{^}}gfx90a: first: {{[0-9]+}} hooks{{$}}
// ALIAS-NEXT: {{^}}gfx90a: alias: the same kernel as first{{$}}
// ALIAS-NEXT: {{^}}1 kernel instrumented, 0 unchanged{{$}}

// Each name counts, and needs what the other does.
// RUN: luthier exec %t.all --kernel first --grid 64 --block 64 --arg out:256@%t.out --variable Counts.managed@%t.first
// RUN: luthier exec %t.all --kernel alias --grid 64 --block 64 --arg out:256@%t.out --variable Counts.managed@%t.second
// RUN: cmp %t.first %t.second
// RUN: luthier exec %t.alias --kernel first --grid 64 --block 64 --arg out:256@%t.out --variable Counts.managed@%t.third
// RUN: cmp %t.first %t.third
// RUN: llvm-readelf -sW %t.all | FileCheck %s --check-prefix=SYMBOLS
// SYMBOLS-DAG: [[ENTRY:[0-9a-f]+]] [[SIZE:[0-9]+]] FUNC GLOBAL PROTECTED [[SECTION:[0-9]+]] first
// SYMBOLS-DAG: [[ENTRY]] [[SIZE]] FUNC GLOBAL PROTECTED [[SECTION]] alias
	.text
	.globl first
	.protected first
	.p2align 8
	.type first,@function
first:
	s_load_dwordx2 s[0:1], s[0:1], 0x0
	v_lshlrev_b32 v1, 2, v0
	v_mov_b32 v2, 9
	s_waitcnt lgkmcnt(0)
	global_store_dword v1, v2, s[0:1]
	s_endpgm
	.size first, .-first

	.globl alias
	.protected alias
	.type alias,@function
	.set alias, first
	.globl alias.kd
	.protected alias.kd
	.type alias.kd,@object
	.set alias.kd, first.kd
	.size alias.kd, 64

	.globl other
	.protected other
	.p2align 8
	.type other,@function
other:
	s_endpgm
	.size other, .-other

	.rodata
	.p2align 6
	.amdhsa_kernel first
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 3
		.amdhsa_next_free_sgpr 2
		.amdhsa_accum_offset 4
	.end_amdhsa_kernel
	.protected first.kd
	.globl first.kd
	.amdhsa_kernel other
		.amdhsa_next_free_vgpr 3
		.amdhsa_next_free_sgpr 2
		.amdhsa_accum_offset 4
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx90a
amdhsa.kernels:
  - .name: first
    .symbol: first.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 3
    .max_flat_workgroup_size: 256
    .args:
      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
  - .name: other
    .symbol: other.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 3
    .max_flat_workgroup_size: 256
...
	.end_amdgpu_metadata
