// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of a file get hooks, and compute what they computed: with data of
// their own beside the code, in each version of the format, one or all of them.
// RUN: %python -c "import sys; sys.stdout.buffer.write(b''.join((3*n).to_bytes(4,'little') for n in range(100)))" > %t.in

// RUN: %device -mcpu=gfx90a -mcode-object-version=4 %s -o %t.v4
// RUN: luthier instrument %t.v4 --tool instr-count -o %t.v4i | FileCheck %s --check-prefix=ALL
// ALL: {{^}}gfx90a: pick(int AS1*, int AS1*, unsigned int): {{[1-9][0-9]*}} hooks{{$}}
// ALL: {{^}}gfx90a: sum(int AS1*): {{[1-9][0-9]*}} hooks{{$}}
// ALL: {{^}}2 kernels instrumented, 0 unchanged{{$}}
// RUN: luthier exec %t.v4 --kernel pick --grid 128 --block 64 --arg out:400@%t.out --arg buf:@%t.in --arg u32:100 > %t.text
// RUN: luthier exec %t.v4i --kernel pick --grid 128 --block 64 --arg out:400@%t.outi --arg buf:@%t.in --arg u32:100 --strict > %t.texti
// RUN: cmp %t.out %t.outi
// RUN: not cmp %t.text %t.texti
// RUN: luthier exec %t.v4 --kernel sum --grid 64 --block 64 --arg "buf:@%t.in>%t.out"
// RUN: luthier exec %t.v4i --kernel sum --grid 64 --block 64 --arg "buf:@%t.in>%t.outi" --strict
// RUN: cmp %t.out %t.outi

// RUN: %device -mcpu=gfx90a -mcode-object-version=5 %s -o %t.v5
// RUN: luthier instrument %t.v5 --tool instr-count -o %t.v5i
// RUN: luthier exec %t.v5i --kernel pick --grid 128 --block 64 --arg out:400@%t.outi --arg buf:@%t.in --arg u32:100 --strict
// RUN: luthier exec %t.v5 --kernel pick --grid 128 --block 64 --arg out:400@%t.out --arg buf:@%t.in --arg u32:100
// RUN: cmp %t.out %t.outi

// RUN: %device -mcpu=gfx90a -mcode-object-version=6 %s -o %t.v6
// RUN: luthier instrument %t.v6 --tool instr-count -o %t.v6i
// RUN: luthier exec %t.v6i --kernel pick --grid 128 --block 64 --arg out:400@%t.outi --arg buf:@%t.in --arg u32:100 --strict
// RUN: cmp %t.out %t.outi

// What was in the file stays, stripped files too.
// RUN: llvm-strip %t.v5 -o %t.stripped
// RUN: luthier instrument %t.stripped --tool instr-count -o %t.strippedi
// RUN: luthier exec %t.strippedi --kernel pick --grid 128 --block 64 --arg out:400@%t.outi --arg buf:@%t.in --arg u32:100 --strict
// RUN: cmp %t.out %t.outi
// RUN: luthier info %t.v4 | FileCheck %s --check-prefix=INFO
// RUN: luthier info %t.v4i | FileCheck %s --check-prefix=INFO
// INFO: {{^}}gfx90a: 2 kernels, 0 functions, code object version 4
// INFO: pick(int AS1*, int AS1*, unsigned int)
// INFO: sum(int AS1*)

// Variables of the tool are symbols; a managed one's cell leads to it.
// RUN: llvm-readelf --dyn-syms --relocations %t.v4i | FileCheck %s --check-prefix=VARIABLES
// VARIABLES: R_AMDGPU_ABS64 {{.*}} Counts.managed + 0
// VARIABLES: OBJECT GLOBAL PROTECTED {{.*}} Counts{{$}}
// VARIABLES: OBJECT GLOBAL PROTECTED {{.*}} Counts.managed{{$}}

