// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What instrumenting has compiled is there, until it is cleared.
// RUN: rm -rf %t && mkdir %t
// RUN: env XDG_CACHE_HOME=%t luthier cache path | FileCheck %s --check-prefix=PATH -DFOLDER=%t
// PATH: {{^}}[[FOLDER]]/luthier/code{{$}}
// RUN: env XDG_CACHE_HOME=%t luthier cache list | FileCheck %s --check-prefix=NONE
// RUN: env XDG_CACHE_HOME=%t luthier cache clear | FileCheck %s --check-prefix=CLEAR -DCOUNT=0
// NONE: {{^}}0 entries, 0 bytes{{$}}
// CLEAR: {{^}}[[COUNT]] entries removed{{$}}

// RUN: %device -mcpu=gfx90a %s -o %t/kernel.co
// RUN: env XDG_CACHE_HOME=%t LUTHIER_CACHE_SIZE=10 luthier instrument %t/kernel.co --tool instr-count -o %t/first.co
// RUN: env XDG_CACHE_HOME=%t luthier cache list | FileCheck %s --check-prefix=LIST
// LIST: {{^ +[0-9]+  20[0-9][0-9]-[0-9][0-9]-[0-9][0-9] [0-9][0-9]:[0-9][0-9]  .*libinstr-count.so gfx90a: .*addToKernel}}
// LIST: {{^}}8 entries, {{[0-9]+}} bytes{{$}}
// With it, the same comes out.
// RUN: env XDG_CACHE_HOME=%t LUTHIER_CACHE_SIZE=10 luthier instrument %t/kernel.co --tool instr-count -o %t/second.co
// RUN: cmp %t/first.co %t/second.co

// Damage shows.
// RUN: %python -c "import glob; [open(f, 'ab').write(b'x') for f in glob.glob('%t/luthier/code/*')]"
// RUN: env XDG_CACHE_HOME=%t luthier cache list | FileCheck %s --check-prefix=DAMAGED
// DAMAGED-COUNT-8: damaged
// RUN: env XDG_CACHE_HOME=%t luthier cache clear | FileCheck %s --check-prefix=CLEAR -DCOUNT=8
// RUN: env XDG_CACHE_HOME=%t luthier cache list | FileCheck %s --check-prefix=NONE

// RUN: chmod g+w %t/luthier/code
// RUN: %exits 1 env XDG_CACHE_HOME=%t luthier cache list 2>&1 | FileCheck %s --check-prefix=OTHERS
// OTHERS: luthier: error: {{.*}}/luthier/code may be written by other users
// RUN: %exits 1 env -u XDG_CACHE_HOME -u HOME luthier cache path 2>&1 | FileCheck %s --check-prefix=HOME
// HOME: luthier: error: neither XDG_CACHE_HOME nor HOME names a folder
// RUN: %exits 2 luthier cache frobnicate 2>&1 | FileCheck %s --check-prefix=ACTION
// ACTION: luthier: error: unknown action 'frobnicate'; see luthier cache --help
// RUN: %exits 2 luthier cache 2>&1 | FileCheck %s --check-prefix=NO-ACTION
// NO-ACTION: luthier: error: no action given; see luthier cache --help

#include "kernel.h"

extern "C" KERNEL void kernel(Int *Out) { Out[id()] = 7; }
