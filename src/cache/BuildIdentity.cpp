// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cache/BuildIdentity.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <elf.h>
#include <link.h>

using namespace llvm;

namespace luthier::cache {
namespace {

struct Search {
  uintptr_t Address;
  std::string Id; ///< In hexadecimal digits; empty if there is none.
};

std::string buildIdIn(ArrayRef<uint8_t> Notes) {
  while (Notes.size() >= sizeof(ElfW(Nhdr))) {
    const auto *Note = reinterpret_cast<const ElfW(Nhdr) *>(Notes.data());
    Notes = Notes.drop_front(sizeof(*Note));
    const size_t NameSize = alignTo(Note->n_namesz, 4);
    const size_t Size = alignTo(Note->n_descsz, 4);
    if (NameSize + Size > Notes.size())
      break;
    const StringRef Name = toStringRef(Notes.take_front(Note->n_namesz));
    if (Note->n_type == NT_GNU_BUILD_ID && Name == StringRef("GNU\0", 4))
      return toHex(Notes.slice(NameSize, Note->n_descsz));
    Notes = Notes.drop_front(NameSize + Size);
  }
  return "";
}

int visit(dl_phdr_info *Info, size_t, void *Data) {
  auto &S = *static_cast<Search *>(Data);
  const ArrayRef Segments(Info->dlpi_phdr, Info->dlpi_phnum);
  if (none_of(Segments, [&](const ElfW(Phdr) & P) {
        return P.p_type == PT_LOAD &&
               S.Address - (Info->dlpi_addr + P.p_vaddr) < P.p_memsz;
      }))
    return 0;
  for (const ElfW(Phdr) &P : Segments)
    if (P.p_type == PT_NOTE && S.Id.empty())
      S.Id = buildIdIn(
          {reinterpret_cast<const uint8_t *>(Info->dlpi_addr + P.p_vaddr),
           P.p_memsz});
  return 1;
}

} // namespace

std::string buildIdentity(ArrayRef<const void *> Addresses) {
  std::string Result;
  for (const void *Address : Addresses) {
    Search S{reinterpret_cast<uintptr_t>(Address), ""};
    ::dl_iterate_phdr(visit, &S);
    if (S.Id.empty())
      return "";
    Result += S.Id + "\n";
  }
  return Result;
}

} // namespace luthier::cache
