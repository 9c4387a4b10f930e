// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ToolModules.h"
#include "luthier/Refusal.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::runtime;

namespace {

constexpr hsa_agent_t Agent = {1};

class ToolModulesTest : public testing::Test {
protected:
  ToolModules Modules;
  ToolModule &Module = *Modules.addModule(nullptr, "/tools/libcount.so");
  int Stub, Shadow; ///< Only their addresses matter.

  void expectUnknownHook(const void *Handle, StringRef Detail) {
    Expected<HookReference> Hook = Modules.resolve(Handle, Agent);
    ASSERT_FALSE(Hook);
    handleAllErrors(Hook.takeError(), [&](const Refusal &R) {
      EXPECT_EQ(R.reason(), RefusalReason::UnknownHook);
      EXPECT_TRUE(R.detail().contains(Detail)) << R.detail().str();
    });
  }
};

TEST_F(ToolModulesTest, UnknownHandleIsRefused) {
  expectUnknownHook(&Stub, "LUTHIER_EXPORT_HOOK_HANDLE");
}

TEST_F(ToolModulesTest, OrdinaryKernelIsNoHook) {
  Modules.addFunction(Module, &Stub, "someKernel");
  expectUnknownHook(&Stub, "someKernel of libcount.so");
}

TEST_F(ToolModulesTest, ManagedVariableIsUsableAtOnce) {
  const uint64_t Initial[3] = {1, 2, 3};
  auto *Memory = static_cast<uint64_t *>(Modules.addManagedVariable(
      Module, "Counters", Initial, sizeof(Initial), alignof(uint64_t)));
  EXPECT_EQ(Memory[2], 3u);
  Memory[1] = 20;

  uint64_t Value = 0;
  ASSERT_FALSE(Modules.read(&Memory[1], Agent, &Value, sizeof(Value)));
  EXPECT_EQ(Value, 20u);
  Value = 30;
  ASSERT_FALSE(Modules.write(&Memory[2], Agent, &Value, sizeof(Value)));
  EXPECT_EQ(Memory[2], 30u);

  uint64_t Last[2];
  ASSERT_FALSE(Modules.read(Memory, Agent, Last, sizeof(Last), 8));
  EXPECT_EQ(Last[0], 20u);
  EXPECT_EQ(Last[1], 30u);
  llvm::Error Beyond = Modules.read(Memory, Agent, Last, sizeof(Last), 16);
  EXPECT_TRUE(bool(Beyond)) << "it has three";
  llvm::consumeError(std::move(Beyond));
}

TEST_F(ToolModulesTest, ManagedVariableWithoutInitialValueIsZero) {
  auto *Memory = static_cast<char *>(
      Modules.addManagedVariable(Module, "Big", nullptr, 100'000, 16));
  EXPECT_EQ(Memory[0], 0);
  EXPECT_EQ(Memory[99'999], 0);
}

TEST_F(ToolModulesTest, FingerprintFollowsManagedMemory) {
  auto *Memory = static_cast<char *>(
      Modules.addManagedVariable(Module, "Flag", nullptr, 1, 1));
  uint64_t Before = Modules.managedFingerprint();
  EXPECT_EQ(Modules.managedFingerprint(), Before);
  *Memory = 1;
  EXPECT_NE(Modules.managedFingerprint(), Before);
}

TEST_F(ToolModulesTest, DeviceVariableIsOutOfReachWithoutRuntime) {
  Modules.addVariable(Module, &Shadow, "Limit", sizeof(int));
  int Value;
  EXPECT_EQ(toString(Modules.read(&Shadow, Agent, &Value, sizeof(Value))),
            "the GPU runtime is not running");
  EXPECT_EQ(toString(Modules.read(&Shadow, Agent, &Value, 8)),
            "variable Limit has 4 bytes, too few for 8 from byte 0 on");
  EXPECT_EQ(
      toString(Modules.write(&Stub, Agent, &Value, sizeof(Value))),
      "the address is of no __device__ or managed variable of a loaded tool");
}

} // namespace
