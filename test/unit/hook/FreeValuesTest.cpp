// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes around LLVM's structurizer, on IR.
#include "hook/ir/FreeValues.h"
#include "Targets.h"
#include "amdgpu/CompileErrors.h"
#include "amdgpu/MCTarget.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

/// Two ways lead to %edge, so that LLVM's structurizer puts a block in between;
/// moved to before it, %z2 is there on one of them only.
const char *const TwoWaysToACast = R"(
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @f(ptr addrspace(1) %out) {
entry:
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %lane, 256
  %j = add i32 %lane, 320
  %low = and i32 %lane, 1
  %a = icmp eq i32 %low, 0
  br i1 %a, label %edge, label %first
first:
  %t1 = load volatile i32, ptr addrspace(1) %out
  %b = icmp ult i32 %lane, 20
  br i1 %b, label %second, label %edge
second:
  %t2 = load volatile i32, ptr addrspace(1) %out
  %bit = and i32 %lane, 2
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %edge, label %inner
inner:
  %v = load i32, ptr addrspace(1) %out
  %z1 = zext i32 %j to i64
  br label %join
edge:
  %w = load volatile i32, ptr addrspace(1) %out
  %z2 = zext i32 %i to i64
  br label %join
join:
  %z = phi i64 [ %z1, %inner ], [ %z2, %edge ]
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %z
  store i32 1, ptr addrspace(1) %q
  ret void
})";

TEST(FreeValues, StayWhereTheyAreComputed) {
  for (const EngineTarget &Target : allTargets()) {
    auto MC = amdgpu::MCTarget::get(Target.Processor, Target.features());
    ASSERT_TRUE(bool(MC)) << toString(MC.takeError());
    auto TM = MC->createTargetMachine();
    LLVMContext Context;
    SMDiagnostic Diagnostic;
    auto M = parseAssemblyString(TwoWaysToACast, Diagnostic, Context);
    ASSERT_TRUE(M) << Diagnostic.getMessage().str();
    M->setDataLayout(TM->createDataLayout());
    const amdgpu::CompileErrors Errors(Context);
    PassContext Shared(*MC, *TM, Errors);
    legacy::PassManager Passes;
    Passes.add(createTargetTransformInfoWrapperPass(TM->getTargetIRAnalysis()));
    Passes.add(createPinFreeValuesPass(Shared));
    Passes.add(createStructurizeCFGPass());
    Passes.run(*M);
    unsigned Found = 0;
    for (const Instruction &I : instructions(*M->getFunction("f"))) {
      if (I.getName() != "z1" && I.getName() != "z2")
        continue;
      ++Found;
      EXPECT_EQ(I.getParent()->getName(),
                I.getName() == "z1" ? "inner" : "edge")
          << Target.Processor;
    }
    EXPECT_EQ(Found, 2u) << Target.Processor;
  }
}

} // namespace
