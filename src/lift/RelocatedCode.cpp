// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lift/RelocatedCode.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"

using namespace llvm;

namespace luthier {

using ElfFile = object::ELFFile<object::ELF64LE>;

static bool changesTwoDwords(uint32_t Type) {
  return Type == ELF::R_AMDGPU_ABS64 || Type == ELF::R_AMDGPU_REL64 ||
         Type == ELF::R_AMDGPU_RELATIVE64;
}

/// What is wrong with the file's tables has been reported when it was read.
template <typename T> static bool isGood(Expected<T> &Result) {
  if (Result)
    return true;
  consumeError(Result.takeError());
  return false;
}

RelocatedCode::RelocatedCode(const CodeObject &Object) {
  Expected<ElfFile> File = ElfFile::create(toStringRef(Object.bytes()));
  if (!isGood(File))
    return;
  auto Sections = File->sections();
  if (!isGood(Sections))
    return;
  for (const auto &Section : *Sections) {
    if (Section.sh_type != ELF::SHT_RELA ||
        !(Section.sh_flags & ELF::SHF_ALLOC))
      continue;
    auto Relocations = File->relas(Section);
    if (!isGood(Relocations))
      continue;
    for (const auto &R : *Relocations) {
      if (!Object.code(R.r_offset))
        continue;
      Dwords.push_back(R.r_offset);
      if (changesTwoDwords(R.getType(false)))
        Dwords.push_back(R.r_offset + 4);
    }
  }
  llvm::sort(Dwords);
}

Error RelocatedCode::check(ArrayRef<DecodedInstruction> Code) const {
  if (Dwords.empty())
    return Error::success();
  for (const DecodedInstruction &D : Code) {
    auto Next = llvm::lower_bound(Dwords, D.Address);
    if (Next != Dwords.end() && *Next < D.Address + D.Size)
      return refuse(RefusalReason::UndecodableInstruction,
                    "at 0x" + utohexstr(D.Address) +
                        ": the loader changes this instruction, as it does "
                        "where luthier instrument has put hooks");
  }
  return Error::success();
}

} // namespace luthier
