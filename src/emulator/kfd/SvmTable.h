// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared virtual memory: what of the process's own memory devices may access,
// at the host's addresses, and what else runtimes note about it. Nothing ever
// moves: where pages are preferred or were prefetched to is remembered, for who
// asks.
#ifndef LUTHIER_EMULATOR_KFD_SVMTABLE_H
#define LUTHIER_EMULATOR_KFD_SVMTABLE_H

#include "emulator/kfd/MemoryTable.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <atomic>
#include <cstdint>
#include <linux/kfd_ioctl.h>
#include <map>
#include <mutex>

namespace luthier::emulator {

/// Thread-safe. Functions that return an int return 0 or what errno shall be.
class SvmTable {
public:
  using Attribute = kfd_ioctl_svm_attribute;

  explicit SvmTable(llvm::ArrayRef<MemoryTable::Device> Devices)
      : Devices(Devices.begin(), Devices.end()) {}

  /// \p Begin and \p Size are of whole pages, which are all mapped: else EINVAL
  /// and EFAULT. Nothing is set after an attribute that makes no sense.
  int set(uint64_t Begin, uint64_t Size, llvm::ArrayRef<Attribute> Attributes);
  /// What all memory in the range has in common, as <linux/kfd_ioctl.h>
  /// describes it for each kind of attribute.
  int get(uint64_t Begin, uint64_t Size,
          llvm::MutableArrayRef<Attribute> Attributes);
  /// The host's memory there ends, and with it all that was noted about it. May
  /// be called by allocators, also while this table allocates: it never waits.
  /// While the table is in use, who uses it forgets the range in the end.
  void forget(uint64_t Begin, uint64_t Size);

private:
  enum class Access : uint8_t { None, InPlace, Full };
  struct Notes {
    uint32_t Preferred = KFD_IOCTL_SVM_LOCATION_UNDEFINED;
    uint32_t Prefetched = KFD_IOCTL_SVM_LOCATION_UNDEFINED;
    uint32_t Flags =
        KFD_IOCTL_SVM_FLAG_HOST_ACCESS | KFD_IOCTL_SVM_FLAG_COHERENT;
    /// As the kernel has it by default: 2 MiB.
    uint32_t Granularity = 9;
    /// By device; those behind its end have none.
    llvm::SmallVector<Access, 4> Accesses;
  };
  struct Range {
    uint64_t End;
    Notes Noted;
  };
  using Ranges = std::map<uint64_t, Range>;

  /// -1 if there is none.
  int deviceOf(uint32_t GpuId) const;
  int check(Attribute A) const;
  void apply(Attribute A, Notes &To) const;
  static Access accessOf(const Notes &Noted, size_t Device);
  void mapFor(size_t Device, uint64_t Begin, uint64_t End);
  void unmapFor(size_t Device, uint64_t Begin, uint64_t End);
  /// Ranges begin and end at \p Address afterwards, if any is there.
  void splitAt(uint64_t Address);
  /// Covers what has no range yet with ranges of its own.
  void fill(uint64_t Begin, uint64_t End);
  llvm::SmallVector<Notes, 4> notesOf(uint64_t Begin, uint64_t End) const;
  int answer(Attribute &A, llvm::ArrayRef<Notes> Found) const;
  void change(uint64_t Begin, Range &R, llvm::ArrayRef<Attribute> Attributes);
  void forgetLocked(uint64_t Begin, uint64_t Size);

  /// What is forgotten while the mutex is held, perhaps by the same thread.
  struct Ended;
  void postpone(uint64_t Begin, uint64_t Size);
  /// With the mutex held.
  void forgetPostponed();
  /// Without it. Afterwards nothing is postponed, unless somebody holds it, who
  /// then comes here.
  void settle();

  const llvm::SmallVector<MemoryTable::Device, 1> Devices;
  std::mutex Mutex;
  Ranges All;
  std::atomic<Ended *> Postponed{nullptr};
  /// Every munmap(2) asks, so that has to be fast where nothing is shared.
  std::atomic<bool> IsEmpty{true};
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_KFD_SVMTABLE_H
