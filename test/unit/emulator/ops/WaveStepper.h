// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One wave whose registers a test sets and reads, run one instruction at a
// time through the emulator's own decode cache and instruction loop. Without a
// kernel around the instruction, a fault in loads, stores or launch cannot hide
// or cause one in the operation.
#ifndef LUTHIER_TEST_UNIT_EMULATOR_OPS_WAVESTEPPER_H
#define LUTHIER_TEST_UNIT_EMULATOR_OPS_WAVESTEPPER_H

#include "../Machine.h"
#include "emulator/core/Wave.h"
#include "emulator/exec/CodeCache.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace luthier::test {

class WaveStepper {
public:
  static constexpr unsigned NumLanes = emulator::NumLanes;

  WaveStepper(const std::string &Processor, unsigned WaveSize);

  /// Makes \p Code the next instruction.
  void load(const std::vector<uint8_t> &Code);
  /// Runs the loaded instruction; the reason if it faults.
  std::optional<std::string> step();

  uint64_t codeAddress() const { return Code.address(); }
  emulator::Wave &wave() { return W; }
  uint32_t *vgpr(unsigned Reg) { return W.vgpr(Reg); }

  emulator::AddressSpace Space;

private:
  DeviceMemory Code{Space, 1 << 12};
  std::unique_ptr<emulator::CodeCache> Cache;
  std::unique_ptr<emulator::CodeView> View;
  std::unique_ptr<emulator::ThreadContext> Thread;
  struct alignas(64) Row {
    uint32_t Lanes[NumLanes];
  };
  std::vector<Row> Registers;
  emulator::Wave W;
};

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_EMULATOR_OPS_WAVESTEPPER_H