// Only some kernels: the others execute what they did.
// RUN: luthier instrument %t.v5 --tool instr-count --kernel '^sum' -o %t.some | FileCheck %s --check-prefix=SOME
// SOME-NOT: pick
// SOME: {{^}}1 kernel instrumented, 0 unchanged{{$}}
// RUN: luthier exec %t.some --kernel pick --grid 128 --block 64 --arg out:400@%t.outi --arg buf:@%t.in --arg u32:100 > %t.texti
// RUN: cmp %t.text %t.texti
// RUN: cmp %t.out %t.outi

// The loader puts the variables' addresses into instrumented code, so that what
// the file shows is not what runs: such kernels are left alone.
// RUN: luthier instrument %t.some --tool branch-count -o %t.twice | FileCheck %s --check-prefix=TWICE
// TWICE: {{^}}gfx90a: pick(int AS1*, int AS1*, unsigned int): {{[0-9]+}} hook
// TWICE: {{^}}gfx90a: sum(int AS1*): unchanged: undecodable-instruction: at 0x{{[0-9A-F]+}}: the loader changes this instruction, as it does where luthier instrument has put hooks{{$}}
// TWICE: {{^}}1 kernel instrumented, 1 unchanged{{$}}
// RUN: luthier exec %t.twice --kernel pick --grid 128 --block 64 --arg out:400@%t.outi --arg buf:@%t.in --arg u32:100 --strict
// RUN: cmp %t.out %t.outi
// RUN: luthier exec %t.v4 --kernel sum --grid 64 --block 64 --arg "buf:@%t.in>%t.sum"
// RUN: luthier exec %t.twice --kernel sum --grid 64 --block 64 --arg "buf:@%t.in>%t.sumi" --strict
// RUN: cmp %t.sum %t.sumi

// In a bundle, plain or compressed, code for other processors is left alone.
// RUN: %device -mcpu=gfx1030 %s -o %t.gfx1030
// RUN: clang-offload-bundler -type=o -targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx1030,hipv4-amdgcn-amd-amdhsa--gfx90a -input=/dev/null -input=%t.gfx1030 -input=%t.v5 -output=%t.bundle
// RUN: luthier instrument %t.bundle --tool instr-count --target gfx90a -o %t.bundlei
// RUN: luthier exec %t.bundlei --target gfx90a --kernel pick --grid 128 --block 64 --arg out:400@%t.outi --arg buf:@%t.in --arg u32:100 --strict > %t.texti
// RUN: cmp %t.out %t.outi
// RUN: not cmp %t.text %t.texti
// RUN: luthier exec %t.bundlei --target gfx1030 --kernel sum --grid 64 --block 64 --arg "buf:@%t.in>%t.out"
// RUN: clang-offload-bundler -compress -type=o -targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx90a -input=/dev/null -input=%t.v5 -output=%t.ccob
// RUN: luthier instrument %t.ccob --tool instr-count -o %t.ccobi
// RUN: luthier exec %t.ccobi --kernel pick --grid 128 --block 64 --arg out:400@%t.outi --arg buf:@%t.in --arg u32:100 --strict
// RUN: luthier exec %t.v5 --kernel pick --grid 128 --block 64 --arg out:400@%t.out --arg buf:@%t.in --arg u32:100
// RUN: cmp %t.out %t.outi
// In the place of the original.
// RUN: cp %t.v4 %t.replaced
// RUN: luthier instrument %t.replaced --tool instr-count -o %t.replaced
// RUN: cmp %t.replaced %t.v4i
// From a pipe, which can be read once.
// RUN: cat %t.v4 | luthier instrument /dev/stdin --tool instr-count --target gfx90a -o %t.piped
// RUN: cmp %t.piped %t.v4i
#include "kernel.h"

using Constant = const int [[clang::address_space(4)]];
[[gnu::visibility("protected")]] extern Constant Primes[8];
Constant Primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};

KERNEL void pick(Int *Out, Int *In, unsigned Count) {
  unsigned I = __builtin_amdgcn_workgroup_id_x() * 64 + id();
  if (I < Count)
    Out[I] = In[I] * Primes[In[I] & 7];
}

KERNEL void sum(Int *Data) {
  int Sum = 0;
  for (unsigned I = 0; I <= id(); ++I)
    Sum += Data[I];
  Data[id()] = Sum;
}
