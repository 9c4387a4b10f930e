// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenCL C has profiles as HIP has, with flags for a compiler of device code alone: by the front end's counters and by IR's, a kernel
// counts how often its loop runs, and both profiles are used.
// DEFINE: %{compile} = clang -x cl -cl-std=CL2.0 -nogpulib -O2 --target=amdgcn-amd-amdhsa -mcpu=gfx90a
// DEFINE: %{run} = --kernel halves --grid 128 --block 64 --arg out:512@%t.out
// RUN: luthier pgo flags collect --device-only > %t.rsp
// RUN: %{compile} @%t.rsp %s -o %t.co
// RUN: luthier exec %t.co %{run} --profile %t.profdata | FileCheck %s --check-prefix=RAN
// RAN: {{^}}halves: {{[0-9]+}} wave instructions
// RUN: llvm-profdata show --counts --all-functions %t.profdata | FileCheck %s --check-prefix=COUNTERS
// COUNTERS: Function count: 128
// COUNTERS-NEXT: Block counts: [8128]
// RUN: luthier pgo flags use --device-only %t.profdata > %t.use.rsp
// RUN: %{compile} @%t.use.rsp %s -S -emit-llvm -o - | FileCheck %s --check-prefix=USED
// USED: !prof
// USED: {{^}}!{{[0-9]+}} = !{!"branch_weights", {{.*}}}

// RUN: luthier pgo flags collect --route ir --device-only > %t.ir.rsp
// RUN: %{compile} @%t.ir.rsp %s -o %t.ir.co
// RUN: luthier exec %t.ir.co %{run} --profile %t.ir.profdata | FileCheck %s --check-prefix=RAN
// RUN: llvm-profdata show --counts --all-functions %t.ir.profdata | FileCheck %s --check-prefix=IR
// IR: halves:
// IR: Block counts: {{.*}}8128
// RUN: luthier pgo flags use --device-only %t.ir.profdata > %t.ir.use.rsp
// RUN: %{compile} @%t.ir.use.rsp %s -S -emit-llvm -o - | FileCheck %s --check-prefix=USED

// RUN: %exits 2 luthier pgo flags collect --rdc --device-only 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: --rdc is for a driver that links for the GPU, which --device-only is not
__kernel void halves(__global int *Out) {
  const int Lane = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  for (int I = 0; I < Lane; ++I)
    Out[Lane] = Out[Lane] / 2 + I;
}
