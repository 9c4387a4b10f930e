// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tool knows of each kernel.
#ifndef BRANCH_DIVERGENCE_KERNELS_H
#define BRANCH_DIVERGENCE_KERNELS_H

#include "Rows.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

enum class Where { Registers, Group, Memory };

inline const char *nameOf(Where CountedIn) {
  switch (CountedIn) {
  case Where::Registers:
    return "registers";
  case Where::Group:
    return "lds";
  case Where::Memory:
    return "memory";
  }
}

/// A kernel with hooks that count in one way.
struct Version {
  bool IsLoaded = false;
  Where CountedIn = Where::Registers;
  unsigned WaveSize = 64;
  /// Of each branch, in rows of Bytes.
  struct Place {
    Form In;
    uint32_t Offset;
  };
  std::vector<Place> Places;
  uint32_t Bytes = 0;
  /// The row in which all waves of all launches add up, unless each has its
  /// own.
  uint64_t Totals = 0;
  /// Branches that are noted in registers.
  uint32_t NumNotes = 0;
  /// What a wave needs in LDS, and what it has there.
  uint32_t GroupBytes = 0, NumGroupNotes = 0, NumGroupSums = 0;
  uint64_t Dispatches = 0;
  std::string Preset;

  void place(size_t Branch, Form F) {
    Places[Branch] = {F, Bytes};
    Bytes += bytesOf(F, WaveSize);
  }
};

/// What a kernel has, and what its dispatches have counted.
struct KernelBranches {
  KernelBranches(llvm::StringRef Name, std::string Code)
      : Name(Name), Code(std::move(Code)) {}

  const std::string Name;
  const std::string Code; ///< The digest of its code object.
  struct Point {
    uint64_t Address = 0;
    std::string Instruction;
    std::string Line;
    Counts Sum = {};
  };
  std::vector<Point> Points;
  std::map<Where, Version> Versions;
  bool IsRefused = false;
  /// Registers, or LDS, never suffice; and whether that has been said.
  bool LacksRoom = false, IsSaid = false;
  /// Registers do not suffice for branches that are noted, either.
  bool LacksRoomForNotes = false;
  uint64_t Dispatches = 0, Waves = 0;

  void add(size_t Branch, const Counts &C) {
    Counts &Sum = Points[Branch].Sum;
    Sum.Executed += C.Executed;
    Sum.Agreed += C.Agreed;
    Sum.Lanes += C.Lanes;
    Sum.Taken += C.Taken;
  }

  std::string countedIn() const {
    std::string Result;
    for (Where In : {Where::Registers, Where::Group, Where::Memory})
      if (llvm::any_of(Versions, [&](const auto &V) {
            return V.second.CountedIn == In && V.second.Dispatches;
          }))
        Result += (Result.empty() ? "" : ", ") + std::string(nameOf(In));
    return Result;
  }
};
/// In the order of first launch.
using KernelList = std::vector<std::unique_ptr<KernelBranches>>;

#endif // BRANCH_DIVERGENCE_KERNELS_H
