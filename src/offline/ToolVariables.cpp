// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "offline/ToolVariables.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier::offline {
namespace {

using ElfFile = object::ELFFile<object::ELF64LE>;
constexpr StringLiteral ManagedSuffix = ".managed";

struct ToolVariable {
  std::string Name;
  uint64_t Address, Size;    ///< In the tool's code object.
  ArrayRef<uint8_t> Initial; ///< Empty for zeros.
  bool IsCell = false;       ///< Leads to the managed variable of its name.

  uint64_t alignment() const {
    constexpr uint64_t Most = 4096;
    return Address ? std::min(Most, Address & -Address) : Most;
  }
};

class ToolReader {
public:
  ToolReader(const CodeObject &Tool, const StringSet<> &Used, ElfFile File)
      : Tool(Tool), Used(Used), File(std::move(File)) {}
  Error read(std::vector<ToolVariable> &Result);

private:
  Error readSymbols(const ElfFile::Elf_Shdr &Table,
                    std::vector<ToolVariable> &Result);
  Error checkRelocations(ArrayRef<ToolVariable> Variables);

  const CodeObject &Tool;
  const StringSet<> &Used;
  ElfFile File;
};

/// What HIP and Luthier themselves put there is nobody's variable.
bool isVariable(StringRef Name) {
  return !Name.ends_with(".kd") && !Name.starts_with("__hip_cuid_") &&
         Name != "__luthier_reserved";
}

Error ToolReader::readSymbols(const ElfFile::Elf_Shdr &Table,
                              std::vector<ToolVariable> &Result) {
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
    if (!isVariable(*Name) ||
        (S.getBinding() == ELF::STB_WEAK && !Used.contains(*Name)))
      continue;
    ToolVariable V{Name->str(), S.st_value, S.st_size, {}};
    // What has no bytes in the file is zero.
    if (auto Initial = Tool.contents(V.Address, V.Size))
      V.Initial = *Initial;
    else
      consumeError(Initial.takeError());
    Result.push_back(std::move(V));
  }
  return Error::success();
}

Error ToolReader::checkRelocations(ArrayRef<ToolVariable> Variables) {
  auto Sections = File.sections();
  if (!Sections)
    return Sections.takeError();
  for (const auto &S : *Sections) {
    if (S.sh_type != ELF::SHT_RELA || !(S.sh_flags & ELF::SHF_ALLOC))
      continue;
    auto Relocations = File.relas(S);
    if (!Relocations)
      return Relocations.takeError();
    for (const auto &R : *Relocations)
      for (const ToolVariable &V : Variables)
        if (R.r_offset >= V.Address && R.r_offset - V.Address < V.Size)
          return refuse(RefusalReason::UnsupportedHook,
                        "the tool's variable " + V.Name +
                            " begins with an address in it");
  }
  return Error::success();
}

Error ToolReader::read(std::vector<ToolVariable> &Result) {
  auto Sections = File.sections();
  if (!Sections)
    return Sections.takeError();
  std::vector<ToolVariable> Own;
  for (const auto &S : *Sections)
    if (S.sh_type == ELF::SHT_DYNSYM)
      if (Error E = readSymbols(S, Own))
        return E;
  if (Error E = checkRelocations(Own))
    return E;
  for (ToolVariable &V : Own)
    V.IsCell = any_of(Own, [&](const ToolVariable &Other) {
      return Other.Name == V.Name + ManagedSuffix.str();
    });
  append_range(Result, Own);
  return Error::success();
}

} // namespace

std::string VariableNames::nameOf(const CodeObject *Of,
                                  StringRef Variable) const {
  if (auto Names = Renamed.find(Of); Names != Renamed.end())
    if (auto Name = Names->second.find(Variable); Name != Names->second.end())
      return Name->second;
  return Variable.str();
}

/// "libmine.so" is the tool "mine".
static StringRef toolOf(StringRef FileName) {
  FileName.consume_front("lib");
  FileName.consume_back(".so");
  return FileName;
}

Expected<VariableNames> addVariables(const ToolCode &Modules,
                                     const StringSet<> &Used,
                                     const CodeObject &Original,
                                     CodeObjectExtension &New) {
  std::vector<ToolVariable> All;
  VariableNames Names;
  StringMap<StringSet<>> ToolsWith; // By variable.
  std::vector<size_t> Ends;
  for (const auto &[Code, Tool] : Modules) {
    Expected<ElfFile> File = ElfFile::create(toStringRef(Code->bytes()));
    if (!File)
      return File.takeError();
    const size_t First = All.size();
    if (Error E = ToolReader(*Code, Used, std::move(*File)).read(All))
      return std::move(E);
    for (const ToolVariable &V : ArrayRef(All).drop_front(First))
      ToolsWith[V.Name].insert(Tool);
    Ends.push_back(All.size());
  }
  size_t Next = 0;
  for (const auto &[Module, End] : zip(Modules, Ends))
    for (; Next != End; ++Next)
      if (std::string &Name = All[Next].Name; ToolsWith[Name].size() > 1) {
        std::string New = (toolOf(Module.second) + "." + Name).str();
        Names.Renamed[Module.first][Name] = New;
        Name = std::move(New);
      }
  const uint64_t Data = dataAddress(Original, New.Code.size());
  for (const ToolVariable &V : All) {
    if (V.Initial.empty() && !V.IsCell)
      continue;
    New.Data.resize(alignTo(New.Data.size(), V.alignment()));
    const uint64_t At = Data + New.Data.size();
    New.Variables.push_back({V.Name, At, V.Size});
    append_range(New.Data, V.Initial);
    New.Data.resize(At - Data + V.Size);
    if (V.IsCell)
      New.Relocations.push_back({At,
                                 CodeObjectExtension::Relocation::Absolute64,
                                 V.Name + ManagedSuffix.str(), 0});
  }
  const uint64_t Zeros =
      zerosAddress(Original, New.Code.size(), New.Data.size());
  for (const ToolVariable &V : All) {
    if (!V.Initial.empty() || V.IsCell)
      continue;
    New.Zeros = alignTo(New.Zeros, V.alignment());
    New.Variables.push_back({V.Name, Zeros + New.Zeros, V.Size});
    New.Zeros += V.Size;
  }
  return Names;
}

} // namespace luthier::offline
