// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One payload alone on the emulated GPU: a single wave whose registers are all
// filled with known values runs it, and whatever the payload did not announce
// must come out as it went in.
#ifndef LUTHIER_TEST_UNIT_HOOK_PAYLOADRUN_H
#define LUTHIER_TEST_UNIT_HOOK_PAYLOADRUN_H

#include "CodeBuilder.h"
#include "Targets.h"
#include "hook/PayloadCompiler.h"
#include "luthier/emulator.h"
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>

namespace luthier::test {

/// What a wave has in its registers.
struct WaveState {
  std::vector<uint32_t> SGPRs;
  /// By register, then lane.
  std::vector<std::vector<uint32_t>> VGPRs, AGPRs;
  uint64_t EXEC = 0, VCC = 0;
  uint32_t SCC = 0, M0 = 0, MODE = 0;
};

class PayloadRun {
public:
  explicit PayloadRun(const EngineTarget &Target);
  ~PayloadRun();

  /// Hooks as LLVM IR, after declarations that most of them need.
  void parseHooks(const std::string &IR);
  /// Hooks in HIP, as the plugin embeds them; their variables are loaded.
  void compileHooks(const std::string &Source, bool OneWaveSize = false);
  /// Runs HIP kernel \p Kernel of \p Source, whose argument is the address of a
  /// number per lane, on one wave, and returns these numbers.
  std::vector<uint32_t> runKernel(const std::string &Source,
                                  const char *Kernel);

  /// An ABI past 32 scalar and 16 vector registers of an application.
  PayloadABI abi() const;
  HookNeeds needs(llvm::StringRef Hook, std::vector<uint64_t> Constants = {});
  llvm::Expected<Payload> compile(llvm::StringRef Hook, const PayloadABI &ABI,
                                  std::vector<uint64_t> Constants = {});
  /// What was compiled, or refused, is as if it never had been.
  void forgetCompiled() { Compiler.reset(); }
  /// Before anything is known of what is compiled.
  void setUpCompiler() { llvm::cantFail(compiler()).setUp(); }

  /// Memory of the device, zeroed.
  uint64_t allocate(uint64_t Size);
  template <typename T> std::vector<T> read(uint64_t Address, size_t Count) {
    std::vector<T> Result(Count);
    check(luthier_emu_read(Device, Address, Result.data(), Count * sizeof(T)));
    return Result;
  }
  template <typename T> void write(uint64_t Address, const T &Value) {
    check(luthier_emu_write(Device, Address, &Value, sizeof(T)));
  }

  /// Registers filled with noise; the ABI's as the code around payloads
  /// would set them.
  WaveState initialState(const PayloadABI &ABI);
  /// Executes \p P; expects of everything it does not report that it stays.
  WaveState run(const Payload &P, const PayloadABI &ABI, WaveState Before);
  /// What the emulator says of the fault in which \p P ends, or nothing.
  std::string faultOf(const Payload &P, const WaveState &Before);
  /// compile(), initialState() and run().
  WaveState runHook(llvm::StringRef Hook, std::vector<uint64_t> Constants = {});

  /// 64 KiB that hooks see as variable "Out".
  uint64_t Out = 0;
  std::vector<uint32_t> out(size_t Count = 64) {
    return read<uint32_t>(Out, Count);
  }
  HookModule Hooks;
  EngineTarget Target;
  bool hasAGPRs() const {
    return !Target.isRdna() && std::string(Target.Processor) != "gfx906";
  }
  const amdgpu::MCTarget *MC = nullptr;
  /// Of the wave, and below it private memory that is the application's.
  static constexpr unsigned ScratchSize = 2048, StackBase = 256;
  static constexpr unsigned LdsSize = 4096, LdsBase = 1024;
  uint64_t EXEC = ~uint64_t(0); ///< For initialState().
  /// Lanes of the state value array.
  std::map<unsigned, uint32_t> State;
  /// LDS after the last run.
  std::vector<uint8_t> Lds;

private:
  void check(luthier_emu_status Status);
  /// Of the hooks there are now, one for all that is compiled, as in the
  /// engine. What changes in Hooks after that needs forgetCompiled().
  llvm::Expected<PayloadCompiler &> compiler();
  AssemblyKernel kernelAround(const Payload &P) const;
  /// A wave at the beginning of a payload.
  struct Started {
    luthier_emu_code *Code = nullptr;
    luthier_emu_execution *Execution = nullptr;
    uint64_t End = 0; ///< The address behind the payload.
  };
  /// Without an execution if it failed.
  Started start(const Payload &P, const WaveState &Before);
  void finish(const Started &S);
  void fill(luthier_emu_execution *E, const WaveState &State);
  WaveState capture(luthier_emu_execution *E);
  void expectAnnounced(const Payload &P, const PayloadABI &ABI,
                       const WaveState &Before, const WaveState &After);

  luthier_emu_device *Device = nullptr;
  luthier_emu_code *Tool = nullptr, *Reference = nullptr;
  std::unique_ptr<PayloadCompiler> Compiler;
  uint32_t Noise = 1;
};

/// IR for parseHooks() that reads %s0 to %s3 from SGPR4 to SGPR7. The function
/// that reads has to be declared.
std::string readsOfFourScalars();

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_HOOK_PAYLOADRUN_H
