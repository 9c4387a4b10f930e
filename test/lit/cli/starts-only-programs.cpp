// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the system cannot execute is not given to a shell, unless it is text.
// RUN: %device -mcpu=gfx90a %s -o %t.co
// RUN: clang-offload-bundler -type=o -targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx90a -input=/dev/null -input=%t.co -output=%t.bundle
// RUN: chmod a+x %t.co %t.bundle
// RUN: %exits 126 luthier run %t.co 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: %exits 126 luthier run -- %t.bundle x 2>&1 | FileCheck %s --check-prefix=FORMAT
// FORMAT: {{^}}luthier: error: cannot run '{{.*}}': Exec format error{{$}}
// FORMAT-NOT: {{.}}
// RUN: echo 'echo "as ever: $1"' > %t.sh
// RUN: chmod a+x %t.sh
// RUN: luthier run -- %t.sh x | FileCheck %s --check-prefix=SCRIPT
// SCRIPT: {{^}}as ever: x{{$}}

// The two forms of verify, mixed up.
// RUN: %exits 2 luthier verify %t.co --kernel kernel -- %t.sh x 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: %exits 2 luthier verify -- %t.co 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: {{^}}luthier: error: {{.*}}.co is code for GPUs, not a program; a kernel of it is compared by luthier verify {{.*}}.co --kernel KERNEL, without '--'; see luthier verify --help{{$}}
// FILE-NOT: {{.}}
#include "kernel.h"

KERNEL void kernel() {}
