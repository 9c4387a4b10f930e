// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/LineReader.h"
#include "codeobject/LineProgram.h"
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

class UnitReader {
public:
  UnitReader(const object::ObjectFile &File, const DWARFContext &Context,
             DWARFUnit &Unit)
      : File(File), Unit(Unit),
        Data(Context.getDWARFObj(), Context.getDWARFObj().getLineSection(),
             Context.isLittleEndian(), Unit.getAddressByteSize()),
        Context(Context) {}

  /// A sequence ends with a row without source.
  void read(LineTable &Files, std::vector<OrderedRow> &Rows) {
    std::optional<uint64_t> Offset =
        dwarf::toSectionOffset(Unit.getUnitDIE().find(dwarf::DW_AT_stmt_list));
    if (!Offset || !Data.isValidOffset(*Offset))
      return;
    const uint64_t Begin = *Offset;
    if (Error E = Prologue.parse(Data, &*Offset, consumeError, Context, &Unit))
      return consumeError(std::move(E));
    const uint64_t End = std::min<uint64_t>(
        Begin + Prologue.sizeofTotalLength() + Prologue.TotalLength,
        Data.size());
    if (*Offset >= End)
      return;
    const LineProgram Program(
        arrayRefFromStringRef(Data.getData().slice(*Offset, End)), Prologue);
    Rows.reserve(Rows.size() + Program.Rows.size());
    for (const LineProgram::Sequence &Sequence : Program.Sequences)
      if (isCode(File, Sequence.Low))
        add(Program, Sequence, Files, Rows);
  }

private:
  void add(const LineProgram &Program, const LineProgram::Sequence &Sequence,
           LineTable &Files, std::vector<OrderedRow> &Rows) {
    for (size_t I = Sequence.Begin; I < Sequence.End; ++I) {
      const LineProgram::Row &Row = Program.Rows[I];
      const uint64_t Next =
          I + 1 < Sequence.End ? Program.Rows[I + 1].Address : Sequence.High;
      if (Next <= Row.Address)
        continue;
      OrderedRow New{{Row.Address, 0, 0, 0}, Rows.size()};
      if (auto Source = Row.Line ? fileOf(Row.File, Files) : std::nullopt) {
        New.File = *Source;
        New.Line = Row.Line;
        New.Column = Row.Column;
      }
      Rows.push_back(New);
    }
    Rows.push_back({{Sequence.High, 0, 0, 0}, Rows.size()});
  }

  std::optional<unsigned> fileOf(uint16_t Number, LineTable &Files) {
    auto [It, New] = Known.try_emplace(Number);
    if (!New)
      return It->second;
    const char *Folder = Unit.getCompilationDir();
    std::string Path;
    if (Prologue.getFileNameByIndex(
            Number, Folder ? Folder : "",
            DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath, Path))
      It->second = Files.fileIndex(Path);
    return It->second;
  }

  const object::ObjectFile &File;
  DWARFUnit &Unit;
  const DWARFDataExtractor Data;
  const DWARFContext &Context;
  DWARFDebugLine::Prologue Prologue;
  /// By the prologue's number; nothing for one without a name.
  DenseMap<unsigned, std::optional<unsigned>> Known;
};

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
    UnitReader(**File, *Context, *Unit).read(Result, Rows);
  // Where one sequence ends another may begin, which counts; of several rows
  // for one address it is the last.
  auto isEarlier = [](const OrderedRow &A, const OrderedRow &B) {
    return std::tuple(A.Address, A.Line != 0, A.Order) <
           std::tuple(B.Address, B.Line != 0, B.Order);
  };
  // They are, in what compilers write for one source.
  if (!is_sorted(Rows, isEarlier))
    sort(Rows, isEarlier);
  Result.reserve(Rows.size());
  for (const OrderedRow &R : Rows)
    Result.append(R);
  return Result;
}
