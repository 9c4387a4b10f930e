// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/DeviceVariables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"

using namespace llvm;

namespace luthier {
namespace {

using ElfFile = object::ELFFile<object::ELF64LE>;
constexpr StringLiteral CompilationPrefix = "__hip_cuid_";

bool isVariable(StringRef Name) {
  return !Name.ends_with(".kd") && !Name.starts_with(CompilationPrefix) &&
         Name != "__luthier_reserved";
}

using Visitor =
    function_ref<void(StringRef Name, const ElfFile::Elf_Sym &Symbol)>;

Error visitObjects(const ElfFile &File, const ElfFile::Elf_Shdr &Table,
                   Visitor Visit) {
  auto Symbols = File.symbols(&Table);
  if (!Symbols)
    return Symbols.takeError();
  auto Names = File.getStringTableForSymtab(Table);
  if (!Names)
    return Names.takeError();
  for (const auto &S : *Symbols) {
    if (S.getType() != ELF::STT_OBJECT || S.st_shndx == ELF::SHN_UNDEF)
      continue;
    auto Name = S.getName(*Names);
    if (!Name)
      return Name.takeError();
    Visit(*Name, S);
  }
  return Error::success();
}

/// Of the symbols that the loader sees.
Error visitObjects(const CodeObject &Object, Visitor Visit) {
  Expected<ElfFile> File = ElfFile::create(toStringRef(Object.bytes()));
  if (!File)
    return File.takeError();
  auto Sections = File->sections();
  if (!Sections)
    return Sections.takeError();
  for (const auto &S : *Sections)
    if (S.sh_type == ELF::SHT_DYNSYM)
      if (Error E = visitObjects(*File, S, Visit))
        return E;
  return Error::success();
}

} // namespace

uint64_t DeviceVariable::alignment() const {
  constexpr uint64_t Most = 4096;
  return Address ? std::min(Most, Address & -Address) : Most;
}

Expected<std::vector<DeviceVariable>> variablesOf(const CodeObject &Object) {
  std::vector<DeviceVariable> Result;
  auto Add = [&](StringRef Name, const ElfFile::Elf_Sym &S) {
    if (!isVariable(Name))
      return;
    DeviceVariable V{Name.str(), S.st_value, S.st_size};
    V.IsWeak = S.getBinding() == ELF::STB_WEAK;
    // What has no bytes in the file is zero.
    if (auto Initial = Object.contents(V.Address, V.Size))
      V.Initial = *Initial;
    else
      consumeError(Initial.takeError());
    Result.push_back(std::move(V));
  };
  if (Error E = visitObjects(Object, Add))
    return std::move(E);
  StringSet<> Names;
  for (const DeviceVariable &V : Result)
    Names.insert(V.Name);
  for (DeviceVariable &V : Result)
    V.IsCell = Names.contains(V.Name + ManagedSuffix.str());
  return Result;
}

Expected<std::string> compilationOf(const CodeObject &Object) {
  std::string Result;
  auto Look = [&](StringRef Name, const ElfFile::Elf_Sym &) {
    if (Name.consume_front(CompilationPrefix))
      Result = Name;
  };
  if (Error E = visitObjects(Object, Look))
    return std::move(E);
  return Result;
}

} // namespace luthier
