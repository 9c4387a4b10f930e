// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/Marks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"

using namespace llvm;

bool luthier::pgo::hasMarks(ArrayRef<uint8_t> Elf) {
  auto File = object::ELFFile<object::ELF64LE>::create(toStringRef(Elf));
  if (!File) {
    consumeError(File.takeError());
    return false;
  }
  auto Sections = File->sections();
  if (!Sections) {
    consumeError(Sections.takeError());
    return false;
  }
  return any_of(*Sections, [&](const auto &Section) {
    const StringRef Name =
        expectedToOptional(File->getSectionName(Section)).value_or("");
    return Name == ".pseudo_probe" || Name == ".debug_line";
  });
}
