; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Shared memory lies behind the application's; other addresses are literals that
; are filled in later. What instructions cannot add to an address is in the
; literals: too much of it, or anything to a generic one.
; RUN: luthier-pass --target gfx90a --pass variables %s | FileCheck %s
; CHECK-LABEL: define void @hook(
; CHECK-DAG: call i32 asm "luthier::readLane", "=s,i"(i32 11)
; CHECK-DAG: call i32 asm "luthier::addressLo Out", "=s,i"(i64 0)
; CHECK-DAG: call i32 asm "luthier::addressHi Out", "=s,i"(i64 0)
; CHECK: ret void
; CHECK-LABEL: define void @places(
; CHECK-NOT: asm "luthier::address{{.*}}(i64 12)
; CHECK-DAG: call i32 asm "luthier::addressLo Out", "=s,i"(i64 5000)
; CHECK-DAG: call i32 asm "luthier::addressHi Out", "=s,i"(i64 5000)
; CHECK-DAG: call i32 asm "luthier::addressLo Out", "=s,i"(i64 20)
; CHECK-DAG: getelementptr i8, ptr addrspace(1) %{{.*}}, i64 12
; CHECK: ret void
@Shared = internal addrspace(3) global i32 poison
@Out = external addrspace(1) global i32
define void @hook() {
  store i32 1, ptr addrspace(3) @Shared
  store i32 1, ptr addrspace(1) @Out
  ret void
}
define void @places() {
  store i32 1, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @Out, i64 12)
  store i32 1, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @Out, i64 5000)
  store i32 1, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @Out to ptr), i64 20)
  ret void
}
