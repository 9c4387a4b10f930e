; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Which argument is read has to be known: both are, and one of them is chosen.
; RUN: luthier-pass --target gfx90a --pass implicit-loads %s | FileCheck %s
; CHECK-LABEL: define void @hook(
; CHECK-DAG: %[[A:.*]] = load i16, ptr addrspace(4) %[[P:.*]], align 2
; CHECK-DAG: %[[P]] = getelementptr i16, ptr addrspace(4) %implicit, i64 6
; CHECK-DAG: %[[B:.*]] = load i16, ptr addrspace(4) %[[Q:.*]], align 2
; CHECK-DAG: %[[Q]] = getelementptr i16, ptr addrspace(4) %implicit, i64 9
; CHECK: select i1 %c, i16 %[[A]], i16 %[[B]]
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
define void @hook(i1 %c) {
  %implicit = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %n = select i1 %c, i64 6, i64 9
  %a = getelementptr i16, ptr addrspace(4) %implicit, i64 %n
  %v = load i16, ptr addrspace(4) %a, align 2
  store i16 %v, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  ret void
}
