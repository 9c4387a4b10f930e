// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kfd/MemoryTable.h"

#include "emulator/kfd/Interface.h"
#include "emulator/kfd/MapMemory.h"
#include "emulator/kfd/MovePages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cerrno>
#include <iterator>

namespace luthier::emulator {

static uint64_t wholePages(uint64_t Size) {
  return llvm::alignTo(Size, MemoryFile::PageBytes);
}

MemoryTable::Device *MemoryTable::device(uint32_t GpuId) {
  auto It =
      llvm::find_if(Devices, [&](const Device &D) { return D.GpuId == GpuId; });
  return It == Devices.end() ? nullptr : &*It;
}

MemoryTable::Block *MemoryTable::find(uint64_t Handle) {
  auto It = Blocks.find(Handle);
  return It == Blocks.end() ? nullptr : &It->second;
}

uint64_t MemoryTable::add(Block New) {
  const uint64_t Handle = uint64_t(New.GpuId) << 32 | ++LastHandle;
  Blocks.emplace(Handle, std::move(New));
  return Handle;
}

int MemoryTable::allocate(const Request &R, uint64_t &Handle,
                          uint64_t &Offset) {
  std::lock_guard Lock(Mutex);
  Device *D = device(R.GpuId);
  if (!D || R.Size == 0)
    return EINVAL;
  Block New;
  New.Address = R.Address;
  New.HostAddress = R.Address;
  New.Size = wholePages(R.Size);
  New.GpuId = R.GpuId;
  New.Flags = R.Flags;
  if (R.Flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) {
    New.HostAddress = R.HostAddress;
  } else if (R.Flags & KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL) {
    Offset = MemoryFile::doorbellOffset(unsigned(D - Devices.begin()));
  } else {
    New.IsCounted = R.Flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
    if (New.IsCounted && New.Size > D->LocalBytes - LocalBytesUsed[R.GpuId])
      return ENOMEM;
    New.Pages = File.allocate(New.Size);
    if (!New.Pages)
      return ENOMEM;
    Offset = New.Pages->offset();
    if (New.IsCounted)
      LocalBytesUsed[R.GpuId] += New.Size;
  }
  const bool HasPages = New.Pages != nullptr;
  Handle = add(std::move(New));
  if (HasPages)
    Handles[Offset] = Handle;
  return 0;
}

void MemoryTable::unmapFrom(Block &B, Device &D) {
  D.Space->unmap(B.Address, B.Size);
  if ((B.Flags & KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE) && D.CodeUnmapped)
    D.CodeUnmapped(B.Address, B.Address + B.Size);
}

int MemoryTable::free(uint64_t Handle) {
  std::lock_guard Lock(Mutex);
  Block *B = find(Handle);
  if (!B)
    return EINVAL;
  for (uint32_t GpuId : B->MappedFor)
    unmapFrom(*B, *device(GpuId));
  if (B->IsCounted)
    LocalBytesUsed[B->GpuId] -= B->Size;
  if (B->Pages)
    if (auto It = Handles.find(B->Pages->offset());
        It != Handles.end() && It->second == Handle)
      Handles.erase(It);
  ForeignHandles.erase(B->ForeignOffset);
  Blocks.erase(Handle);
  return 0;
}

int MemoryTable::map(uint64_t Handle, uint32_t GpuId) {
  std::lock_guard Lock(Mutex);
  Block *B = find(Handle);
  Device *D = device(GpuId);
  if (!B || !D)
    return EINVAL;
  if (llvm::is_contained(B->MappedFor, GpuId))
    return 0;
  if (B->HostAddress == B->Address)
    D->Space->map(B->Address, B->Size);
  else if (!D->Space->mapAt(B->Address, B->Size,
                            reinterpret_cast<void *>(B->HostAddress)))
    return EBUSY;
  B->MappedFor.push_back(GpuId);
  return 0;
}

int MemoryTable::unmap(uint64_t Handle, uint32_t GpuId) {
  std::lock_guard Lock(Mutex);
  Block *B = find(Handle);
  Device *D = device(GpuId);
  if (!B || !D)
    return EINVAL;
  if (!llvm::is_contained(B->MappedFor, GpuId))
    return 0;
  unmapFrom(*B, *D);
  llvm::erase(B->MappedFor, GpuId);
  return 0;
}

uint64_t MemoryTable::available(uint32_t GpuId) {
  std::lock_guard Lock(Mutex);
  const Device *D = device(GpuId);
  return D ? D->LocalBytes - LocalBytesUsed[GpuId] : 0;
}

/// Kernels touch large buffers from end to end, and a page table's entry for
/// each small page would cost them more than the access. Only private memory
/// gets huge pages everywhere. Null for what stays in the file: small blocks,
/// those that have no address yet, and all where pages could not be moved.
MemoryTable::Block *MemoryTable::findPrivatisable(const void *Address,
                                                  uint64_t Size,
                                                  uint64_t Offset) {
  static const bool CanMove = canMovePages();
  constexpr uint64_t HugePageBytes = 2 << 20;
  auto It = Handles.find(Offset);
  if (!CanMove || It == Handles.end() || Size < HugePageBytes)
    return nullptr;
  Block &B = Blocks.find(It->second)->second;
  const bool IsWhole = B.Address == reinterpret_cast<uint64_t>(Address) &&
                       B.Address != 0 && B.Size == Size;
  return IsWhole && B.IsCounted && !B.Pages->isShared() ? &B : nullptr;
}

void *MemoryTable::mapFile(void *Address, uint64_t Size, int MapFlags, int Fd,
                           uint64_t Offset) {
  std::lock_guard Lock(Mutex);
  if (Offset >= MemoryFile::Limit) {
    uint64_t Begin = 0;
    const Block *Foreign = findForeign(Offset, Begin);
    if (!Foreign) {
      errno = EINVAL;
      return MAP_FAILED;
    }
    void *Result = Foreign->Pages->map(Address, Offset - Begin, Size, MapFlags);
    return Result ? Result : MAP_FAILED;
  }
  Block *B = findPrivatisable(Address, Size, Offset);
  if (!B)
    return mapMemory(Address, Size, MapFlags, Fd, Offset);
  void *Begin =
      mapMemory(Address, Size,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (Begin == MAP_FAILED)
    return Begin;
  B->IsPrivate = true;
  // Refused advice does no harm.
  ::madvise(Begin, Size, MADV_HUGEPAGE);
  return Begin;
}

void *MemoryTable::mapForHost(uint64_t Handle) {
  std::lock_guard Lock(Mutex);
  const Block *B = find(Handle);
  return B && B->Pages ? B->Pages->map(nullptr, 0, B->Size) : nullptr;
}

int MemoryTable::exportPages(uint64_t Handle, int OpenFlags) {
  std::lock_guard Lock(Mutex);
  Block *B = find(Handle);
  if (!B || !B->Pages) {
    errno = EINVAL;
    return -1;
  }
  if (B->IsPrivate) {
    errno = B->Pages->moveHere(reinterpret_cast<void *>(B->Address));
    if (errno != 0)
      return -1;
    B->IsPrivate = false;
  }
  return B->Pages->share(B->Flags, B->GpuId, OpenFlags);
}

MemoryTable::Exported MemoryTable::exported(int Fd) {
  const MemoryFile::Shared Found = File.find(Fd);
  if (!Found.ThePages)
    return {};
  return {Found.ThePages->size(), Found.Flags, Found.GpuId};
}

int MemoryTable::importPages(int Fd, uint32_t GpuId, uint64_t Address,
                             uint64_t &Handle) {
  MemoryFile::Shared Found = File.find(Fd);
  std::lock_guard Lock(Mutex);
  if (!Found.ThePages || !device(GpuId))
    return EINVAL;
  Block New;
  New.Address = New.HostAddress = Address;
  New.Size = Found.ThePages->size();
  New.GpuId = GpuId;
  New.Flags = Found.Flags;
  // The command processor and the waves use device memory by its address.
  if (Address &&
      !Found.ThePages->map(reinterpret_cast<void *>(Address), 0, New.Size))
    return errno;
  New.Pages = std::move(Found.ThePages);
  Handle = add(std::move(New));
  return 0;
}

int MemoryTable::setMetadata(uint64_t Handle, const luthier_kfd_metadata &New) {
  if (New.Size > sizeof(New.Data))
    return EINVAL;
  std::lock_guard Lock(Mutex);
  const Block *B = find(Handle);
  return B && B->Pages && B->Pages->setMetadata(New) ? 0 : EINVAL;
}

int MemoryTable::getMetadata(uint64_t Handle, luthier_kfd_metadata &Result) {
  std::lock_guard Lock(Mutex);
  const Block *B = find(Handle);
  return B && B->Pages && B->Pages->getMetadata(Result) ? 0 : EINVAL;
}

int MemoryTable::mapPart(uint64_t Handle, uint32_t GpuId, uint64_t From,
                         uint64_t Size, uint64_t Address) {
  std::lock_guard Lock(Mutex);
  const Block *B = find(Handle);
  Device *D = device(GpuId);
  if (!B || !B->Pages || !D)
    return EINVAL;
  Size = wholePages(Size);
  if (!B->Pages->map(reinterpret_cast<void *>(Address), From, Size))
    return errno;
  D->Space->map(Address, Size);
  return 0;
}

int MemoryTable::unmapPart(uint64_t Handle, uint32_t GpuId, uint64_t Size,
                           uint64_t Address) {
  std::lock_guard Lock(Mutex);
  Device *D = device(GpuId);
  if (!find(Handle) || !D)
    return EINVAL;
  Size = wholePages(Size);
  D->Space->unmap(Address, Size);
  if (D->CodeUnmapped)
    D->CodeUnmapped(Address, Address + Size);
  return 0;
}

/// Another process's pages are in its own file, so they get a place behind the
/// end of this one's, the first that is free.
uint64_t MemoryTable::placeOfForeign(uint64_t Handle, Block &B) {
  if (B.ForeignOffset)
    return B.ForeignOffset;
  uint64_t Place = MemoryFile::Limit;
  for (const auto &[Begin, Other] : ForeignHandles) {
    if (Begin - Place >= B.Size)
      break;
    Place = Begin + find(Other)->Size;
  }
  if (B.Size > MemoryFile::LimitOfPageNumbers - Place)
    return 0;
  ForeignHandles.emplace(Place, Handle);
  return B.ForeignOffset = Place;
}

const MemoryTable::Block *MemoryTable::findForeign(uint64_t Offset,
                                                   uint64_t &Begin) {
  auto Next = ForeignHandles.upper_bound(Offset);
  if (Next == ForeignHandles.begin())
    return nullptr;
  const auto [Place, Handle] = *std::prev(Next);
  Begin = Place;
  return find(Handle);
}

uint64_t MemoryTable::offset(uint64_t Handle) {
  std::lock_guard Lock(Mutex);
  Block *B = find(Handle);
  if (!B || !B->Pages)
    return 0;
  const uint64_t Own = B->Pages->offset();
  return Own ? Own : placeOfForeign(Handle, *B);
}

uint64_t MemoryTable::size(uint64_t Handle) {
  std::lock_guard Lock(Mutex);
  const Block *B = find(Handle);
  return B ? B->Size : 0;
}

} // namespace luthier::emulator
