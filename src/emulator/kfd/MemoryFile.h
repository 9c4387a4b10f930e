// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pages behind device memory: one memory file, which is also what the
// descriptors of /dev/kfd and of the render nodes refer to. The offsets that
// the driver gives out for mmap(2) are offsets in it, so mapping, unmapping,
// duplicating and closing such descriptors need no help from us.
#ifndef LUTHIER_EMULATOR_KFD_MEMORYFILE_H
#define LUTHIER_EMULATOR_KFD_MEMORYFILE_H

#include "emulator/kfd/Backend.h"
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace luthier::emulator {

/// Thread-safe.
class MemoryFile {
public:
  /// Null, with a message, if the system refuses it.
  static std::unique_ptr<MemoryFile> create(std::string &Error);
  ~MemoryFile();
  MemoryFile(const MemoryFile &) = delete;

  /// What a descriptor stands for is where it is positioned: 0 for /dev/kfd,
  /// the minor number for a render node, and for exported pages where they
  /// begin. Each has a description of its own; duplicates of it share the
  /// position. -1 and errno if that fails.
  int open(uint64_t Position, int Flags) const;
  /// Whether \p Fd is one of those, of this file.
  bool owns(int Fd) const;
  static uint64_t positionOf(int Fd);

  /// A stretch of the file, or of another process's, from which it was
  /// imported. Gives the memory back when it ends.
  class Pages : public std::enable_shared_from_this<Pages> {
  public:
    ~Pages();
    Pages(const Pages &) = delete;
    uint64_t size() const { return Size; }
    /// What mmap(2) of a descriptor of this process takes; 0 if the pages are
    /// another process's.
    uint64_t offset() const { return IsForeign ? 0 : Offset; }
    /// Maps a part for the host, at \p Address unless that is null. Null, and
    /// errno, if that fails.
    void *map(void *Address, uint64_t From, uint64_t Bytes) const;
    /// The same, as mmap(2) has it.
    void *map(void *Address, uint64_t From, uint64_t Bytes, int MapFlags) const;
    /// Puts them behind all memory at \p Address, with what it holds. 0 or what
    /// errno shall be.
    int moveHere(void *Address) const;
    bool isShared() const { return IsShared; }
    /// A descriptor by which this or another process finds them; -1 and errno.
    /// \p Flags and \p GpuId are what the driver says about them there.
    int share(uint32_t Flags, uint32_t GpuId, int OpenFlags);
    /// Of shared pages, every process sees the same. False if they are not.
    bool setMetadata(const luthier_kfd_metadata &New);
    bool getMetadata(luthier_kfd_metadata &Result) const;

  private:
    friend class MemoryFile;
    Pages(MemoryFile &Owner, int File, uint64_t Offset, uint64_t Size,
          bool IsForeign)
        : Owner(Owner), File(File), Offset(Offset), Size(Size),
          IsForeign(IsForeign) {}
    MemoryFile &Owner;
    int File;
    uint64_t Offset, Size;
    bool IsForeign;
    bool IsShared = false;
  };

  /// Zeros. Null if there is no room.
  std::shared_ptr<Pages> allocate(uint64_t Size);

  /// Of shared pages, ours or another process's.
  struct Shared {
    std::shared_ptr<Pages> ThePages;
    uint32_t Flags = 0, GpuId = 0;
  };
  /// Without pages if \p Fd is no such descriptor.
  Shared find(int Fd);

  static constexpr uint64_t PageBytes = 4096;
  /// Runtimes take the place of a queue's doorbell within its page from the
  /// lower bits of the offset; of how many depends on their version. So the
  /// devices' doorbells are far apart, as they are with the real driver.
  /// No offset in the file is as large. Numbers of pages have 32 bits where
  /// libdrm hands them out.
  static constexpr uint64_t Limit = uint64_t(1) << 42;
  static constexpr uint64_t LimitOfPageNumbers = PageBytes << 32;

  static constexpr uint64_t DoorbellBytes = 2 * PageBytes;
  static uint64_t doorbellOffset(unsigned Device) {
    return DoorbellsBegin + (uint64_t(Device) << 32);
  }
  /// The host's view of a device's doorbells; null, and errno.
  uint64_t *mapDoorbells(unsigned Device) const;

private:
  // A page with Magic, then pages that are given out, doorbells, records.
  static constexpr uint64_t DoorbellsBegin = uint64_t(1) << 41;
  static constexpr uint64_t RecordsBegin = uint64_t(3) << 40;
  static constexpr uint64_t Magic = 0x3264666b2d74756c; // "lut-kfd2"

  /// What other processes read, with a descriptor of shared pages in hand.
  /// There is room for one for each page; what nobody writes costs nothing.
  struct Record {
    uint64_t Offset, Size; ///< Both 0 if nothing is shared there.
    uint32_t Flags, GpuId;
    luthier_kfd_metadata Metadata;
  };
  static constexpr uint64_t RecordBytes = 512;
  static_assert(sizeof(Record) <= RecordBytes);
  static uint64_t placeOfRecord(uint64_t Offset) {
    return RecordsBegin + Offset / PageBytes * RecordBytes;
  }
  /// Of a file of this or of another process. False if it has none there.
  static bool readRecord(int File, uint64_t Offset, Record &Result);
  static bool writeRecord(int File, uint64_t Offset, const Record &New);

  MemoryFile() = default;
  void release(const Pages &Old);
  /// Unless some process has a descriptor or a mapping of what was shared.
  bool endSharing(uint64_t Offset);
  /// What other processes have let go of meanwhile.
  void collectAbandoned();
  void addHole(uint64_t Begin, uint64_t Size);

  int File = -1;
  uint64_t Device = 0, Inode = 0;

  std::mutex Mutex;
  uint64_t End = PageBytes;
  /// Offset to size of what was given back, and the same by size. They do not
  /// touch one another, nor the end.
  std::map<uint64_t, uint64_t> Holes;
  std::set<std::pair<uint64_t, uint64_t>> HolesBySize;
  std::map<uint64_t, std::weak_ptr<Pages>> SharedPages;
  /// Offset to size of pages that only other processes have.
  std::map<uint64_t, uint64_t> Abandoned;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_KFD_MEMORYFILE_H
