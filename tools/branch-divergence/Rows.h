// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory in which waves leave what they have counted: how it is laid out, and
// where it comes from.
#ifndef BRANCH_DIVERGENCE_ROWS_H
#define BRANCH_DIVERGENCE_ROWS_H

#include "Hooks.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstring>
#include <hsa/hsa_ext_amd.h>
#include <optional>

/// What a branch has in memory.
enum class Form {
  Counts,
  GroupSums,
  Uniform, ///< UniformCounts.
  Masks,
  StoredNote,
  Cells,      ///< A number for each pair of active lanes and lanes that go on.
  Noted,      ///< The same, behind cells that say nothing.
  GroupNoted, ///< The same, and behind it one that says nothing.
};

inline uint32_t bytesOf(Form F, unsigned WaveSize) {
  switch (F) {
  case Form::Counts:
    return sizeof(Counts);
  case Form::GroupSums:
    return sizeof(GroupSums);
  case Form::Uniform:
    return sizeof(UniformCounts);
  case Form::Masks:
    return sizeof(Masks);
  case Form::StoredNote:
    return sizeof(StoredNote);
  case Form::Cells:
    return (cellOf(WaveSize, WaveSize, WaveSize) + 1) * sizeof(uint64_t);
  case Form::Noted:
    return cellsOf(WaveSize) * sizeof(uint64_t);
  case Form::GroupNoted:
    return groupCells(WaveSize) * sizeof(uint64_t);
  }
}

template <typename T> T readAt(const char *From) {
  T Result;
  std::memcpy(&Result, From, sizeof(Result));
  return Result;
}

/// One or no execution.
inline Counts countsOf(const Masks &Seen) {
  const uint64_t Taken = Seen.Lanes & ~Seen.NotTaken;
  const bool IsExecuted = Seen.Lanes || Seen.NotTaken;
  return {IsExecuted, IsExecuted && (!Taken || Taken == Seen.Lanes),
          uint64_t(llvm::popcount(Seen.Lanes)),
          uint64_t(llvm::popcount(Taken))};
}

/// Nothing, too, of a wave that does not exist, or has run no hooks.
inline Counts countsOf(const StoredNote &Seen, unsigned WaveSize) {
  if (!Seen.Absent)
    return {};
  const uint32_t Lanes = notSeen(WaveSize).Lanes - Seen.Absent;
  return {1, !Seen.Taken || Seen.Taken == Lanes, Lanes, Seen.Taken};
}

inline Counts countsOfCells(const char *From, unsigned WaveSize) {
  Counts Sum = {};
  for (unsigned Lanes = 0; Lanes <= WaveSize; ++Lanes)
    for (unsigned Taken = 0; Taken <= Lanes; ++Taken) {
      const auto Number = readAt<uint64_t>(
          From + cellOf(Lanes, Taken, WaveSize) * sizeof(uint64_t));
      Sum.Executed += Number;
      Sum.Agreed += !Taken || Taken == Lanes ? Number : 0;
      Sum.Lanes += Lanes * Number;
      Sum.Taken += Taken * Number;
    }
  return Sum;
}

inline Counts countsIn(const char *From, Form F, unsigned WaveSize) {
  switch (F) {
  case Form::Counts:
    return readAt<Counts>(From);
  case Form::GroupSums: {
    const auto S = readAt<GroupSums>(From);
    return {S.Executed, S.Executed - S.Diverged, S.Lanes, S.Taken};
  }
  case Form::Uniform: {
    const auto C = readAt<UniformCounts>(From);
    return {C.Executed, C.Executed, C.Lanes, C.Taken};
  }
  case Form::Masks:
    return countsOf(readAt<Masks>(From));
  case Form::StoredNote:
    return countsOf(readAt<StoredNote>(From), WaveSize);
  case Form::Cells:
  case Form::GroupNoted:
    return countsOfCells(From, WaveSize);
  case Form::Noted:
    return countsOfCells(From + leadingCells(WaveSize) * sizeof(uint64_t),
                         WaveSize);
  }
}

/// Of a launch. Of axes that the packet does not use, it may say anything.
struct LaunchSize {
  uint64_t Groups = 1, WavesPerGroup = 1;

  LaunchSize(const hsa_kernel_dispatch_packet_t &P, unsigned WaveSize) {
    constexpr unsigned Mask =
        (1u << HSA_KERNEL_DISPATCH_PACKET_SETUP_WIDTH_DIMENSIONS) - 1;
    const unsigned Axes =
        P.setup >> HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS & Mask;
    const uint32_t Grid[] = {P.grid_size_x, P.grid_size_y, P.grid_size_z};
    const uint32_t Group[] = {P.workgroup_size_x, P.workgroup_size_y,
                              P.workgroup_size_z};
    uint64_t Items = 1;
    for (unsigned Axis = 0; Axis < std::min(Axes, 3u); ++Axis)
      if (Group[Axis]) {
        Groups *= llvm::divideCeil(Grid[Axis], Group[Axis]);
        Items *= Group[Axis];
      }
    WavesPerGroup = llvm::divideCeil(Items, WaveSize);
  }
  uint64_t waves() const { return Groups * WavesPerGroup; }
};

/// Memory of a device, all zero at first. Owned by who keeps the address.
class DeviceMemory {
public:
  static llvm::Expected<uint64_t> allocate(hsa_agent_t Agent, uint64_t Bytes) {
    hsa_amd_memory_pool_t Pool{};
    hsa_amd_agent_iterate_memory_pools(Agent, takeGlobal, &Pool);
    void *Memory = nullptr;
    if (hsa_amd_memory_pool_allocate(Pool, Bytes, 0, &Memory) ==
        HSA_STATUS_SUCCESS) {
      if (hsa_amd_memory_fill(Memory, 0, Bytes / 4) == HSA_STATUS_SUCCESS)
        return reinterpret_cast<uint64_t>(Memory);
      hsa_amd_memory_pool_free(Memory);
    }
    return llvm::createStringError(
        llvm::formatv("no {0} bytes for what is counted", Bytes));
  }
  static std::vector<char> read(uint64_t Address, uint64_t Bytes) {
    std::vector<char> Result(Bytes);
    hsa_memory_copy(Result.data(), reinterpret_cast<const void *>(Address),
                    Bytes);
    return Result;
  }
  /// What is there, when nobody writes any more.
  static std::vector<char> take(uint64_t Address, uint64_t Bytes) {
    std::vector<char> Result = read(Address, Bytes);
    free(Address);
    return Result;
  }
  static void free(uint64_t Address) {
    hsa_amd_memory_pool_free(reinterpret_cast<void *>(Address));
  }

private:
  static hsa_status_t takeGlobal(hsa_amd_memory_pool_t Pool, void *Data) {
    hsa_amd_segment_t Segment;
    bool CanAllocate = false;
    hsa_amd_memory_pool_get_info(Pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT,
                                 &Segment);
    hsa_amd_memory_pool_get_info(
        Pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &CanAllocate);
    if (Segment != HSA_AMD_SEGMENT_GLOBAL || !CanAllocate)
      return HSA_STATUS_SUCCESS;
    *static_cast<hsa_amd_memory_pool_t *>(Data) = Pool;
    return HSA_STATUS_INFO_BREAK;
  }
};

#endif // BRANCH_DIVERGENCE_ROWS_H
