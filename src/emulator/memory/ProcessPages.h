// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernel says of this process's memory.
#ifndef LUTHIER_EMULATOR_MEMORY_PROCESSPAGES_H
#define LUTHIER_EMULATOR_MEMORY_PROCESSPAGES_H

#include <array>
#include <cstdint>
#include <vector>

namespace luthier::emulator {

inline constexpr uint64_t PageBytes = 4096;

/// Each page (Linux, Documentation/admin-guide/mm/pagemap.rst). Where the
/// kernel does not tell, all count as written and as the process's own.
class PageMap {
public:
  PageMap();
  ~PageMap();
  PageMap(const PageMap &) = delete;
  PageMap &operator=(const PageMap &) = delete;

  /// Of anonymous memory: was written, so it is in memory or swapped out.
  bool isWritten(uint64_t Address) { return isKept(entry(Address)); }
  /// Of a private mapping of a file: was written, so it is not the file's.
  bool isOwn(uint64_t Address) {
    const uint64_t Entry = entry(Address);
    return isKept(Entry) && !(Entry & PageOfFile);
  }

private:
  static constexpr uint64_t Present = uint64_t(1) << 63,
                            Swapped = uint64_t(1) << 62,
                            PageOfFile = uint64_t(1) << 61;

  static bool isKept(uint64_t Entry) { return Entry & (Present | Swapped); }
  uint64_t entry(uint64_t Address);

  int File;
  /// Of consecutive pages, what was read last.
  uint64_t First = 0, Count = 0;
  std::array<uint64_t, 512> Entries;
};

/// Where memory is mapped from files, memory of other processes among them.
/// What is there need not be in memory here (Linux,
/// Documentation/filesystems/proc.rst, maps).
class FileMappings {
public:
  /// As they are now.
  FileMappings();
  /// Also if the kernel does not tell.
  bool contain(uint64_t Address) const;

private:
  struct Mapping {
    unsigned long Begin = 0, End = 0;
  };
  std::vector<Mapping> All; ///< Ascending.
  bool IsKnown;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_MEMORY_PROCESSPAGES_H
