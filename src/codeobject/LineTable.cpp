// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/LineTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"
#include <tuple>

using namespace llvm;
using namespace luthier;

unsigned LineTable::fileIndex(StringRef Path) {
  auto [It, New] = FileIndices.try_emplace(Path, Files.size());
  if (New)
    Files.push_back(Path.str());
  return It->second;
}

void LineTable::append(Row New) {
  assert(Rows.empty() || Rows.back().Address <= New.Address);
  if (!Rows.empty() && Rows.back().Address == New.Address) {
    Rows.back() = New;
    return;
  }
  if (!Rows.empty() && Rows.back().File == New.File &&
      Rows.back().Line == New.Line && Rows.back().Column == New.Column)
    return;
  Rows.push_back(New);
}

const LineTable::Row *LineTable::find(uint64_t Address) const {
  auto After =
      partition_point(Rows, [&](const Row &R) { return R.Address <= Address; });
  if (After == Rows.begin() || std::prev(After)->Line == 0)
    return nullptr;
  return &*std::prev(After);
}

std::string LineTable::describe(uint64_t Address) const {
  const Row *R = find(Address);
  return R ? Files[R->File] + ":" + std::to_string(R->Line) : "";
}

namespace {

struct SourcedRow {
  uint64_t Address;
  std::string File;
  unsigned Line = 0, Column = 0;
  size_t Order = 0;
};

/// Of all sequences (runs of code) in \p Table, what concerns [Begin, End). A
/// sequence ends with a row without source.
void collectRows(const DWARFDebugLine::LineTable &Table, const char *Folder,
                 uint64_t Begin, uint64_t End, std::vector<SourcedRow> &Rows) {
  using FileLineInfoKind = DILineInfoSpecifier::FileLineInfoKind;
  for (const DWARFDebugLine::Sequence &Sequence : Table.Sequences) {
    if (Sequence.HighPC <= Begin || Sequence.LowPC >= End)
      continue;
    for (unsigned I = Sequence.FirstRowIndex; I + 1 < Sequence.LastRowIndex;
         ++I) {
      const DWARFDebugLine::Row &Row = Table.Rows[I];
      if (Table.Rows[I + 1].Address.Address <= Begin ||
          Row.Address.Address >= End)
        continue;
      SourcedRow New{std::max(Row.Address.Address, Begin), "", 0, 0, 0};
      if (Row.Line && Table.getFileNameByIndex(
                          Row.File, Folder ? Folder : "",
                          FileLineInfoKind::AbsoluteFilePath, New.File)) {
        New.Line = Row.Line;
        New.Column = Row.Column;
      }
      Rows.push_back(std::move(New));
    }
    if (Sequence.HighPC < End)
      Rows.push_back({Sequence.HighPC, "", 0, 0, 0});
  }
}

} // namespace

LineTable luthier::readLineTable(const CodeObject &Object, uint64_t Begin,
                                 uint64_t Size) {
  LineTable Result;
  if (!Object.section(".debug_line"))
    return Result;
  auto File = object::ObjectFile::createELFObjectFile(
      MemoryBufferRef(toStringRef(Object.bytes()), "code object"));
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
  std::vector<SourcedRow> Rows;
  for (const std::unique_ptr<DWARFUnit> &Unit : Context->compile_units())
    if (const auto *Table = Context->getLineTableForUnit(Unit.get()))
      collectRows(*Table, Unit->getCompilationDir(), Begin, Begin + Size, Rows);
  // Where one sequence ends another may begin, which counts; of several rows
  // for one address it is the last.
  for (auto [I, R] : enumerate(Rows))
    R.Order = I;
  sort(Rows, [](const SourcedRow &A, const SourcedRow &B) {
    return std::tuple(A.Address, A.Line != 0, A.Order) <
           std::tuple(B.Address, B.Line != 0, B.Order);
  });
  for (const SourcedRow &R : Rows)
    Result.append(
        {R.Address, R.Line ? Result.fileIndex(R.File) : 0, R.Line, R.Column});
  return Result;
}
