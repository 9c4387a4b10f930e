// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "offline/ToolVariables.h"
#include "codeobject/DeviceVariables.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier::offline {
namespace {

using ElfFile = object::ELFFile<object::ELF64LE>;

Error checkRelocations(const CodeObject &Tool,
                       ArrayRef<DeviceVariable> Variables) {
  Expected<ElfFile> File = ElfFile::create(toStringRef(Tool.bytes()));
  if (!File)
    return File.takeError();
  auto Sections = File->sections();
  if (!Sections)
    return Sections.takeError();
  for (const auto &S : *Sections) {
    if (S.sh_type != ELF::SHT_RELA || !(S.sh_flags & ELF::SHF_ALLOC))
      continue;
    auto Relocations = File->relas(S);
    if (!Relocations)
      return Relocations.takeError();
    for (const auto &R : *Relocations)
      for (const DeviceVariable &V : Variables)
        if (R.r_offset >= V.Address && R.r_offset - V.Address < V.Size)
          return refuse(RefusalReason::UnsupportedHook,
                        "the tool's variable " + V.Name +
                            " begins with an address in it");
  }
  return Error::success();
}

Error readVariables(const CodeObject &Tool, const StringSet<> &Used,
                    std::vector<DeviceVariable> &Result) {
  auto Own = variablesOf(Tool);
  if (!Own)
    return Own.takeError();
  erase_if(*Own, [&](const DeviceVariable &V) {
    return V.IsWeak && !Used.contains(V.Name);
  });
  if (Error E = checkRelocations(Tool, *Own))
    return E;
  append_range(Result, *Own);
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
  std::vector<DeviceVariable> All;
  VariableNames Names;
  StringMap<StringSet<>> ToolsWith; // By variable.
  std::vector<size_t> Ends;
  for (const auto &[Code, Tool] : Modules) {
    const size_t First = All.size();
    if (Error E = readVariables(*Code, Used, All))
      return std::move(E);
    for (const DeviceVariable &V : ArrayRef(All).drop_front(First))
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
  for (const DeviceVariable &V : All) {
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
  for (const DeviceVariable &V : All) {
    if (!V.Initial.empty() || V.IsCell)
      continue;
    New.Zeros = alignTo(New.Zeros, V.alignment());
    New.Variables.push_back({V.Name, Zeros + New.Zeros, V.Size});
    New.Zeros += V.Size;
  }
  return Names;
}

} // namespace luthier::offline
