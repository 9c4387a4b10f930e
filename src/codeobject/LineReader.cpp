// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/LineReader.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"
#include <tuple>

using namespace llvm;
using namespace luthier;

namespace {

/// One of several that may be for the same address.
struct OrderedRow : LineTable::Row {
  size_t Order = 0;
};

/// Whether there is code at \p Address. What a linker has left out keeps its
/// lines, at addresses near 0.
bool isCode(const object::ObjectFile &File, uint64_t Address) {
  return any_of(File.sections(), [&](const object::SectionRef &Section) {
    return Section.isText() && Section.getAddress() <= Address &&
           Address - Section.getAddress() < Section.getSize();
  });
}

/// Of all sequences (runs of code) in \p Table. A sequence ends with a row
/// without source.
void collectRows(const object::ObjectFile &File,
                 const DWARFDebugLine::LineTable &Table, const char *Folder,
                 LineTable &Files, std::vector<OrderedRow> &Rows) {
  using FileLineInfoKind = DILineInfoSpecifier::FileLineInfoKind;
  // By the table's number; nothing for one without a name.
  DenseMap<uint64_t, std::optional<unsigned>> Known;
  auto fileOf = [&](uint64_t Number) {
    auto [It, New] = Known.try_emplace(Number);
    std::string Path;
    if (New &&
        Table.getFileNameByIndex(Number, Folder ? Folder : "",
                                 FileLineInfoKind::AbsoluteFilePath, Path))
      It->second = Files.fileIndex(Path);
    return It->second;
  };
  for (const DWARFDebugLine::Sequence &Sequence : Table.Sequences) {
    if (!isCode(File, Sequence.LowPC))
      continue;
    for (unsigned I = Sequence.FirstRowIndex; I + 1 < Sequence.LastRowIndex;
         ++I) {
      const DWARFDebugLine::Row &Row = Table.Rows[I];
      if (Table.Rows[I + 1].Address.Address <= Row.Address.Address)
        continue;
      OrderedRow New{{Row.Address.Address, 0, 0, 0}, Rows.size()};
      if (auto Source = Row.Line ? fileOf(Row.File) : std::nullopt) {
        New.File = *Source;
        New.Line = Row.Line;
        New.Column = Row.Column;
      }
      Rows.push_back(New);
    }
    Rows.push_back({{Sequence.HighPC, 0, 0, 0}, Rows.size()});
  }
}

} // namespace

LineTable luthier::readLines(ArrayRef<uint8_t> ELF) {
  LineTable Result;
  auto File = object::ObjectFile::createELFObjectFile(
      MemoryBufferRef(toStringRef(ELF), "code object"));
  if (!File) {
    consumeError(File.takeError());
    return Result;
  }
  // Debug information helps to read reports and nothing else: what is wrong
  // with it is no reason to say anything.
  std::unique_ptr<DWARFContext> Context = DWARFContext::create(
      **File, DWARFContext::ProcessDebugRelocations::Process, nullptr, "",
      [](Error E) { consumeError(std::move(E)); },
      [](Error E) { consumeError(std::move(E)); });
  std::vector<OrderedRow> Rows;
  for (const std::unique_ptr<DWARFUnit> &Unit : Context->compile_units())
    if (const auto *Table = Context->getLineTableForUnit(Unit.get()))
      collectRows(**File, *Table, Unit->getCompilationDir(), Result, Rows);
  // Where one sequence ends another may begin, which counts; of several rows
  // for one address it is the last.
  sort(Rows, [](const OrderedRow &A, const OrderedRow &B) {
    return std::tuple(A.Address, A.Line != 0, A.Order) <
           std::tuple(B.Address, B.Line != 0, B.Order);
  });
  for (const OrderedRow &R : Rows)
    Result.append(R);
  return Result;
}
