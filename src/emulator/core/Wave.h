// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The architectural state of a wave, and what its handlers reach from there.
#ifndef LUTHIER_EMULATOR_CORE_WAVE_H
#define LUTHIER_EMULATOR_CORE_WAVE_H

#include "emulator/core/ExecutionFault.h"
#include "emulator/core/GlobalWaveSync.h"
#include "emulator/core/Inst.h"
#include "emulator/core/Registers.h"
#include "emulator/core/SplitBarrier.h"
#include "emulator/core/Target.h"
#include "emulator/memory/MemoryView.h"
#include <cstring>
#include <functional>

namespace luthier::emulator {

/// Why a wave's instruction loop stopped.
enum class WaveEvent : uint8_t {
  None,
  Redirect, ///< PC changed, or the slot was (re)decoded.
  Ended,
  Barrier,
  Yield,        ///< s_sleep: let others run.
  GlobalSync,   ///< Waits as Wave::SyncWait says.
  SplitBarrier, ///< Waits until Wave::Split completes once more.
  Fault,
};

/// Buffers for one instruction's operands; one set per host thread.
struct alignas(64) LaneScratch {
  uint32_t Source[3][2][NumLanes];
  uint32_t Result[2][NumLanes];
};

class CodeView;
class DispatchObserver;

/// What all waves that run on one host thread share.
struct ThreadContext {
  ThreadContext(const AddressSpace &Space, CodeView &Code)
      : Memory(Space), Code(&Code) {}
  LaneScratch Scratch;
  /// All ones for each lane of SelectedLanes, else zero: the last mask that a
  /// result was written under, since EXEC changes seldom.
  alignas(64) uint32_t Selectors[NumLanes] = {};
  uint64_t SelectedLanes = 0;
  MemoryView Memory;
  CodeView *Code;
  /// Set when the observed loop runs.
  DispatchObserver *Observer = nullptr;
  const std::function<void(uint32_t)> *Interrupt = nullptr;
  /// The queue's; may be null.
  GlobalWaveSync *Sync = nullptr;
  /// Cycles of all waves before this slice, less those of the running wave:
  /// with them added it is what s_memtime shows.
  uint64_t Clock = 0;
  /// What it was when the dispatch began, and the 100 MHz counter then.
  uint64_t StartClock = 0, StartRealTime = 0;
};

/// Where on the device a wave is. Waves that are there at the same time are in
/// different places.
struct WavePlace {
  uint32_t Engine = 0;
  /// Compute unit of the engine, or pair of them.
  uint32_t Unit = 0;
  uint32_t Simd = 0, Slot = 0;
};

struct Wave {
  alignas(64) uint32_t S[256];
  /// NumVectorRegs rows of NumLanes.
  uint32_t *V = nullptr;
  uint64_t PC = 0;
  const Target *T = nullptr;
  /// A bit for each of the WaveSize lanes.
  uint64_t LaneMask = ~uint64_t(0);
  unsigned WaveSize = NumLanes;
  ThreadContext *Thread = nullptr;
  uint8_t *Lds = nullptr;
  uint32_t LdsSize = 0;
  /// Accesses behind it read zero and write nothing.
  bool ForgivesLds = false;
  uint32_t Mode = 0;
  WaveEvent Event = WaveEvent::None;
  /// Lanes that the current DPP instruction may write.
  uint64_t DppMask = ~uint64_t(0);
  /// Same lanes as Inst::Needs.
  uint64_t Limits = 0;
  /// Host floating-point control for each Inst::FloatMode.
  uint32_t HostControl[7] = {};
  uint32_t WorkgroupId[3] = {};
  uint32_t IdInWorkgroup = 0;
  /// Of the scratch memory.
  uint32_t Slot = 0;
  WavePlace Place;
  WaveTime Time;
  uint64_t WaveInstructions = 0;
  uint64_t LaneInstructions = 0;
  uint32_t PrivateSegmentSize = 0;
  /// The wave's own part of the scratch memory.
  uint64_t ScratchBegin = 0;
  uint64_t ScratchLimit = 0;
  GlobalWaveSync::Wait SyncWait;
  /// The workgroup's, and how often this wave has passed it.
  SplitBarrier *Split = nullptr;
  uint64_t NumSplitPassed = 0;
  ExecutionFault::Kind FaultKind{};
  uint64_t FaultAddress = 0;
  const char *FaultDetail = "";

  uint32_t *vgpr(unsigned Reg) { return V + Reg * NumLanes; }
  uint64_t s64(unsigned Reg) const {
    uint64_t Value;
    std::memcpy(&Value, &S[Reg], sizeof(Value));
    return Value;
  }
  void setS64(unsigned Reg, uint64_t Value) {
    std::memcpy(&S[Reg], &Value, sizeof(Value));
  }
  /// Lane masks are one register in waves of 32 lanes, else a pair.
  uint64_t laneMask(unsigned Reg) const { return s64(Reg) & LaneMask; }
  void setLaneMask(unsigned Reg, uint64_t Mask) {
    S[Reg] = uint32_t(Mask);
    if (WaveSize > 32) [[likely]]
      S[Reg + 1] = uint32_t(Mask >> 32);
  }
  uint64_t exec() const { return laneMask(sreg::Exec); }
  uint64_t vcc() const { return laneMask(sreg::Vcc); }
  uint32_t &scc() { return S[sreg::Scc]; }
  uint32_t m0() const { return S[sreg::M0]; }

  void fault(ExecutionFault::Kind Kind, const char *Detail,
             uint64_t Address = 0) {
    // The first fault of an instruction is the one to report.
    if (Event == WaveEvent::Fault)
      return;
    Event = WaveEvent::Fault;
    FaultKind = Kind;
    FaultDetail = Detail;
    FaultAddress = Address;
  }
  void setMode(uint32_t Value);
  /// True, once, when the workgroup's barrier has completed.
  bool passesSplitBarrier() {
    if (NumSplitPassed == Split->numCompleted())
      return false;
    ++NumSplitPassed;
    return true;
  }
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CORE_WAVE_H
