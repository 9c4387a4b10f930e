; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Shared memory lies behind the application's; other addresses are literals that
; are filled in later.
; RUN: luthier-pass --target gfx90a --pass variables %s | FileCheck %s
; CHECK-LABEL: define void @hook(
; CHECK-DAG: call i32 asm "luthier::readLane", "=s,i"(i32 11)
; CHECK-DAG: call i32 asm "luthier::addressLo Out", "=s"()
; CHECK-DAG: call i32 asm "luthier::addressHi Out", "=s"()
; CHECK: ret void
@Shared = internal addrspace(3) global i32 poison
@Out = external addrspace(1) global i32
define void @hook() {
  store i32 1, ptr addrspace(3) @Shared
  store i32 1, ptr addrspace(1) @Out
  ret void
}
