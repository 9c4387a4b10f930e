// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
	.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
	.text
	.globl	first
	.p2align 8
	.type	first,@function
first:
	s_endpgm
	.globl	_Z6secondPf
	.p2align 8
	.type	_Z6secondPf,@function
_Z6secondPf:
	s_nop 0
	s_endpgm

	.rodata
	// Descriptors some pages away from the ELF header.
	.p2align 13
	.amdhsa_kernel first
	  .amdhsa_next_free_vgpr 1
	  .amdhsa_next_free_sgpr 1
	  .amdhsa_accum_offset 4
	.end_amdhsa_kernel
	.amdhsa_kernel _Z6secondPf
	  .amdhsa_next_free_vgpr 1
	  .amdhsa_next_free_sgpr 1
	  .amdhsa_accum_offset 4
	.end_amdhsa_kernel
