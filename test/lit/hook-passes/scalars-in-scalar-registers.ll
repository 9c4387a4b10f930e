; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What ScalarLowering takes for scalar arithmetic, instruction selection has to
; put into scalar registers: held against the register classes of what it
; selects, on each kind of target. --until wave-operands fails otherwise.
; RUN: luthier-pass --target gfx906 --until wave-operands %s | FileCheck %s
; RUN: luthier-pass --target gfx90a --until wave-operands %s | FileCheck %s
; RUN: luthier-pass --target gfx942 --until wave-operands %s | FileCheck %s
; RUN: luthier-pass --target gfx1030 --until wave-operands %s | FileCheck %s
; RUN: luthier-pass --target gfx1100 --wave 32 --until wave-operands %s | FileCheck %s
; RUN: luthier-pass --target gfx1100 --wave 64 --until wave-operands %s | FileCheck %s
; RUN: luthier-pass --target gfx1201 --until wave-operands %s | FileCheck %s
;
; CHECK-LABEL: name: arithmetic32
; CHECK-NOT: class: v
; CHECK: body:
; CHECK-LABEL: name: arithmetic64
; CHECK-NOT: class: v
; CHECK: body:
; CHECK-LABEL: name: conversions
; CHECK-NOT: class: v
; CHECK: body:
; CHECK-LABEL: name: conditions
; CHECK-NOT: class: v
; CHECK: body:
; CHECK-LABEL: name: narrow
; CHECK-NOT: class: v
; CHECK: body:
; CHECK-LABEL: name: bits
; CHECK-NOT: class: v
; CHECK: body:
define void @arithmetic32() {
  %a = call i32 asm sideeffect "", "={s4}"()
  %b = call i32 asm sideeffect "", "={s5}"()
  %1 = add i32 %a, %b
  %2 = sub i32 %1, 17
  %3 = mul i32 %2, %b
  %4 = shl i32 %3, %a
  %5 = lshr i32 %4, 3
  %6 = ashr i32 %5, %b
  %7 = xor i32 %6, %a
  %8 = or i32 %7, 4096
  %9 = and i32 %8, %b
  %s = call i32 @scalar.i32(i32 %9)
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 %s, i32 24)
  ret void
}
define void @arithmetic64() {
  %a = call i64 asm sideeffect "", "={s[4:5]}"()
  %b = call i64 asm sideeffect "", "={s[6:7]}"()
  %1 = add i64 %a, %b
  %2 = sub i64 %1, 17
  %3 = mul i64 %2, %b
  %4 = shl i64 %3, %a
  %5 = lshr i64 %4, 3
  %6 = ashr i64 %5, %b
  %7 = xor i64 %6, %a
  %8 = or i64 %7, 4096
  %9 = and i64 %8, %b
  %s = call i64 @scalar.i64(i64 %9)
  %low = trunc i64 %s to i32
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 %low, i32 24)
  ret void
}
define void @conversions() {
  %a = call i32 asm sideeffect "", "={s4}"()
  %b = call i64 asm sideeffect "", "={s[6:7]}"()
  %1 = zext i32 %a to i64
  %2 = sext i32 %a to i64
  %3 = add i64 %1, %2
  %p = inttoptr i64 %b to ptr addrspace(1)
  %q = getelementptr i32, ptr addrspace(1) %p, i64 %3
  %4 = ptrtoint ptr addrspace(1) %q to i64
  %5 = trunc i64 %4 to i32
  %s = call i32 @scalar.i32(i32 %5)
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 %s, i32 24)
  ret void
}
define void @conditions() {
  %a = call i32 asm sideeffect "", "={s4}"()
  %b = call i32 asm sideeffect "", "={s5}"()
  %c = call i64 asm sideeffect "", "={s[6:7]}"()
  %1 = icmp ult i32 %a, %b
  %2 = icmp sgt i64 %c, 3
  %3 = and i1 %1, %2
  %4 = icmp eq i64 %c, 5
  %5 = or i1 %3, %4
  %6 = select i1 %5, i32 %a, i32 %b
  %7 = zext i1 %3 to i32
  %8 = add i32 %6, %7
  %s = call i32 @scalar.i32(i32 %8)
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 %s, i32 24)
  ret void
}
define void @narrow() {
  %a = call i32 asm sideeffect "", "={s4}"()
  %1 = trunc i32 %a to i8
  %2 = mul i8 %1, 3
  %3 = icmp slt i8 %2, 9
  %4 = sext i8 %2 to i32
  %5 = zext i1 %3 to i32
  %6 = add i32 %4, %5
  %s = call i32 @scalar.i32(i32 %6)
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 %s, i32 24)
  ret void
}
define void @bits() {
  %a = call i32 asm sideeffect "", "={s4}"()
  %b = call i64 asm sideeffect "", "={s[6:7]}"()
  %1 = call i32 @llvm.ctpop.i32(i32 %a)
  %2 = call i64 @llvm.ctpop.i64(i64 %b)
  %3 = trunc i64 %2 to i32
  %4 = add i32 %1, %3
  %s = call i32 @scalar.i32(i32 %4)
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 %s, i32 24)
  ret void
}
declare i32 @llvm.ctpop.i32(i32)
declare i64 @llvm.ctpop.i64(i64)
declare i32 @scalar.i32(i32) #0
declare i64 @scalar.i64(i64) #0
attributes #0 = { "luthier_intrinsic"="luthier::detail::scalar" }
