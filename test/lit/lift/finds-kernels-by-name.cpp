// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %device -mcpu=gfx90a %s -o %t.co
// RUN: luthier lift %t.co --kernel left::scale | FileCheck %s --check-prefix=LEFT
// LEFT: # kernel _ZN4left5scaleEPU3AS1f for gfx90a

// RUN: %exits 1 luthier lift %t.co --kernel scale 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: {{^}}luthier: error: several kernels are called 'scale'; choose from: left::scale(float AS1*), right::scale(float AS1*){{$}}

// RUN: %exits 1 luthier lift %t.co --kernel vectorad 2>&1 | FileCheck %s --check-prefix=NEAR
// NEAR: {{^}}luthier: error: no kernel 'vectorad' in the code for gfx90a; near it: vectorAdd(float AS1*); there are:{{$}}
// NEAR: {{^}}  left::scale(float AS1*){{$}}

// RUN: %exits 1 luthier lift %t.co --kernel convolution 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: {{^}}luthier: error: no kernel 'convolution' in the code for gfx90a; there are:{{$}}

// RUN: %device -mcpu=gfx908 %s -o %t.908
// RUN: clang-offload-bundler -type=o -input=/dev/null -input=%t.co -input=%t.908 -output=%t.bundle \
// RUN:   -targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx90a,hipv4-amdgcn-amd-amdhsa--gfx908
// RUN: %exits 1 luthier lift %t.bundle --kernel vectorAdd 2>&1 | FileCheck %s --check-prefix=TARGETS
// TARGETS: {{^}}luthier: error: {{.*}}: choose a --target from gfx90a, gfx908{{$}}
// RUN: luthier lift %t.bundle --kernel vectorAdd --target gfx908 | FileCheck %s --check-prefix=CHOSEN
// CHOSEN: # kernel _Z9vectorAddPU3AS1f for gfx908
#include "kernel.h"

namespace left {
KERNEL void scale(Float *To) { To[id()] *= 2; }
} // namespace left
namespace right {
KERNEL void scale(Float *To) { To[id()] *= 3; }
} // namespace right
KERNEL void vectorAdd(Float *To) { To[id()] += 1; }
