// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Before the work: nothing is listed. A program here is what a compiler leaves
// of one, with a bundle and HIP's registration of it.
// RUN: rm -f %t.out
// RUN: echo 'extern "C" [[clang::amdgpu_kernel]] void store(int *Out) { *Out = 1; }' > %t.cpp
// RUN: %device -mcpu=gfx90a %t.cpp -o %t.co
// RUN: clang-offload-bundler -type=o -targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx90a -input=/dev/null -input=%t.co -output=%t.bundle
// RUN: llvm-mc --triple=x86_64-unknown-linux-gnu --filetype=obj %s -o %t.o
// RUN: llvm-objcopy --update-section .hip_fatbin=%t.bundle %t.o %t.fat.o
// RUN: %exits 1 luthier instrument %t.fat.o --tool instr-count -o %t.out 2>&1 | FileCheck %s --check-prefix=OBJECT --implicit-check-not=hook
// OBJECT: {{^}}luthier: error: {{.*}}.fat.o: it is not linked yet; the program or library that it becomes part of can be changed{{$}}

// RUN: ld.lld -shared %t.fat.o -o %t.so
// RUN: %exits 1 luthier instrument %t.so --tool instr-count -o %t.out 2>&1 | FileCheck %s --check-prefix=ROOM --implicit-check-not=hook
// ROOM: {{^}}luthier: error: {{.*}}.so: the program's headers have no room for a segment; linked with --build-id they would{{$}}

// With one, it is instrumented; and again, as far as code is left without hooks.
// RUN: ld.lld -shared --build-id %t.fat.o -o %t.noted.so
// RUN: luthier instrument %t.noted.so --tool instr-count -o %t.first.so | FileCheck %s --check-prefix=FIRST
// FIRST: {{^}}1 kernel instrumented, 0 unchanged{{$}}
// RUN: %exits 1 luthier instrument %t.first.so --tool instr-count -o %t.out 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: {{^}}gfx90a: store: unchanged: undecodable-instruction: {{.*}}
// RUN: not test -e %t.out
	.section .hip_fatbin,"a",@progbits
	.p2align 12
bundle:
	.zero 1
	.section .hipFatBinSegment,"aw",@progbits
	.p2align 3
	.long 0x48495046, 1
	.quad bundle
	.quad 0
