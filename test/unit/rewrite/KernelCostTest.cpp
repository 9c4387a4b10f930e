// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel costs does not depend on the module it is in. Work is measured
// in allocations, which are the same in each run. A program of its own, since
// it replaces operator new.
#include "EmulatedRun.h"
#include "hook/HookCompilers.h"
#include "lift/Lifter.h"
#include "luthier/InstrumentationTask.h"
#include "rewrite/Instrumenter.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

static std::atomic<size_t> Allocations, AllocatedBytes;

void *operator new(size_t Size) {
  ++Allocations;
  AllocatedBytes += Size;
  if (void *Memory = std::malloc(Size ? Size : 1))
    return Memory;
  throw std::bad_alloc();
}
void operator delete(void *Memory) noexcept { std::free(Memory); }
void operator delete(void *Memory, size_t) noexcept { std::free(Memory); }

using namespace llvm;

namespace luthier::test {
namespace {

/// So many kernels, all alike, and as many functions.
std::shared_ptr<const CodeObject> moduleOf(unsigned Kernels) {
  std::string IR;
  for (unsigned I = 0; I < Kernels; ++I) {
    const std::string N = std::to_string(1000 + I);
    IR += "define void @f" + N +
          "(ptr addrspace(1) %p) noinline {\n"
          "  store i32 " +
          N +
          ", ptr addrspace(1) %p\n  ret void\n}\n"
          "define amdgpu_kernel void @k" +
          N +
          "(ptr addrspace(1) %p, i32 %a, i32 %b, i64 %c) {\n"
          "  %s = add i32 %a, %b\n"
          "  store i32 %s, ptr addrspace(1) %p\n  ret void\n}\n";
  }
  auto Built = compileIR({"gfx90a", 64}, IR);
  if (!Built) {
    ADD_FAILURE() << toString(Built.takeError());
    return nullptr;
  }
  auto Object = CodeObject::create(*Built);
  if (!Object) {
    ADD_FAILURE() << toString(Object.takeError());
    return nullptr;
  }
  return std::move(*Object);
}

struct Work {
  size_t Allocations, Bytes;
};

class KernelCost : public testing::Test {
protected:
  KernelCost() {
    Hooks.ToolName = "test";
    Hooks.Bitcode = cantFail(hooksFromIR(R"(
define void @h() #0 {
  %a = atomicrmw add ptr addrspace(1) @Counters, i32 1 syncscope("agent") monotonic
  ret void
}
)"))
                        .Bitcode;
    Hooks.Variables["Counters"] = 0x7f0000001000;
  }

  /// Of lifting kernel \p Name and instrumenting it, with hooks compiled
  /// before.
  Work workFor(const std::shared_ptr<const CodeObject> &Object,
               const char *Name) {
    const KernelInfo &Kernel = *Object->findKernel(Name);
    instrument(Object, Kernel);
    const Work Before = {Allocations, AllocatedBytes};
    EXPECT_EQ(instrument(Object, Kernel).Compiled, 0u);
    return {Allocations - Before.Allocations, AllocatedBytes - Before.Bytes};
  }

  HookModule Hooks;
  HookCompilers Compilers;

private:
  InstrumentationReport instrument(std::shared_ptr<const CodeObject> Object,
                                   const KernelInfo &Kernel) {
    auto LR = cantFail(liftKernel(std::move(Object), Kernel));
    InstrumentationTask Task;
    for (MachineBasicBlock &MBB : *LR->functions().front().second)
      for (MachineInstr &MI : MBB)
        Task.insertHookBefore(MI, hook("h"));
    InstrumenterOptions How;
    How.Compilers = &Compilers;
    return cantFail(instrumentKernel(
                        *LR, Task,
                        [&](const void *Handle) -> Expected<HookReference> {
                          return HookReference{
                              &Hooks, static_cast<const char *>(Handle)};
                        },
                        How))
        .Report;
  }
};

TEST_F(KernelCost, DoesNotGrowWithTheModule) {
  const auto Small = moduleOf(4), Large = moduleOf(1000);
  ASSERT_TRUE(Small && Large);
  const Work InSmall = workFor(Small, "k1001"),
             InLarge = workFor(Large, "k1500");
  EXPECT_GT(InSmall.Allocations, 100u);
  // Longer numbers and the like.
  EXPECT_LT(InLarge.Allocations, InSmall.Allocations + 50);
  EXPECT_LT(InLarge.Bytes, InSmall.Bytes + 10'000);
}

} // namespace
} // namespace luthier::test
