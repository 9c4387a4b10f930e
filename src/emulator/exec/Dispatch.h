// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the command processor hands to the shader array: one kernel dispatch,
// reduced to what the hardware itself reads (descriptor, packet, queue).
#ifndef LUTHIER_EMULATOR_EXEC_DISPATCH_H
#define LUTHIER_EMULATOR_EXEC_DISPATCH_H

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace luthier::emulator {

class GlobalWaveSync;

/// One dispatch. Addresses are host addresses: memory is identity-mapped.
struct Dispatch {
  /// For messages and statistics only.
  std::string KernelName;
  /// Where the kernel's code object begins, or, without one, its code.
  uint64_t CodeBase = 0;
  uint64_t EntryPC = 0;

  // From the kernel descriptor (AMDGPUUsage, "Kernel Descriptor") or from the
  // same fields of an amd_kernel_code_t.
  uint32_t ComputePgmRsrc1 = 0;
  uint32_t ComputePgmRsrc2 = 0;
  uint32_t ComputePgmRsrc3 = 0;
  uint16_t KernelCodeProperties = 0;
  /// Which kernel arguments go to user registers, where the target can.
  uint16_t KernargPreload = 0;

  // From the AQL packet. Sizes in work-items; grids need not be multiples.
  std::array<uint32_t, 3> GridSize{1, 1, 1};
  std::array<uint32_t, 3> WorkgroupSize{1, 1, 1};
  /// Bytes per work-item and per workgroup.
  uint32_t PrivateSegmentSize = 0;
  uint32_t GroupSegmentSize = 0;
  uint64_t KernargAddress = 0;
  uint64_t PacketAddress = 0;
  uint64_t DispatchId = 0;

  // From the queue (amd_queue_t).
  uint64_t QueueAddress = 0;
  /// SRSRC of the scratch backing memory.
  std::array<uint32_t, 4> ScratchResource{};
  uint64_t ScratchBase = 0;
  /// Bytes of backing memory that one wave may use.
  uint64_t ScratchBytesPerWave = 0;
  /// Waves the backing memory has room for: slot N begins at ScratchBase +
  /// N * ScratchBytesPerWave, and no more waves may be resident at a time.
  uint32_t ScratchWaves = 0;
  /// A bit for each compute unit that the queue may use, as the driver takes
  /// them; empty for all.
  std::vector<uint32_t> UnitMask;
  /// Null on queues that were given no global wave sync.
  GlobalWaveSync *Sync = nullptr;
  /// Set from outside, it ends the dispatch early. May be null.
  const std::atomic<bool> *Cancel = nullptr;
};

/// What one dispatch executed.
struct DispatchCounts {
  /// Instructions issued, once per wavefront, also with EXEC = 0.
  uint64_t WaveInstructions = 0;
  /// Active lanes of vector and memory operations; one for each scalar
  /// operation and lane access (readlane, readfirstlane, writelane).
  uint64_t LaneInstructions = 0;
  /// By the model of docs/emulator-cycles.md, on one compute unit.
  uint64_t Cycles = 0;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_DISPATCH_H
