// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %device -mcpu=gfx1030 -mcode-object-version=5 %s -o %t.co
// RUN: luthier info --json %t.co > %t.json
// RUN: %python -m json.tool %t.json > /dev/null
// RUN: FileCheck %s < %t.json
#include "kernel.h"

KERNEL void add(Int *To, int Value) { To[id()] += Value; }

// CHECK:      "file": "{{.*}}json-is-for-scripts.cpp.tmp.co"
// CHECK-NEXT: "code_objects": [
// CHECK-NEXT: {
// CHECK-NEXT:   "target": "gfx1030"
// CHECK-NEXT:   "version": 5
// CHECK-NEXT:   "bytes": {{[0-9]+}}
// CHECK-NEXT:   "functions": 0
// CHECK-NEXT:   "kernels": [
// CHECK-NEXT:     {
// CHECK-NEXT:       "symbol": "_Z3addPU3AS1ii"
// CHECK-NEXT:       "name": "add(int AS1*, int)"
// CHECK-NEXT:       "vgprs": 2
// CHECK-NEXT:       "agprs": 0
// CHECK-NEXT:       "sgprs": {{[0-9]+}}
// CHECK-NEXT:       "waves_per_simd": 16
// CHECK-NEXT:       "wave_size": 32
// CHECK-NEXT:       "lds_bytes": 0
// CHECK-NEXT:       "scratch_bytes": 0
// CHECK-NEXT:       "dynamic_stack": false
// CHECK-NEXT:       "kernarg_bytes": {{[0-9]+}}
// CHECK-NEXT:       "max_workgroup_size": 1024
// CHECK-NEXT:       "code_bytes": {{[0-9]+}}
