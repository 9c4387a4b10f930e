// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One wave on the emulator whose registers are set, that executes one
// instruction, and whose registers are looked at.
#ifndef LUTHIER_TEST_UNIT_ANALYSIS_EMULATEDWAVE_H
#define LUTHIER_TEST_UNIT_ANALYSIS_EMULATEDWAVE_H

#include "Kernels.h"
#include "analysis/RegisterEffects.h"
#include "luthier/emulator.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace luthier::test {

/// All of a wave that can be set. Halves of EXEC and VCC that wave32 does not
/// have stay zero.
struct WaveState {
  static constexpr unsigned SGPRs = 102;
  uint32_t Scalars[SGPRs] = {};
  uint64_t Exec = 0, VCC = 0;
  uint32_t SCC = 0, M0 = 0;
  /// The first of two SGPRs that EmulatedWave::run() fills with the address of
  /// the wave's scratch.
  std::optional<unsigned> ScratchAddressIn;
  std::vector<uint32_t> Vectors; ///< VGPRs, then AGPRs, by lane.
};

/// Bytes that lanes of a wave may access.
struct WaveMemory {
  /// Of LDS, of scratch for each lane, of memory.
  static constexpr unsigned LDS = 32768, Scratch = 512, Global = 65536;
  alignas(256) uint8_t Bytes[Global];
  /// The same before each instruction.
  void reset();
  uint64_t address() const { return reinterpret_cast<uint64_t>(Bytes); }
};

class EmulatedWave {
public:
  EmulatedWave(const TargetCase &Target, unsigned VGPRs, unsigned Seed);
  ~EmulatedWave();
  EmulatedWave(const EmulatedWave &) = delete;
  EmulatedWave &operator=(const EmulatedWave &) = delete;

  const TargetCase &target() const { return Target; }
  unsigned lanes() const { return Target.WaveSize; }
  uint64_t allLanes() const { return lanes() == 32 ? 0xffffffffu : ~0ull; }
  WaveMemory &memory() { return *Memory; }
  std::mt19937_64 &random() { return Random; }

  void load(llvm::ArrayRef<uint8_t> Code);
  uint64_t codeBase() const { return Base; }
  /// What the emulator takes the instruction for.
  std::string disassemble(uint64_t PC) const;

  /// Random, but for what would only make instructions fault.
  WaveState randomState();
  /// What \p E lets the instruction know of \p From; the rest is that of
  /// \p Other.
  WaveState whatIsRead(const InstructionEffects &E, const WaveState &From,
                       WaveState Other) const;
  /// Nothing where the emulator refuses the instruction.
  std::optional<WaveState> run(WaveState &From, uint64_t PC);
  /// Empty, or where \p E is wrong of an instruction that gave \p AfterA and
  /// \p AfterB from \p A and from a state with whatIsRead().
  std::string differences(const InstructionEffects &E, const WaveState &A,
                          const WaveState &AfterA,
                          const WaveState &AfterB) const;
  /// Why the emulator refused an instruction.
  std::string error() const { return luthier_emu_error(Device); }

private:
  void restart();
  void set(luthier_emu_register File, unsigned Index, uint64_t Value);
  uint64_t get(luthier_emu_register File, unsigned Index = 0);
  uint32_t word();

  TargetCase Target;
  unsigned VGPRs, AGPRs;
  uint64_t Base = 0, ScratchBase = 0;
  luthier_emu_device *Device = nullptr;
  luthier_emu_execution *Execution = nullptr;
  std::unique_ptr<WaveMemory> Memory = std::make_unique<WaveMemory>();
  std::mt19937_64 Random;
};

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_ANALYSIS_EMULATEDWAVE_H
