// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine on one side, the emulated GPU on the other: assembles a kernel and
// hooks, instruments, runs both versions.
#ifndef LUTHIER_TEST_UNIT_REWRITE_ENGINE_H
#define LUTHIER_TEST_UNIT_REWRITE_ENGINE_H

#include "../emulator/Machine.h"
#include "codeobject/CodeObject.h"
#include "hook/HookModule.h"
#include "lift/Lifter.h"
#include "rewrite/Instrumenter.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <functional>
#include <gtest/gtest.h>

namespace luthier::test {

class Engine : public ::testing::Test {
protected:
  Engine();

  /// A code object whose kernel is \p Assembly. Of its registers, \p VGPRs and
  /// 24 scalar ones are allocated.
  std::shared_ptr<const CodeObject> assembleKernel(const std::string &Assembly,
                                                   unsigned VGPRs = 16);
  /// Hooks in LLVM IR, as the plugin would embed them. "@Counters" is the
  /// first half of Counters below.
  void setHooks(const std::string &IR);

  using Mutator =
      std::function<void(LiftedRepresentation &, InstrumentationTask &)>;
  llvm::Expected<InstrumentedKernel> instrument(const CodeObject &Object,
                                                const Mutator &Mutate);
  /// A handle for the hook of this name.
  static const void *hook(const char *Name) { return Name; }

  /// What a run left behind.
  struct Outcome {
    std::vector<uint32_t> Data;
    emulator::DispatchCounts Counts;
  };
  /// Loads \p Object at \p Where and runs its kernel on one workgroup of \p
  /// WorkItems. The kernel's argument is the address of Data, which is zero
  /// before.
  Outcome run(llvm::ArrayRef<uint8_t> Object, DeviceMemory &Where,
              unsigned WorkItems = 64);

  /// Instruments \p Assembly with \p Mutate and expects that Data comes out as
  /// it does without. Returns the instrumented run's data and the counts of
  /// the original.
  Outcome expectUnchanged(const std::string &Assembly, const Mutator &Mutate,
                          unsigned WorkItems = 64);
  /// The mutator that calls hook \p Name, with \p Arguments, before everything.
  static Mutator everywhere(const char *Name,
                            std::vector<HookArgument> Arguments = {});

  static constexpr size_t DataSize = 1 << 16;
  emulator::AddressSpace Space;
  std::unique_ptr<emulator::ShaderArray> Device;
  /// Where the original lies, and stays, and where its instrumented version.
  static constexpr size_t CodeSize = 8 << 20;
  DeviceMemory Original{Space, CodeSize};
  DeviceMemory Instrumented{Space, CodeSize};
  DeviceMemory Data{Space, DataSize};
  DeviceMemory Counters{Space, 1 << 16};
  HookModule Hooks;
  InstrumentationReport Report; ///< Of the last instrument().
};

/// Expects a refusal for \p Reason.
template <typename T>
void expectRefusal(llvm::Expected<T> Result, RefusalReason Reason) {
  ASSERT_FALSE(bool(Result));
  llvm::handleAllErrors(
      Result.takeError(),
      [&](const Refusal &R) {
        EXPECT_EQ(toString(R.reason()), toString(Reason)) << R.detail().str();
      },
      [](const llvm::ErrorInfoBase &E) { ADD_FAILURE() << E.message(); });
}

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_REWRITE_ENGINE_H
