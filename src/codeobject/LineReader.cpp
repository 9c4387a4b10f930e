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

using Row = LineTable::Row;

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
  void read(LineTable &Files, std::vector<Row> &Rows) {
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
    // Few operations make a row alone.
    Rows.reserve(Rows.size() + (End - *Offset) / 3);
    runLineProgram(arrayRefFromStringRef(Data.getData().slice(*Offset, End)),
                   Prologue,
                   [&](ArrayRef<LineProgramRow> Sequence, uint64_t High) {
                     if (isCode(File, Sequence.front().Address))
                       add(Sequence, High, Files, Rows);
                   });
  }

private:
  void add(ArrayRef<LineProgramRow> Sequence, uint64_t High, LineTable &Files,
           std::vector<Row> &Rows) {
    for (auto [I, Given] : enumerate(Sequence)) {
      const uint64_t Next =
          I + 1 < Sequence.size() ? Sequence[I + 1].Address : High;
      if (Next <= Given.Address)
        continue;
      Row New{Given.Address, 0, 0, 0};
      if (auto Source = Given.Line ? fileOf(Given.File, Files) : std::nullopt) {
        New.File = *Source;
        New.Line = Given.Line;
        New.Column = Given.Column;
      }
      Rows.push_back(New);
    }
    Rows.push_back({High, 0, 0, 0});
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

/// Where one sequence ends another may begin, which counts; of several rows for
/// one address it is the last, in the order of the programs. In what compilers
/// write for one source they are in this order already.
static void sortRows(std::vector<Row> &Rows) {
  auto placeOf = [](const Row &R) {
    return std::tuple(R.Address, R.Line != 0);
  };
  if (is_sorted(Rows, [&](const Row &A, const Row &B) {
        return placeOf(A) < placeOf(B);
      }))
    return;
  std::vector<const Row *> Order;
  Order.reserve(Rows.size());
  for (const Row &R : Rows)
    Order.push_back(&R);
  sort(Order, [&](const Row *A, const Row *B) {
    return std::tuple(placeOf(*A), A) < std::tuple(placeOf(*B), B);
  });
  std::vector<Row> Sorted;
  Sorted.reserve(Rows.size());
  for (const Row *R : Order)
    Sorted.push_back(*R);
  Rows = std::move(Sorted);
}

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
  std::vector<Row> Rows;
  for (const std::unique_ptr<DWARFUnit> &Unit : Context->compile_units())
    UnitReader(**File, *Context, *Unit).read(Result, Rows);
  sortRows(Rows);
  Result.take(std::move(Rows));
  return Result;
}
