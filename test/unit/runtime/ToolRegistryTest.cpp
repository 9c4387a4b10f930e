// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ToolRegistry.h"
#include "codeobject/CodeObject.h"
#include <gtest/gtest.h>

using namespace luthier;
using namespace luthier::runtime;

namespace {

int Made, Dispatched, Exited;
const Tool *SeenCurrent;

struct Recorder : Tool {
  Recorder() { ++Made; }
  void onDispatch(KernelDispatch &) override {
    ++Dispatched;
    SeenCurrent = ToolRegistry::current();
  }
  void onExit() override { ++Exited; }
};

std::unique_ptr<Tool> makeRecorder() { return std::make_unique<Recorder>(); }

class ToolRegistryTest : public testing::Test {
protected:
  ToolRegistryTest() {
    Made = Dispatched = Exited = 0;
    SeenCurrent = nullptr;
  }

  KernelInfo Info = {.Name = "k",
                     .Descriptor =
                         KernelDescriptor(llvm::amdhsa::kernel_descriptor_t()),
                     .Metadata = {}};
  hsa::LoadedCodeObjectKernel Kernel{nullptr, Info, {1}, 0};
  hsa_kernel_dispatch_packet_t Packet = {};
  KernelDispatch Dispatch{Kernel, Packet};
  ToolRegistry Registry;
};

TEST_F(ToolRegistryTest, ToolIsMadeAtItsFirstCallback) {
  Registry.add(makeRecorder);
  EXPECT_FALSE(Registry.empty());
  EXPECT_EQ(Made, 0) << "static constructors of its library may still run";
  Registry.onDispatch(Dispatch);
  Registry.onDispatch(Dispatch);
  EXPECT_EQ(Made, 1);
  EXPECT_EQ(Dispatched, 2);
}

TEST_F(ToolRegistryTest, NothingIsCalledAfterTheEnd) {
  Registry.add(makeRecorder);
  Registry.onExit();
  Registry.onExit();
  Registry.onDispatch(Dispatch);
  EXPECT_EQ(Exited, 1);
  EXPECT_EQ(Dispatched, 0);
}

TEST_F(ToolRegistryTest, CallbacksKnowTheirTool) {
  Registry.add(makeRecorder);
  Registry.onDispatch(Dispatch);
  const Tool *First = SeenCurrent;
  EXPECT_NE(First, nullptr);
  EXPECT_EQ(ToolRegistry::current(), nullptr);
  Registry.add(makeRecorder);
  Registry.onDispatch(Dispatch);
  EXPECT_EQ(Dispatched, 3);
  EXPECT_NE(SeenCurrent, First);
}

TEST_F(ToolRegistryTest, KnowsWhetherThereWasWork) {
  Registry.onDispatch(Dispatch);
  EXPECT_FALSE(Registry.hasSeenDispatch()) << "no tool has";
  Registry.add(makeRecorder);
  EXPECT_FALSE(Registry.hasSeenDispatch());
  Registry.onDispatch(Dispatch);
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
