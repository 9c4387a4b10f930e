// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/FatBinary.h"
#include "codeobject/OffloadBundle.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"

using namespace llvm;
using namespace luthier;
using ElfFile = object::ELFFile<object::ELF64LE>;

namespace {

Error malformed(const Twine &Where, Error E) {
  return refuse(RefusalReason::MalformedCodeObject,
                Where + ": " + detailOf(std::move(E)));
}

/// Bundles one after the other: the linker puts those of all translation units
/// into one section and pads between them with zeros. A file of them
/// \p MayGoOn with something else.
Error readBundles(ArrayRef<uint8_t> Bytes,
                  std::vector<BundledCodeObject> &Images,
                  bool MayGoOn = false) {
  size_t Offset = 0;
  while (true) {
    Offset = find_if(Bytes.drop_front(Offset), [](uint8_t B) { return B; }) -
             Bytes.begin();
    if (Offset == Bytes.size() ||
        (MayGoOn && isNoBundle(Bytes.drop_front(Offset))))
      return Error::success();
    Expected<size_t> Size = readBundle(Bytes.drop_front(Offset), Images);
    if (!Size)
      return malformed("at offset " + Twine(Offset), Size.takeError());
    Offset += *Size;
  }
}

/// The sections that hipcc's host side puts bundles into.
Error readHostElf(const ElfFile &File, std::vector<BundledCodeObject> &Images) {
  auto Sections = File.sections();
  if (!Sections)
    return malformed("section headers", Sections.takeError());
  for (const auto &Section : *Sections) {
    auto Name = File.getSectionName(Section);
    if (!Name)
      return malformed("section names", Name.takeError());
    if (!Name->starts_with(".hip_fatbin") || Section.sh_type == ELF::SHT_NOBITS)
      continue;
    auto Contents = File.getSectionContents(Section);
    if (!Contents)
      return malformed("section " + *Name, Contents.takeError());
    if (Error E = readBundles(*Contents, Images))
      return malformed("section " + *Name, std::move(E));
  }
  return Error::success();
}

Error readElf(ArrayRef<uint8_t> Bytes, std::vector<BundledCodeObject> &Images) {
  // ELF files of other kinds hold no bundles that HIP would find.
  if (Bytes.size() > ELF::EI_DATA && (Bytes[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
                                      Bytes[ELF::EI_DATA] != ELF::ELFDATA2LSB))
    return Error::success();
  Expected<ElfFile> File = ElfFile::create(toStringRef(Bytes));
  if (!File)
    return malformed("ELF header", File.takeError());
  const auto &Header = File->getHeader();
  if (Header.e_machine != ELF::EM_AMDGPU)
    return readHostElf(*File, Images);
  Expected<TargetID> Target =
      TargetID::fromElf(Header.e_flags, Header.e_ident[ELF::EI_ABIVERSION]);
  if (!Target)
    return Target.takeError();
  Images.push_back({std::move(*Target), Bytes, nullptr});
  return Error::success();
}

} // namespace

Expected<std::vector<BundledCodeObject>>
luthier::findCodeObjects(ArrayRef<uint8_t> File) {
  std::vector<BundledCodeObject> Images;
  Error Failed = Error::success();
  if (toStringRef(File).starts_with(StringRef(ELF::ElfMagic, 4)))
    Failed = readElf(File, Images);
  else if (beginsWithBundle(File))
    Failed = readBundles(File, Images, /*MayGoOn=*/true);
  if (Failed)
    return Failed;
  return Images;
}
