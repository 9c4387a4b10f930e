// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/Refusal.h"
#include "luthier/Tool.h"
#include "runtime/KernelAccess.h"
#include "runtime/RememberedError.h"
#include <gtest/gtest.h>

using namespace luthier;

namespace {

KernelInfo infoNamed(const char *Name) {
  return {.Name = Name,
          .Descriptor = KernelDescriptor(llvm::amdhsa::kernel_descriptor_t()),
          .Metadata = {}};
}

TEST(Refusals, AreSaidOncePerKernelAndReason) {
  KernelInfo A = infoNamed("a"), B = infoNamed("b");
  const hsa::LoadedCodeObjectKernel KernelA = runtime::KernelAccess::make(
                                        nullptr, A, {1}, 0),
                                    KernelB = runtime::KernelAccess::make(
                                        nullptr, B, {1}, 0);
  // Other tests have added theirs.
  const size_t Before = refusals().size();
  testing::internal::CaptureStderr();
  for (int Dispatch = 0; Dispatch < 3; ++Dispatch) {
    reportRefusal(KernelA, refuse(RefusalReason::CallsFunctions, "at 0x40"));
    reportRefusal(KernelA, refuse(RefusalReason::DynamicStack, "because"));
    reportRefusal(KernelB, llvm::createStringError("out of patience"));
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "luthier: kernel a runs unchanged: overlapping-functions: at 0x40\n"
            "luthier: kernel a runs unchanged: dynamic-stack: because\n"
            "luthier: kernel b runs unchanged: error: out of patience\n");

  std::vector<RefusedKernel> All = refusals();
  ASSERT_EQ(All.size(), Before + 3);
  EXPECT_EQ(All[Before].Kernel, "a");
  EXPECT_EQ(All[Before].Reason, "overlapping-functions");
  EXPECT_EQ(All[Before + 2].Reason, "error");
}

TEST(Refusals, RememberedErrorsKeepTheirReason) {
  runtime::RememberedError Kept(
      refuse(RefusalReason::RegisterBudget, "needs 9"));
  for (int Time = 0; Time < 2; ++Time)
    llvm::handleAllErrors(Kept.error(), [](const Refusal &R) {
      EXPECT_EQ(R.reason(), RefusalReason::RegisterBudget);
      EXPECT_EQ(R.detail(), "needs 9");
    });
  runtime::RememberedError Other(llvm::createStringError("100 %s"));
  EXPECT_EQ(toString(Other.error()), "100 %s");
}

} // namespace
