// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trial is one instruction as assembly, what to prepare for it, and what it
// must do to all that a wave can see. Expectations are written from the manuals
// and use nothing of src/emulator.
#ifndef LUTHIER_TEST_UNIT_EMULATOR_OPS_TRIAL_H
#define LUTHIER_TEST_UNIT_EMULATOR_OPS_TRIAL_H

#include "VectorVariant.h"
#include <array>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace luthier::test {

using RandomSource = std::mt19937_64;

/// What a wave can see.
struct TrialState {
  static constexpr unsigned NumLanes = 64, NumVgprs = 128;
  static constexpr unsigned MemorySize = 1 << 15, LdsSize = 1 << 14;
  /// Resources of global wave sync whose counter is 2 and 0.
  static constexpr unsigned SetResource = 5, ZeroResource = 6;
  /// Numbers of special registers in S.
  static constexpr unsigned FlatScratch = 102, Vcc = 106, M0 = 124, Exec = 126;

  const TargetTraits *T = nullptr;
  /// SGPRs, VCC, M0 and EXEC as generation 9 numbers them.
  std::array<uint32_t, 128> S{};
  bool Scc = false;
  uint32_t Mode = 0xf0;
  uint32_t V[NumVgprs][NumLanes] = {};
  std::vector<uint8_t> Memory, Lds;
  /// Device address of Memory. The wave's scratch is its second half.
  uint64_t MemoryBase = 0;
  uint64_t scratchBase() const { return MemoryBase + MemorySize / 2; }
  /// Device address of the instruction.
  uint64_t PC = 0;
  /// Set by what jumps.
  std::optional<uint64_t> Next;
  /// An SGPR that, where it is a NaN of this format, may be any quiet one:
  /// which NaN comes out of arithmetic is not documented.
  unsigned NanReg = 0;
  const Format *NanFormat = nullptr;
  /// Whether the wave goes on by itself.
  enum { Runs, Ends, WaitsAtBarrier, WaitsForGrid, Sleeps } Then = Runs;
  /// SGPRs that may hold anything but what was there: clocks.
  unsigned AnyFirst = 0, NumAny = 0;

  uint64_t s64(unsigned Reg) const {
    return S[Reg] | uint64_t(S[Reg + 1]) << 32;
  }
  void setS64(unsigned Reg, uint64_t Value) {
    S[Reg] = uint32_t(Value), S[Reg + 1] = uint32_t(Value >> 32);
  }
  uint64_t laneMask() const {
    return T->WaveSize == 64 ? ~uint64_t(0) : 0xffffffff;
  }
  uint64_t exec() const { return s64(Exec) & laneMask(); }
  bool isActive(unsigned L) const { return exec() >> L & 1; }

  /// Little-endian values of up to eight bytes, from device addresses.
  uint64_t read(uint64_t Address, unsigned Bytes) const {
    uint64_t Value = 0;
    std::memcpy(&Value, Memory.data() + (Address - MemoryBase), Bytes);
    return Value;
  }
  void write(uint64_t Address, uint64_t Value, unsigned Bytes) {
    std::memcpy(Memory.data() + (Address - MemoryBase), &Value, Bytes);
  }
  uint64_t readLds(uint32_t Address, unsigned Bytes) const {
    uint64_t Value = 0;
    std::memcpy(&Value, Lds.data() + Address, Bytes);
    return Value;
  }
  void writeLds(uint32_t Address, uint64_t Value, unsigned Bytes) {
    std::memcpy(Lds.data() + Address, &Value, Bytes);
  }
  /// One or two registers of a lane.
  uint64_t lane(unsigned Reg, unsigned L, unsigned Bytes) const {
    return V[Reg][L] | (Bytes > 4 ? uint64_t(V[Reg + 1][L]) << 32 : 0);
  }
  void setLane(unsigned Reg, unsigned L, uint64_t Value, unsigned Bytes) {
    V[Reg][L] = uint32_t(Value);
    if (Bytes > 4)
      V[Reg + 1][L] = uint32_t(Value >> 32);
  }
  FloatRules rules(const Format &F) const {
    unsigned Round = F.width() == 32 ? 0 : 2;
    unsigned Denorm = F.width() == 32 ? 4 : 6;
    return {Rounding(Mode >> Round & 3), (Mode >> Denorm & 1) != 0,
            (Mode >> Denorm & 2) != 0};
  }
};

struct Trial {
  std::string Name; ///< The operation's mnemonic.
  std::string Line;
  /// All is random before; this sets up addresses and such.
  std::function<void(TrialState &, RandomSource &)> Prepare;
  std::function<void(TrialState &)> Expect;
  /// Part of the message of the fault that must end it instead.
  const char *Fault = nullptr;
};

/// What trials need to know of a target, in one of its wave sizes.
TargetTraits trialTraits(const std::string &Processor, unsigned WaveSize);

struct TrialTable {
  const char *Name;
  std::vector<Trial> (*Trials)(const TargetTraits &T, RandomSource &Random);
};
const std::vector<TrialTable> &trialTables();

std::vector<Trial> scalarTrials(const TargetTraits &T, RandomSource &Random);
std::vector<Trial> scalarFloatTrials(const TargetTraits &T,
                                     RandomSource &Random);
std::vector<Trial> controlTrials(const TargetTraits &T, RandomSource &Random);
std::vector<Trial> scalarMemoryTrials(const TargetTraits &T,
                                      RandomSource &Random);
std::vector<Trial> flatTrials(const TargetTraits &T, RandomSource &Random);
std::vector<Trial> bufferTrials(const TargetTraits &T, RandomSource &Random);
std::vector<Trial> bufferFormatTrials(const TargetTraits &T,
                                      RandomSource &Random);
std::vector<Trial> ldsTrials(const TargetTraits &T, RandomSource &Random);

/// Names of the operations in trials that \p Processor has.
std::vector<std::string> testedByTrials(const std::string &Processor);

/// "a|b" to its parts: spellings of different generations.
std::vector<std::string> spellings(const std::string &Names);
/// v[2:3] and the like; one register without brackets.
std::string registerText(char File, unsigned First, unsigned Count);

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_EMULATOR_OPS_TRIAL_H
