// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instruments a kernel and lets the emulator say whether the instrumented
// version computes the same, through the emulator's C API:
//  1. the original runs alone, in strict mode;
//  2. both run in lockstep, once per seed;
//  3. the instrumented version runs alone, with loads as late as they may be,
//     and must leave the same in all buffers, unless that depends on where the
//     original's code lies.
// Before that, its descriptor must say the same (CarriedOver.h). Without
// GoogleTest, so that programs can use it, too; EngineTest.h is for
// tests.
#ifndef LUTHIER_TEST_SUPPORT_EMULATEDRUN_H
#define LUTHIER_TEST_SUPPORT_EMULATEDRUN_H

#include "CodeBuilder.h"
#include "codeobject/CodeObject.h"
#include "hook/HookModule.h"
#include "rewrite/Instrumenter.h"
#include <array>
#include <functional>
#include <map>
#include <optional>

namespace luthier::test {

/// Explicit arguments in order, each at its natural alignment.
class KernelArguments {
public:
  /// A buffer with these words, passed by its address.
  KernelArguments &buffer(std::vector<uint32_t> Contents) {
    Items.push_back({std::move(Contents), {}, true});
    return *this;
  }
  /// A buffer of zeros.
  KernelArguments &words(size_t Count) {
    return buffer(std::vector<uint32_t>(Count));
  }
  template <class T> KernelArguments &value(T Value) {
    const auto *From = reinterpret_cast<const uint8_t *>(&Value);
    Items.push_back({{}, Bytes(From, From + sizeof(T)), false});
    return *this;
  }

  struct Item {
    std::vector<uint32_t> Contents;
    Bytes Value;
    bool IsBuffer;
  };
  std::vector<Item> Items = {};
};

/// In work-items; the grid need not be a multiple of the workgroup.
struct KernelLaunch {
  std::array<uint32_t, 3> Grid = {64, 1, 1}, Workgroup = {64, 1, 1};
  KernelArguments Arguments = {};
  std::string Kernel = {}; ///< Empty for the first one.
  uint32_t DynamicLds = 0;
  /// Bytes of a work-item that the packet asks for; 0 for the kernel's own.
  uint32_t Scratch = 0;
};

/// Hooks as the plugin embeds them.
struct TestHooks {
  std::vector<uint8_t> Bitcode;
  /// Defines the variables. Without one the only variable is "Counters", an
  /// external array [8192 x i64].
  Bytes Object;
};
/// LLVM IR behind some declarations (EmulatedRun.cpp): attributes #0 for hooks,
/// #1 for calls, #2 readReg, #3 writeReg.
llvm::Expected<TestHooks> hooksFromIR(const std::string &IR);
/// HIP; variables are __device__.
llvm::Expected<TestHooks> hooksFromHip(const EngineTarget &T,
                                       const std::string &Source);

using Mutator =
    std::function<void(LiftedRepresentation &, InstrumentationTask &)>;
/// A handle for the hook of this name, for mutators. \p Name outlives the task.
inline const void *hook(const char *Name) { return Name; }

struct JudgeOptions {
  /// Orders of waves in lockstep.
  std::vector<uint64_t> Seeds = {0, 1};
  /// Steps 1 and 3 above.
  bool RunAlone = true;
  /// Registers must be equal only where the original reads them.
  bool OnlyWhatIsRead = true;
  std::string Strict = "1";
  /// Instructions after which the original counts as endless; 0 for no limit.
  uint64_t MostInstructions = 0;
  /// Storage forms and policies; addresses are filled in.
  InstrumenterOptions Engine = {};
  SelfTestOptions SelfTest = {};
  /// Contents of registers that nobody has written, and more.
  uint64_t DeviceSeed = 1;
};

struct Judgement {
  /// What went wrong, in one or more lines; empty if all is well.
  std::string Problem;
  /// The original alone cannot be run: it does not fit the device, or reached
  /// the limit; or what it computes depends on where its code lies. Problem has
  /// the text.
  bool IsUnfit = false;
  /// Set if the engine refused to instrument; Problem has the text.
  std::optional<RefusalReason> Refused;
  InstrumentedKernel Instrumented;
  /// Buffers as the original, running alone, left them; also after a refusal.
  std::vector<std::vector<uint32_t>> Buffers;
  /// As the instrumented version, alone, left them.
  std::vector<std::vector<uint32_t>> InstrumentedBuffers;
  /// Variables of the hooks as the instrumented version, alone, left them.
  std::map<std::string, Bytes> Variables;
  /// Of the original, running alone.
  uint64_t WaveInstructions = 0, LaneInstructions = 0;

  /// "Counters" as 64-bit words.
  std::vector<uint64_t> counters() const;
  /// The first 8 bytes of the hooks' variable \p Name, or all that it has.
  uint64_t variable(const std::string &Name) const;
};

/// Runs the three steps. \p Object is for \p T.
Judgement judge(const EngineTarget &T,
                const std::shared_ptr<const CodeObject> &Object,
                const KernelLaunch &Launch, const TestHooks &Hooks,
                const Mutator &Mutate, const JudgeOptions &Options = {});

} // namespace luthier::test

#endif // LUTHIER_TEST_SUPPORT_EMULATEDRUN_H
