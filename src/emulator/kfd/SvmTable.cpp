// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kfd/SvmTable.h"

#include "emulator/kfd/MapMemory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cerrno>
#include <iterator>
#include <sys/mman.h>

namespace luthier::emulator {

int SvmTable::deviceOf(uint32_t GpuId) const {
  auto It =
      llvm::find_if(Devices, [&](const auto &D) { return D.GpuId == GpuId; });
  return It == Devices.end() ? -1 : int(It - Devices.begin());
}

SvmTable::Access SvmTable::accessOf(const Notes &Noted, size_t Device) {
  return Device < Noted.Accesses.size() ? Noted.Accesses[Device] : Access::None;
}

int SvmTable::check(Attribute A) const {
  switch (A.type) {
  case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC:
    if (A.value == KFD_IOCTL_SVM_LOCATION_UNDEFINED)
      return 0;
    [[fallthrough]];
  case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
    if (A.value == KFD_IOCTL_SVM_LOCATION_SYSMEM)
      return 0;
    [[fallthrough]];
  case KFD_IOCTL_SVM_ATTR_ACCESS:
  case KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE:
  case KFD_IOCTL_SVM_ATTR_NO_ACCESS:
    return deviceOf(A.value) >= 0 ? 0 : EINVAL;
  case KFD_IOCTL_SVM_ATTR_SET_FLAGS:
  case KFD_IOCTL_SVM_ATTR_CLR_FLAGS:
  case KFD_IOCTL_SVM_ATTR_GRANULARITY:
    return 0;
  default:
    return EINVAL;
  }
}

void SvmTable::apply(Attribute A, Notes &To) const {
  auto Allow = [&](Access New) {
    const size_t Device = deviceOf(A.value);
    if (To.Accesses.size() <= Device)
      To.Accesses.resize(Device + 1, Access::None);
    To.Accesses[Device] = New;
  };
  constexpr uint32_t MostGranularity = 63;
  switch (A.type) {
  case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC:
    To.Preferred = A.value;
    break;
  case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
    To.Prefetched = A.value;
    break;
  case KFD_IOCTL_SVM_ATTR_ACCESS:
    return Allow(Access::Full);
  case KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE:
    return Allow(Access::InPlace);
  case KFD_IOCTL_SVM_ATTR_NO_ACCESS:
    return Allow(Access::None);
  case KFD_IOCTL_SVM_ATTR_SET_FLAGS:
    To.Flags |= A.value;
    break;
  case KFD_IOCTL_SVM_ATTR_CLR_FLAGS:
    To.Flags &= ~A.value;
    break;
  case KFD_IOCTL_SVM_ATTR_GRANULARITY:
    To.Granularity = std::min(A.value, MostGranularity);
    break;
  }
}

void SvmTable::mapFor(size_t Device, uint64_t Begin, uint64_t End) {
  Devices[Device].Space->map(Begin, End - Begin);
}

void SvmTable::unmapFor(size_t Device, uint64_t Begin, uint64_t End) {
  Devices[Device].Space->unmap(Begin, End - Begin);
  if (Devices[Device].CodeUnmapped)
    Devices[Device].CodeUnmapped(Begin, End);
}

/// Kernels may be using it meanwhile, so both parts are there before the whole
/// is not.
void SvmTable::splitAt(uint64_t Address) {
  auto It = All.lower_bound(Address);
  if (It == All.begin())
    return;
  auto &[Begin, First] = *std::prev(It);
  if (First.End <= Address)
    return;
  Range Second = First;
  for (size_t Device = 0; Device != Devices.size(); ++Device)
    if (accessOf(First.Noted, Device) != Access::None) {
      mapFor(Device, Begin, Address);
      mapFor(Device, Address, Second.End);
      Devices[Device].Space->unmap(Begin, Second.End - Begin);
    }
  First.End = Address;
  All.emplace(Address, std::move(Second));
}

void SvmTable::fill(uint64_t Begin, uint64_t End) {
  for (auto It = All.lower_bound(Begin); Begin < End; ++It) {
    const uint64_t Next = It == All.end() ? End : std::min(It->first, End);
    if (Begin < Next)
      It = All.emplace_hint(It, Begin, Range{Next, {}});
    Begin = It->second.End;
  }
}

void SvmTable::change(uint64_t Begin, Range &R,
                      llvm::ArrayRef<Attribute> Attributes) {
  const Notes Before = R.Noted;
  for (Attribute A : Attributes)
    apply(A, R.Noted);
  for (size_t Device = 0; Device != Devices.size(); ++Device) {
    const bool Had = accessOf(Before, Device) != Access::None;
    const bool Has = accessOf(R.Noted, Device) != Access::None;
    if (Has && !Had)
      mapFor(Device, Begin, R.End);
    else if (Had && !Has)
      unmapFor(Device, Begin, R.End);
  }
}

static int checkPages(uint64_t Begin, uint64_t Size) {
  if (Size == 0 || (Begin | Size) % MemoryFile::PageBytes != 0)
    return EINVAL;
  // Asks for nothing but whether all is mapped.
  return ::msync(reinterpret_cast<void *>(Begin), Size, MS_ASYNC) == 0 ? 0
                                                                       : EFAULT;
}

int SvmTable::set(uint64_t Begin, uint64_t Size,
                  llvm::ArrayRef<Attribute> Attributes) {
  if (int Error = checkPages(Begin, Size))
    return Error;
  for (Attribute A : Attributes)
    if (int Error = check(A))
      return Error;
  const uint64_t End = Begin + Size;
  {
    std::lock_guard Lock(Mutex);
    forgetPostponed();
    splitAt(Begin);
    splitAt(End);
    fill(Begin, End);
    for (auto It = All.find(Begin); It != All.end() && It->first < End; ++It)
      change(It->first, It->second, Attributes);
    IsEmpty.store(false, std::memory_order_release);
  }
  settle();
  return 0;
}

/// Memory without notes is like memory with the notes that it begins with.
llvm::SmallVector<SvmTable::Notes, 4> SvmTable::notesOf(uint64_t Begin,
                                                        uint64_t End) const {
  llvm::SmallVector<Notes, 4> Found;
  auto It = All.upper_bound(Begin);
  if (It != All.begin() && std::prev(It)->second.End > Begin)
    --It;
  for (; It != All.end() && It->first < End; ++It) {
    if (It->first > Begin)
      Found.emplace_back();
    Found.push_back(It->second.Noted);
    Begin = It->second.End;
  }
  if (Begin < End)
    Found.emplace_back();
  return Found;
}

/// What \p Of finds in all of them, or \p Otherwise if that differs.
template <class NotesT, class F, class T>
static T common(llvm::ArrayRef<NotesT> All, F Of, T Otherwise) {
  const T First = Of(All.front());
  return llvm::all_of(All, [&](const NotesT &N) { return Of(N) == First; })
             ? First
             : Otherwise;
}

int SvmTable::answer(Attribute &A, llvm::ArrayRef<Notes> Found) const {
  constexpr uint32_t Undefined = KFD_IOCTL_SVM_LOCATION_UNDEFINED;
  switch (A.type) {
  case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC:
    A.value =
        common(Found, [](const Notes &N) { return N.Preferred; }, Undefined);
    return 0;
  case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
    A.value =
        common(Found, [](const Notes &N) { return N.Prefetched; }, Undefined);
    return 0;
  case KFD_IOCTL_SVM_ATTR_ACCESS: {
    const int Device = deviceOf(A.value);
    if (Device < 0)
      return EINVAL;
    switch (common(
        Found, [&](const Notes &N) { return accessOf(N, Device); },
        Access::None)) {
    case Access::Full:
      return 0;
    case Access::InPlace:
      A.type = KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE;
      return 0;
    case Access::None:
      A.type = KFD_IOCTL_SVM_ATTR_NO_ACCESS;
      return 0;
    }
    return EINVAL;
  }
  case KFD_IOCTL_SVM_ATTR_SET_FLAGS:
  case KFD_IOCTL_SVM_ATTR_CLR_FLAGS:
    A.value = ~uint32_t(0);
    for (const Notes &N : Found)
      A.value &= A.type == KFD_IOCTL_SVM_ATTR_SET_FLAGS ? N.Flags : ~N.Flags;
    return 0;
  case KFD_IOCTL_SVM_ATTR_GRANULARITY:
    A.value = Found.front().Granularity;
    for (const Notes &N : Found)
      A.value = std::min(A.value, N.Granularity);
    return 0;
  default:
    return EINVAL;
  }
}

int SvmTable::get(uint64_t Begin, uint64_t Size,
                  llvm::MutableArrayRef<Attribute> Attributes) {
  if (int Error = checkPages(Begin, Size))
    return Error;
  llvm::SmallVector<Notes, 4> Found;
  {
    std::lock_guard Lock(Mutex);
    forgetPostponed();
    Found = notesOf(Begin, Begin + Size);
  }
  settle();
  for (Attribute &A : Attributes)
    if (int Error = answer(A, Found))
      return Error;
  return 0;
}

void SvmTable::forgetLocked(uint64_t Begin, uint64_t Size) {
  const uint64_t End = llvm::alignTo(Begin + Size, MemoryFile::PageBytes);
  splitAt(Begin);
  splitAt(End);
  for (auto It = All.lower_bound(Begin); It != All.end() && It->first < End;
       It = All.erase(It))
    for (size_t Device = 0; Device != Devices.size(); ++Device)
      if (accessOf(It->second.Noted, Device) != Access::None)
        unmapFor(Device, It->first, It->second.End);
  IsEmpty.store(All.empty(), std::memory_order_release);
}

struct SvmTable::Ended {
  Ended *Next;
  uint64_t Begin, Size;
};

/// Allocators other than the C library's get and return their memory by calls
/// that end here. One may be in the middle of that, for this thread or for
/// another, so the note is in a page of its own.
void SvmTable::postpone(uint64_t Begin, uint64_t Size) {
  void *Page =
      mapMemory(nullptr, sizeof(Ended), MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // Without it the range stays, until other memory is mapped there.
  if (Page == MAP_FAILED)
    return;
  auto *New = new (Page) Ended{Postponed.load(), Begin, Size};
  while (!Postponed.compare_exchange_weak(New->Next, New))
    ;
}

void SvmTable::forgetPostponed() {
  for (Ended *Next, *E = Postponed.exchange(nullptr); E; E = Next) {
    Next = E->Next;
    forgetLocked(E->Begin, E->Size);
    ::syscall(SYS_munmap, E, sizeof(Ended));
  }
}

void SvmTable::settle() {
  while (Postponed.load()) {
    std::unique_lock Lock(Mutex, std::try_to_lock);
    if (!Lock)
      return;
    forgetPostponed();
  }
}

void SvmTable::forget(uint64_t Begin, uint64_t Size) {
  if (IsEmpty.load(std::memory_order_acquire))
    return;
  // Who holds it already does not get it twice: glibc's mutexes say no.
  if (std::unique_lock Lock(Mutex, std::try_to_lock); Lock)
    forgetLocked(Begin, Size);
  else
    postpone(Begin, Size);
  settle();
}

} // namespace luthier::emulator
