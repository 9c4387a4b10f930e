// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Refusals.h"
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

TEST(Refusals, BesideOthersAreRefusalsThatAreSaidOnceWhateverTheSizes) {
  const size_t Before = refusals().size();
  testing::internal::CaptureStderr();
  for (const char *Detail : {"65 KiB", "66 KiB"}) {
    llvm::Error E =
        runtime::besideOthers(refuse(RefusalReason::SharedMemory, Detail));
    EXPECT_TRUE(E.isA<Refusal>());
    runtime::reportRefusal("c", std::move(E));
  }
  runtime::reportRefusal(
      "c", runtime::besideOthers(llvm::createStringError("out of patience")));
  const std::string Text = testing::internal::GetCapturedStderr();
  const std::string Begin =
      "luthier: kernel c runs without the hooks of one of "
      "the tools: they cannot stand beside those of "
      "others: ";
  EXPECT_EQ(Text,
            Begin + "shared-memory: 65 KiB\n" + Begin + "out of patience\n");
  EXPECT_EQ(refusals().size(), Before) << "it does not run unchanged";
  EXPECT_FALSE(runtime::besideOthers(llvm::Error::success()));
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
