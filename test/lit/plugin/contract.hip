// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The embedded module is what src/hook/HookModule.h promises.
// RUN: %tool -O0 && %hooks | FileCheck %s
// RUN: %tool -O2 && %hooks | FileCheck %s
// RUN: %tool32 -O2 && %hooks | FileCheck %s
// RUN: llvm-readelf --dyn-syms -W %t.co | FileCheck --check-prefix=OBJECT %s
#include <hip/hip_runtime.h>
#include <luthier/Hook.h>
#include <luthier/Intrinsics.h>

__attribute__((managed)) uint64_t Counter = 0;
__device__ uint32_t Plain[4];
static __device__ uint32_t Private;
__constant__ int Limits[3] = {1, 2, 3};
static constexpr float Weights[] = {1.5f, 2.5f, 3.5f};
inline constexpr int Common[] = {1, 5, 7};
MARK_LUTHIER_DEVICE_MODULE

// Variables are declarations, constants of this file under a name of their own.
// CHECK-DAG: @Counter = external {{.*}}addrspace(1)
// CHECK-DAG: @Plain = external {{.*}}addrspace(1)
// CHECK-DAG: @Limits = external {{.*}}addrspace(4)
// CHECK-DAG: @[[PRIVATE:__luthier._ZL7Private.[0-9a-f]+]] = external
// CHECK-DAG: @[[WEIGHTS:__luthier._ZL7Weights.const.[0-9a-f]+]] = external
// CHECK-DAG: @[[COMMON:__luthier.Common.const.[0-9a-f]+]] = external
// CHECK-DAG: @[[TEXT:__luthier.str.*.[0-9a-f]+]] = external
// CHECK-DAG: @__hip_cuid_{{[0-9a-f]+}} = external
// CHECK-NOT: llvm.compiler.used
// CHECK-NOT: llvm.used
// CHECK-NOT: amdgpu_kernel

// OBJECT-DAG: OBJECT {{.*}} Counter{{$}}
// OBJECT-DAG: OBJECT {{.*}} Plain{{$}}
// OBJECT-DAG: OBJECT {{.*}} Limits{{$}}
// OBJECT-DAG: OBJECT GLOBAL PROTECTED {{.*}} __luthier._ZL7Private.{{[0-9a-f]+$}}
// OBJECT-DAG: OBJECT GLOBAL PROTECTED {{.*}} __luthier._ZL7Weights.const.{{[0-9a-f]+$}}
// OBJECT-DAG: OBJECT GLOBAL PROTECTED {{.*}} __luthier.Common.const.{{[0-9a-f]+$}}
// OBJECT-DAG: OBJECT GLOBAL PROTECTED {{.*}} __luthier.str

// CHECK: define void @variables(i32 noundef %{{.*}}) #[[HOOK:[0-9]+]]
// CHECK: ret void
LUTHIER_HOOK_ANNOTATE variables(uint32_t I) {
  ++Private;
  Counter += Limits[I] + Common[I] + "text"[I];
  Plain[1] = Weights[I];
}

// CHECK: define void @registers()
// CHECK: call {{.*}}i32 @"luthier::readReg.i32.i32"(i32 noundef 5)
// CHECK: call {{.*}}i32 @"luthier::readReg.i32.i32"(i32 noundef 6)
// CHECK: call {{.*}}void @"luthier::writeReg.i32.float"(i32 noundef 7, float
LUTHIER_HOOK_ANNOTATE registers() {
  unsigned Sum = luthier::readReg<int>(5) + luthier::readReg<unsigned>(6);
  luthier::writeReg<float>(7, luthier::firstLane(float(Sum), 0.0f));
}
LUTHIER_EXPORT_HOOK_HANDLE(registers);

namespace mine {
LUTHIER_INTRINSIC_ANNOTATE inline double scale(double, short) {
  __builtin_trap();
}
LUTHIER_INTRINSIC_ANNOTATE inline uint32_t wave() { __builtin_trap(); }
} // namespace mine

// CHECK: define void @ownIntrinsic()
// CHECK: call {{.*}}double @"mine::scale.double.double.i16"(
LUTHIER_HOOK_ANNOTATE ownIntrinsic() { Counter = mine::scale(1.5, 3); }

// CHECK: define void @ownIntrinsicWithoutParameters()
// CHECK: call {{.*}}i32 @"mine::wave.i32"()
LUTHIER_HOOK_ANNOTATE ownIntrinsicWithoutParameters() {
  const uint64_t Lanes = __builtin_amdgcn_read_exec();
  luthier::writeExec(1);
  Plain[2] = mine::wave();
  luthier::writeExec(Lanes);
}

// CHECK-DAG: declare i32 @"luthier::readReg.i32.i32"(i32) {{.*}}#[[READ:[0-9]+]]
// CHECK-DAG: attributes #[[HOOK]] = { alwaysinline {{.*}}"luthier_hook"
// CHECK-DAG: attributes #[[READ]] = { convergent nounwind memory(inaccessiblemem: readwrite) "luthier_intrinsic"="luthier::readReg" }
