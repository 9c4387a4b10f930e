// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/cp/KernelNames.h"

#include "emulator/cp/LoadedElf.h"
#include "llvm/ADT/StringExtras.h"

namespace luthier::emulator {

std::optional<KernelSymbol> findKernelSymbol(const AddressSpace &Memory,
                                             uint64_t KernelObject) {
  std::optional<AddressSpace::Range> Range = Memory.find(KernelObject);
  if (!Range)
    return std::nullopt;
  // Loaders place code objects at page boundaries. A freed one may have left
  // its header between, so go on when the kernel is none of its symbols.
  constexpr uint64_t PageSize = 4096;
  for (uint64_t Page = KernelObject & ~(PageSize - 1); Page >= Range->Begin;
       Page -= PageSize) {
    std::optional<LoadedElf> Elf = LoadedElf::at(Page, Range->End);
    if (Elf && KernelObject < Elf->end()) {
      std::optional<std::string> Name;
      Elf->forEachSymbol([&](llvm::StringRef Symbol, uint64_t Address) {
        if (Address == KernelObject && Symbol.consume_back(".kd"))
          Name = Symbol.str();
        return !Name;
      });
      if (Name)
        return KernelSymbol{std::move(*Name), Elf->begin()};
    }
    if (Page < PageSize)
      break;
  }
  return std::nullopt;
}

std::string blitKernelName(const KernelObject &Object) {
  // GRANULATED_WAVEFRONT_SGPR_COUNT and GRANULATED_WORKITEM_VGPR_COUNT.
  const unsigned Sgprs = (Object.ComputePgmRsrc1 >> 6) & 15;
  const unsigned Vgprs = Object.ComputePgmRsrc1 & 63;
  // ROCr allots 32 SGPRs and 12 VGPRs, 23 and 10, 19 and 8.
  if (Sgprs == 3 && Vgprs == 2)
    return "rocr.copy_aligned";
  if (Sgprs == 2 && Vgprs == 2)
    return "rocr.copy_misaligned";
  if (Sgprs == 2 && Vgprs == 1)
    return "rocr.fill";
  return "rocr.blit";
}

KernelSymbol KernelNames::lookup(uint64_t Address, const KernelObject &Object) {
  std::lock_guard Lock(Mutex);
  const uint64_t Current = Memory.generation();
  if (Current != Generation) {
    Known.clear();
    Generation = Current;
  }
  auto [It, Inserted] = Known.try_emplace(Address);
  if (Inserted) {
    if (std::optional<KernelSymbol> Found = findKernelSymbol(Memory, Address))
      It->second = std::move(*Found);
    else if (Object.HasLegacyHeader)
      It->second = {blitKernelName(Object), Object.EntryPC};
    else
      It->second = {"kernel_0x" + llvm::utohexstr(Address, /*LowerCase=*/true),
                    Object.EntryPC};
  }
  return It->second;
}

} // namespace luthier::emulator
