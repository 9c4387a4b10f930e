// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ToolRegistry.h"
#include "runtime/KernelAccess.h"
#include <gtest/gtest.h>

using namespace luthier;
using namespace luthier::runtime;

namespace {

int Made, Dispatched, Completed, Exited;
uint64_t CompletedId;
const Tool *SeenCurrent;

const Tool *currentTool() {
  const CallContext *Context = CallContext::current();
  return Context ? Context->Owner : nullptr;
}

struct Recorder : Tool {
  Recorder() { ++Made; }
  void onDispatch(KernelDispatch &Dispatch) override {
    ++Dispatched;
    SeenCurrent = currentTool();
    Dispatch.SkipCompletion = Dispatch.Id == 13;
  }
  void onComplete(const KernelDispatch &Dispatch) override {
    ++Completed;
    CompletedId = Dispatch.Id;
    SeenCurrent = currentTool();
  }
  void onExit() override { ++Exited; }
};

std::unique_ptr<Tool> makeRecorder() { return std::make_unique<Recorder>(); }

class ToolRegistryTest : public testing::Test {
protected:
  ToolRegistryTest() {
    Made = Dispatched = Completed = Exited = 0;
    SeenCurrent = nullptr;
  }

  KernelInfo Info = {.Name = "k",
                     .Descriptor =
                         KernelDescriptor(llvm::amdhsa::kernel_descriptor_t()),
                     .Metadata = {}};
  const hsa::LoadedCodeObjectKernel Kernel =
      KernelAccess::make(nullptr, Info, {1}, 0);
  hsa_kernel_dispatch_packet_t Packet = {};
  ToolRegistry Registry;

  llvm::SmallVector<ToolToCall, 1> dispatch(uint64_t Id = 1) {
    return Registry.onDispatch(Kernel, Packet, Id, nullptr);
  }
};

TEST_F(ToolRegistryTest, ToolIsMadeAtItsFirstCallback) {
  Registry.add(makeRecorder);
  EXPECT_FALSE(Registry.empty());
  EXPECT_EQ(Made, 0) << "static constructors of its library may still run";
  dispatch();
  dispatch();
  EXPECT_EQ(Made, 1);
  EXPECT_EQ(Dispatched, 2);
}

TEST_F(ToolRegistryTest, NothingIsCalledAfterTheEnd) {
  Registry.add(makeRecorder);
  Registry.onExit();
  Registry.onExit();
  dispatch();
  EXPECT_EQ(Exited, 1);
  EXPECT_EQ(Dispatched, 0);
}

TEST_F(ToolRegistryTest, CallbacksKnowTheirTool) {
  Registry.add(makeRecorder);
  dispatch();
  const Tool *First = SeenCurrent;
  EXPECT_NE(First, nullptr);
  EXPECT_EQ(currentTool(), nullptr);
  Registry.add(makeRecorder);
  dispatch();
  EXPECT_EQ(Dispatched, 3);
  EXPECT_NE(SeenCurrent, First);
}

TEST_F(ToolRegistryTest, OnlyToolsWithOnCompleteAreToldOfTheEnd) {
  struct Plain : Tool {
    void onDispatch(KernelDispatch &) override {}
  };
  struct Derived : Recorder {};
  class Private : Tool {
    void onComplete(const KernelDispatch &) override {}
  };
  static_assert(!detail::overridesOnComplete<Plain>());
  static_assert(detail::overridesOnComplete<Recorder>());
  static_assert(detail::overridesOnComplete<Derived>());
  static_assert(detail::overridesOnComplete<Private>());

  Registry.add(makeRecorder, /*SeesCompletion=*/false);
  EXPECT_TRUE(dispatch().empty());
  Registry.add(makeRecorder, /*SeesCompletion=*/true);
  auto ToCall = dispatch();
  ASSERT_EQ(ToCall.size(), 1u);
  EXPECT_EQ(ToCall[0].Called, SeenCurrent) << "the second one";
  Registry.onComplete(ToCall, KernelDispatch(Kernel, Packet, 12));
  EXPECT_EQ(Completed, 1);
  EXPECT_EQ(CompletedId, 12u);
  EXPECT_EQ(SeenCurrent, ToCall[0].Called);
  EXPECT_TRUE(dispatch(13).empty()) << "the tool asks to be spared";
  Registry.onExit();
  Registry.onComplete(ToCall, KernelDispatch(Kernel, Packet, 14));
  EXPECT_EQ(Completed, 1);
}

TEST_F(ToolRegistryTest, KnowsWhetherThereWasWork) {
  dispatch();
  EXPECT_FALSE(Registry.hasSeenDispatch()) << "no tool has";
  Registry.add(makeRecorder);
  EXPECT_FALSE(Registry.hasSeenDispatch());
  dispatch();
  EXPECT_TRUE(Registry.hasSeenDispatch());
}

TEST(ToolsLibrary, IsNamedOnceAndBehindOthers) {
  const char *Ours = "/opt/lib/libluthier.so";
  EXPECT_EQ(withToolsLibrary("", Ours), Ours);
  EXPECT_EQ(withToolsLibrary("/a/libother.so", Ours),
            "/a/libother.so /opt/lib/libluthier.so");
  EXPECT_EQ(withToolsLibrary("/opt/lib/libluthier.so", Ours), Ours);
  EXPECT_EQ(withToolsLibrary("libother.so libluthier.so", Ours),
            "libother.so libluthier.so");
}

TEST_F(ToolRegistryTest, SaysWhatCannotBeLoaded) {
  testing::internal::CaptureStderr();
  Registry.loadLibraries("/no/such/libtool.so:libm.so.6");
  std::string Said = testing::internal::GetCapturedStderr();
  EXPECT_NE(Said.find("/no/such/libtool.so"), std::string::npos) << Said;
  EXPECT_NE(Said.find("libm.so.6 is not a Luthier tool"), std::string::npos)
      << Said;
  EXPECT_TRUE(Registry.empty());
}

} // namespace
