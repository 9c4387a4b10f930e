// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kmt/MemoryTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <sys/mman.h>

namespace luthier::emulator {

static constexpr uint64_t PageBytes = 4096;

namespace {
/// Devices map pages, also of buffers that begin or end within one.
struct PageRange {
  PageRange(uint64_t Address, uint64_t Size)
      : Begin(llvm::alignDown(Address, PageBytes)),
        End(llvm::alignTo(Address + Size, PageBytes)) {}
  uint64_t size() const { return End - Begin; }
  uint64_t Begin, End;
};
} // namespace

MemoryTable::Device *MemoryTable::device(uint32_t Node) {
  auto It =
      llvm::find_if(Devices, [&](const Device &D) { return D.Node == Node; });
  return It == Devices.end() ? nullptr : &*It;
}

MemoryTable::Block *MemoryTable::find(uint64_t Address) {
  auto Contains = [&](const Block &B) {
    return Address >= B.Begin && Address - B.Begin < B.Size;
  };
  auto Allocation = Allocations.upper_bound(Address);
  if (Allocation != Allocations.begin() &&
      Contains(std::prev(Allocation)->second))
    return &std::prev(Allocation)->second;
  // Few buffers are registered at a time, and long ones may begin far below.
  auto End = Registered.upper_bound(Address);
  while (End != Registered.begin())
    if (Contains((--End)->second))
      return &End->second;
  for (auto &[Begin, B] : Registered)
    if (Address - B.DeviceBegin < B.Size)
      return &B;
  return nullptr;
}

HSAKMT_STATUS MemoryTable::allocate(uint32_t Node, uint64_t Size,
                                    HsaMemFlags Flags, void *&Address) {
  if (Size == 0)
    return HSAKMT_STATUS_INVALID_PARAMETER;
  if (Flags.ui32.GDSMemory || Flags.ui32.FixedAddress)
    return HSAKMT_STATUS_NOT_SUPPORTED;
  Size = llvm::alignTo(Size, PageBytes);

  std::lock_guard Lock(Mutex);
  Device *Local = device(Node);
  // Scratch is reserved address space, far more than is ever used.
  const bool Counts = Local && !Flags.ui32.Scratch;
  if (Counts && Size > Local->LocalBytes - LocalBytesUsed[Node])
    return HSAKMT_STATUS_NO_MEMORY;
  void *Memory = ::mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Memory == MAP_FAILED)
    return HSAKMT_STATUS_NO_MEMORY;
  // Kernels touch large buffers from end to end, and a fault for each small
  // page would cost them more than the access. Refused advice does no harm.
  constexpr uint64_t HugePageBytes = 2 << 20;
  if (Counts && Size >= HugePageBytes)
    ::madvise(Memory, Size, MADV_HUGEPAGE);
  if (Counts)
    LocalBytesUsed[Node] += Size;
  Block &New = Allocations[reinterpret_cast<uint64_t>(Memory)];
  New.Begin = New.DeviceBegin = reinterpret_cast<uint64_t>(Memory);
  New.Size = Size;
  New.Node = Node;
  New.Flags = Flags;
  Address = Memory;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS MemoryTable::free(void *Address) {
  std::lock_guard Lock(Mutex);
  auto It = Allocations.find(reinterpret_cast<uint64_t>(Address));
  if (It == Allocations.end())
    return HSAKMT_STATUS_INVALID_PARAMETER;
  Block &Old = It->second;
  unmapAll(Old);
  if (device(Old.Node) && !Old.Flags.ui32.Scratch)
    LocalBytesUsed[Old.Node] -= Old.Size;
  ::munmap(Address, Old.Size);
  Allocations.erase(It);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS MemoryTable::registerHost(void *Address, uint64_t Size,
                                        HsaMemFlags Flags) {
  if (!Address || Size == 0)
    return HSAKMT_STATUS_INVALID_PARAMETER;
  const uint64_t Begin = reinterpret_cast<uint64_t>(Address);
  std::lock_guard Lock(Mutex);
  Block *Known = find(Begin);
  // Registering what was allocated here, or the same buffer again, only counts.
  if (Known &&
      (!Known->IsHost || (Known->Begin == Begin && Known->Size == Size))) {
    ++Known->Registrations;
    return HSAKMT_STATUS_SUCCESS;
  }
  const PageRange Pages(Begin, Size);
  void *Reserved = ::mmap(nullptr, Pages.size(), PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Reserved == MAP_FAILED)
    return HSAKMT_STATUS_NO_MEMORY;
  Block &New = Registered.emplace(Begin, Block())->second;
  New.Begin = Begin;
  New.Size = Size;
  New.DeviceBegin = reinterpret_cast<uint64_t>(Reserved) + Begin - Pages.Begin;
  New.Flags = Flags;
  New.IsHost = true;
  New.Registrations = 1;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS MemoryTable::deregisterHost(void *Address) {
  const uint64_t Begin = reinterpret_cast<uint64_t>(Address);
  std::lock_guard Lock(Mutex);
  Block *Known = find(Begin);
  if (!Known || Known->Registrations == 0)
    return HSAKMT_STATUS_MEMORY_NOT_REGISTERED;
  if (--Known->Registrations != 0 || !Known->IsHost)
    return HSAKMT_STATUS_SUCCESS;
  unmapAll(*Known);
  const PageRange Pages(Known->DeviceBegin, Known->Size);
  ::munmap(reinterpret_cast<void *>(Pages.Begin), Pages.size());
  auto [First, Last] = Registered.equal_range(Known->Begin);
  for (auto It = First; It != Last; ++It)
    if (&It->second == Known) {
      Registered.erase(It);
      break;
    }
  return HSAKMT_STATUS_SUCCESS;
}

void MemoryTable::mapPart(Block &B, uint64_t Begin, uint64_t Size,
                          llvm::ArrayRef<uint32_t> Nodes) {
  const PageRange Pages(Begin, Size);
  const bool NewPart = B.Parts.try_emplace(Begin, Size).second;
  for (Device &D : Devices) {
    if (!Nodes.empty() && !llvm::is_contained(Nodes, D.Node))
      continue;
    const bool HasNode = llvm::is_contained(B.MappedNodes, D.Node);
    if (HasNode && !NewPart)
      continue;
    if (!HasNode)
      B.MappedNodes.push_back(D.Node);
    if (B.IsHost)
      D.Space->mapAt(Pages.Begin + B.DeviceBegin - B.Begin, Pages.size(),
                     reinterpret_cast<void *>(Pages.Begin));
    else
      D.Space->map(Pages.Begin, Pages.size());
  }
}

void MemoryTable::unmapFrom(Device &D, const Block &B, uint64_t Begin,
                            uint64_t Size) {
  const PageRange Pages(Begin + B.DeviceBegin - B.Begin, Size);
  D.Space->unmap(Pages.Begin, Pages.size());
  if (B.Flags.ui32.ExecuteAccess && D.CodeUnmapped)
    D.CodeUnmapped(Pages.Begin, Pages.End);
}

/// An access list replaces the one before.
void MemoryTable::unmapOthers(Block &B, llvm::ArrayRef<uint32_t> Nodes) {
  llvm::erase_if(B.MappedNodes, [&](uint32_t Node) {
    if (llvm::is_contained(Nodes, Node))
      return false;
    for (const auto &[Begin, Size] : B.Parts)
      unmapFrom(*device(Node), B, Begin, Size);
    return true;
  });
}

void MemoryTable::unmapPart(Block &B, uint64_t Begin) {
  auto Part = B.Parts.find(Begin);
  if (Part == B.Parts.end())
    return;
  for (uint32_t Node : B.MappedNodes)
    unmapFrom(*device(Node), B, Begin, Part->second);
  B.Parts.erase(Part);
  if (B.Parts.empty())
    B.MappedNodes.clear();
}

void MemoryTable::unmapAll(Block &B) {
  while (!B.Parts.empty())
    unmapPart(B, B.Parts.begin()->first);
}

HSAKMT_STATUS MemoryTable::map(void *Address, uint64_t Size,
                               llvm::ArrayRef<uint32_t> Nodes,
                               uint64_t *DeviceAddress) {
  const uint64_t Begin = reinterpret_cast<uint64_t>(Address);
  std::lock_guard Lock(Mutex);
  Block *B = find(Begin);
  if (!B)
    return HSAKMT_STATUS_INVALID_PARAMETER;
  if (B->Flags.ui32.Scratch) {
    if (Size > B->Begin + B->Size - Begin)
      return HSAKMT_STATUS_INVALID_PARAMETER;
    mapPart(*B, Begin, Size, Nodes);
  } else {
    // Of a buffer registered twice, each registrant has a list of its own.
    if (!Nodes.empty() && B->Registrations <= 1)
      unmapOthers(*B, Nodes);
    mapPart(*B, B->Begin, B->Size, Nodes);
  }
  if (DeviceAddress)
    *DeviceAddress = Begin + B->DeviceBegin - B->Begin;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS MemoryTable::unmap(void *Address) {
  const uint64_t Begin = reinterpret_cast<uint64_t>(Address);
  std::lock_guard Lock(Mutex);
  Block *B = find(Begin);
  if (!B)
    return HSAKMT_STATUS_INVALID_PARAMETER;
  if (B->Flags.ui32.Scratch)
    unmapPart(*B, Begin);
  // "Unlocking" allocated memory unmaps and deregisters it; it stays mapped
  // for whom it was allocated. A buffer registered twice stays for the other.
  else if (B->IsHost ? B->Registrations <= 1 : B->Registrations == 0)
    unmapAll(*B);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS MemoryTable::query(const void *Pointer, HsaPointerInfo &Info) {
  Info = {};
  std::lock_guard Lock(Mutex);
  Block *B = find(reinterpret_cast<uint64_t>(Pointer));
  if (!B || B->Flags.ui32.Scratch) {
    Info.Type = HSA_POINTER_UNKNOWN;
    return HSAKMT_STATUS_ERROR;
  }
  Info.Type = B->IsHost ? HSA_POINTER_REGISTERED_USER : HSA_POINTER_ALLOCATED;
  Info.Node = B->Node;
  Info.MemFlags = B->Flags;
  Info.CPUAddress = reinterpret_cast<void *>(B->Begin);
  Info.GPUAddress = B->DeviceBegin;
  Info.SizeInBytes = B->Size;
  Info.NMappedNodes = B->MappedNodes.size();
  Info.MappedNodes = B->MappedNodes.data();
  Info.UserData = B->UserData;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS MemoryTable::setUserData(const void *Pointer, void *UserData) {
  std::lock_guard Lock(Mutex);
  Block *B = find(reinterpret_cast<uint64_t>(Pointer));
  if (!B)
    return HSAKMT_STATUS_ERROR;
  B->UserData = UserData;
  return HSAKMT_STATUS_SUCCESS;
}

} // namespace luthier::emulator
