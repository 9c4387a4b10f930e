// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A first-order model of time: what each instruction costs the wave and the
// unit that executes it, when memory operations are done, what a wait waits
// for. It is for comparing two versions of a kernel; see
// docs/emulator-cycles.md.
#ifndef LUTHIER_EMULATOR_CORE_TIMING_H
#define LUTHIER_EMULATOR_CORE_TIMING_H

#include <cstdint>

namespace luthier::emulator {

/// What instructions of different waves compete for. Each SIMD has a vector
/// unit, a share of the scalar one and a branch unit; memory and LDS belong to
/// the whole compute unit.
enum class Unit : uint8_t { None, Vector, Scalar, Branch, Memory, Lds };
inline constexpr unsigned NumUnits = 6;

/// Of the shader clock, 1.7 GHz, in one of the counter that the host sees too.
inline constexpr uint64_t CyclesPerRealTimeTick = 17;

/// Memory operations of one queue finish in order.
enum class MemoryQueue : uint8_t { Load, Store, Lds, Scalar };
inline constexpr unsigned NumMemoryQueues = 4;

/// How the model treats an instruction, worked out when it is decoded.
struct InstTiming {
  enum class Kind : uint8_t { Plain, Memory, Wait };
  Unit Where = Unit::None;
  Kind What = Kind::Plain;
  /// Cycles of the unit, and of the wave.
  uint16_t Issue = 1, Stall = 1;
  MemoryQueue Queue = MemoryQueue::Load;
  /// A flat access counts as one of the LDS too.
  bool IsFlat = false;
  uint16_t Latency = 0;
  uint16_t BytesPerLane = 0;
  /// Of a wait: operations that may be outstanding.
  static constexpr uint8_t NoLimit = 0xff;
  uint8_t Limits[NumMemoryQueues] = {NoLimit, NoLimit, NoLimit, NoLimit};
};

/// A wave's own time, as if it ran alone.
class WaveTime {
public:
  void reset();

  /// The part that every instruction pays.
  void issue(const InstTiming &T) {
    Cycles += T.Stall;
    Busy[unsigned(T.Where)] += T.Issue;
  }
  /// The rest, for those that are not Kind::Plain. \p Exec has the lanes that
  /// are active.
  void account(uint64_t Exec, const InstTiming &T);
  void waitUntil(uint64_t Time) { Cycles = Time > Cycles ? Time : Cycles; }

  uint64_t Cycles = 0;
  uint64_t Busy[NumUnits] = {};

private:
  static constexpr unsigned MaxInFlight = 64;
  struct Queue {
    /// Number N finishes at Done[N % MaxInFlight].
    uint64_t Done[MaxInFlight];
    uint32_t NumIssued;
    uint64_t LastDone;
  };
  void push(MemoryQueue Where, uint64_t Done);

  Queue Queues[NumMemoryQueues];
  /// When the wave's path to memory is free again.
  uint64_t PathFree = 0;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CORE_TIMING_H
