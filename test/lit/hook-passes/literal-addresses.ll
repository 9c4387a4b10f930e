; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Addresses that are constant but for literals are literals. Those that differ by a
; constant share one, which leaves the rest to the instructions' offsets.
; RUN: luthier-pass --target gfx90a --pass literal-addresses %s | FileCheck %s
declare i32 @slot(i32, i32, i32, i32) #0
declare i64 @wide(i32, i32, i32, i32) #0
declare ptr addrspace(1) @pointer(i32, i32, i32, i32) #0
attributes #0 = { convergent nounwind memory(inaccessiblemem: readwrite) "luthier_intrinsic"="luthier.argument" }

; CHECK-LABEL: define void @elements(
; CHECK: %[[SUM:.*]] = call i64 @luthier.argument{{.*}}(i32 0, i32 1048576, i32 2, i32 1)
; CHECK-NEXT: %[[ADDRESS:.*]] = inttoptr i64 %[[SUM]] to ptr addrspace(1), !luthier.literal
; CHECK: %[[NEXT:.*]] = getelementptr i8, ptr addrspace(1) %[[ADDRESS]], i64 8
; CHECK-NEXT: store i64 7, ptr addrspace(1) %[[ADDRESS]]
; CHECK-NEXT: store i64 8, ptr addrspace(1) %[[NEXT]]
define void @elements() {
  %slot = call i32 @slot(i32 0, i32 3, i32 1, i32 1)
  %index = zext i32 %slot to i64
  %first = getelementptr [2 x i64], ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1)), i64 %index
  %second = getelementptr i8, ptr addrspace(1) %first, i64 8
  store i64 7, ptr addrspace(1) %first
  store i64 8, ptr addrspace(1) %second
  ret void
}

; Registers are none, and 32 bits may wrap around where 64 do not.
; CHECK-LABEL: define void @others(
; CHECK-NOT: i32 1048576
; CHECK: ret void
define void @others() {
  %register = call i32 @slot(i32 0, i32 3, i32 1, i32 0)
  %a = zext i32 %register to i64
  %x = getelementptr i64, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1)), i64 %a
  store i64 7, ptr addrspace(1) %x
  %literal = call i32 @slot(i32 0, i32 3, i32 1, i32 1)
  %more = add i32 %literal, 1
  %b = zext i32 %more to i64
  %y = getelementptr i64, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1)), i64 %b
  store i64 7, ptr addrspace(1) %y
  ret void
}

; CHECK-LABEL: define void @pointers(
; CHECK: %[[SUM:.*]] = call i64 @luthier.argument{{.*}}(i32 0, i32 1048576, i32 2, i32 1)
; CHECK-NEXT: %[[ADDRESS:.*]] = inttoptr i64 %[[SUM]] to ptr addrspace(1), !luthier.literal
; CHECK: store i64 7, ptr addrspace(1) %[[ADDRESS]]
define void @pointers() {
  %place = call ptr addrspace(1) @pointer(i32 0, i32 3, i32 2, i32 1)
  store i64 7, ptr addrspace(1) %place
  ret void
}
