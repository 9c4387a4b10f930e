// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A first-order model of time: what each instruction costs the wave and the
// unit that executes it, when memory operations are done, what a wait waits
// for. It is for comparing two versions of a kernel; see
// docs/emulator-cycles.md.
#ifndef LUTHIER_EMULATOR_EXEC_TIMING_H
#define LUTHIER_EMULATOR_EXEC_TIMING_H

#include <cstdint>
#include <string_view>

namespace llvm {
class MCInst;
} // namespace llvm

namespace luthier::emulator {

struct Inst;
struct LaunchPlan;
struct Operation;
struct Target;
struct Wave;

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

InstTiming timingOf(const Target &T, const Operation &Op, uint64_t Flags,
                    const llvm::MCInst &MI, const Inst &I);

/// A wave's own time, as if it ran alone.
class WaveTime {
public:
  void reset();

  /// The part that every instruction pays.
  void issue(const InstTiming &T) {
    Cycles += T.Stall;
    Busy[unsigned(T.Where)] += T.Issue;
  }
  /// The rest, for those that are not Kind::Plain.
  void account(const Wave &W, const InstTiming &T);
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

/// Sums over the waves of a dispatch.
struct DispatchTime {
  uint64_t Busy[NumUnits] = {};
  uint64_t Duration = 0;
  uint64_t Longest = 0;
  uint64_t Waves = 0;

  void add(const WaveTime &T);
  void add(const DispatchTime &T);
  /// On one compute unit, which holds as many waves as registers, LDS and
  /// barriers allow: whichever is longest of what its units are busy with, of
  /// the waves' own durations spread over the places for them, and of the
  /// slowest wave.
  uint64_t cycles(const LaunchPlan &Plan) const;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_TIMING_H
