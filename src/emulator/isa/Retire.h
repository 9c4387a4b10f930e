// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each instruction does to its wave besides its own operation. Every loop
// that runs instructions calls this for each of them, ahead of the handler.
#ifndef LUTHIER_EMULATOR_ISA_RETIRE_H
#define LUTHIER_EMULATOR_ISA_RETIRE_H

#include "emulator/core/Wave.h"
#include "emulator/isa/Simd.h"
#include <xmmintrin.h>

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

/// The host's floating-point control while a wave runs; its own again at the
/// end.
class HostFloatControl {
public:
  HostFloatControl() : Saved(_mm_getcsr()), Current(Saved) {}
  HostFloatControl(const HostFloatControl &) = delete;
  HostFloatControl &operator=(const HostFloatControl &) = delete;
  ~HostFloatControl() {
    if (Current != Saved)
      _mm_setcsr(Saved);
  }
  void set(uint32_t New) {
    if (New != Current)
      _mm_setcsr(Current = New);
  }

private:
  const uint32_t Saved;
  uint32_t Current;
};

/// True when no register number in \p Needs exceeds its file's limit: with a
/// guard bit above each 16-bit field, a borrow shows in that bit.
inline bool fits(uint64_t Limits, uint64_t Needs) {
  constexpr uint64_t Guards = 0x8000'8000'8000;
  return (((Limits | Guards) - Needs) & Guards) == Guards;
}

/// Checks registers against the allocation, moves the PC on (handlers count
/// from the next instruction), counts, takes time, and sets up the host's
/// floating point. False, with \p W at the instruction and faulted, if it names
/// a register that \p W does not have.
[[gnu::always_inline]] inline bool retire(Wave &W, const Inst &I,
                                          HostFloatControl &Control) {
  if (!fits(W.Limits, I.Needs)) [[unlikely]] {
    W.fault(ExecutionFault::Kind::InvalidDispatch,
            "register is outside the allocation");
    return false;
  }
  W.PC += I.Dwords * 4u;
  W.WaveInstructions += I.Counted;
  W.LaneInstructions += I.ScalarLanes;
  if (I.IsVector)
    W.LaneInstructions += unsigned(__builtin_popcountll(W.exec()));
  W.Time.issue(I.Timing);
  if (I.Timing.What != InstTiming::Kind::Plain)
    W.Time.account(W.exec(), I.Timing);
  if (I.FloatMode)
    Control.set(W.HostControl[I.FloatMode]);
  return true;
}

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_RETIRE_H
