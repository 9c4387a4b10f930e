// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/LineTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/ObjectYAML/DWARFEmitter.h"
#include "llvm/ObjectYAML/DWARFYAML.h"
#include "llvm/Support/Endian.h"
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

namespace {

/// The program that produces the rows of \p Lines.
std::vector<DWARFYAML::LineTableOpcode> lineProgram(const LineTable &Lines,
                                                    uint64_t Size) {
  std::vector<DWARFYAML::LineTableOpcode> Result;
  auto extended = [&](dwarf::LineNumberExtendedOps Op, uint64_t Length,
                      uint64_t Data) {
    DWARFYAML::LineTableOpcode New = {};
    New.Opcode = dwarf::DW_LNS_extended_op;
    New.ExtLen = Length;
    New.SubOpcode = Op;
    New.Data = Data;
    Result.push_back(New);
  };
  auto standard = [&](dwarf::LineNumberOps Op, uint64_t Data, int64_t SData) {
    DWARFYAML::LineTableOpcode New = {};
    New.Opcode = Op;
    New.Data = Data;
    New.SData = SData;
    Result.push_back(New);
  };
  extended(dwarf::DW_LNE_set_address, 9, 0);
  LineTable::Row Last;
  Last.Line = 1;
  // Readers look for the code's first byte.
  if (!Lines.empty() && Lines.rows().front().Address) {
    standard(dwarf::DW_LNS_advance_line, 0, -1);
    standard(dwarf::DW_LNS_copy, 0, 0);
    Last.Line = 0;
  }
  for (const LineTable::Row &R : Lines.rows()) {
    standard(dwarf::DW_LNS_advance_pc, R.Address - Last.Address, 0);
    standard(dwarf::DW_LNS_set_file, R.File + 1, 0);
    standard(dwarf::DW_LNS_set_column, R.Column, 0);
    standard(dwarf::DW_LNS_advance_line, 0,
             static_cast<int64_t>(R.Line) - static_cast<int64_t>(Last.Line));
    standard(dwarf::DW_LNS_copy, 0, 0);
    Last = R;
  }
  standard(dwarf::DW_LNS_advance_pc, Size - Last.Address, 0);
  extended(dwarf::DW_LNE_end_sequence, 1, 0);
  return Result;
}

DWARFYAML::AbbrevTable unitAbbreviation() {
  DWARFYAML::Abbrev Unit = {};
  Unit.Code = 1;
  Unit.Tag = dwarf::DW_TAG_compile_unit;
  Unit.Children = dwarf::DW_CHILDREN_no;
  for (auto [Attribute, Form] :
       {std::pair(dwarf::DW_AT_low_pc, dwarf::DW_FORM_addr),
        std::pair(dwarf::DW_AT_high_pc, dwarf::DW_FORM_data8),
        std::pair(dwarf::DW_AT_stmt_list, dwarf::DW_FORM_sec_offset),
        std::pair(dwarf::DW_AT_name, dwarf::DW_FORM_string),
        std::pair(dwarf::DW_AT_producer, dwarf::DW_FORM_string)})
    Unit.Attributes.push_back({Attribute, Form, 0});
  return {0, {Unit}};
}

DWARFYAML::Unit unitFor(StringRef Name, uint64_t Size) {
  DWARFYAML::Entry Entry;
  Entry.AbbrCode = 1;
  Entry.Values.resize(5);
  Entry.Values[1].Value = Size;
  Entry.Values[3].CStr = Name;
  Entry.Values[4].CStr = "Luthier";
  DWARFYAML::Unit Unit = {};
  Unit.Format = dwarf::DWARF32;
  Unit.Version = 4;
  Unit.AddrSize = 8;
  Unit.AbbrevTableID = 0;
  Unit.Entries.push_back(Entry);
  return Unit;
}

Error emit(Error (*Emitter)(raw_ostream &, const DWARFYAML::Data &),
           const DWARFYAML::Data &Data, SmallVectorImpl<uint8_t> &Out) {
  std::string Text;
  raw_string_ostream OS(Text);
  if (Error E = Emitter(OS, Data))
    return E;
  Out.assign(Text.begin(), Text.end());
  return Error::success();
}

} // namespace

Expected<DebugSections> luthier::encodeLineTable(const LineTable &Lines,
                                                 StringRef UnitName,
                                                 uint64_t Size) {
  DWARFYAML::LineTable Table = {};
  Table.Format = dwarf::DWARF32;
  Table.Version = 4;
  Table.MinInstLength = 1;
  Table.MaxOpsPerInst = 1;
  Table.DefaultIsStmt = 1;
  Table.LineBase = static_cast<uint8_t>(-5);
  Table.LineRange = 14;
  for (const std::string &Path : Lines.files())
    Table.Files.push_back({Path, 0, 0, 0});
  Table.Opcodes = lineProgram(Lines, Size);

  DWARFYAML::Data Data = {};
  Data.IsLittleEndian = true;
  Data.Is64BitAddrSize = true;
  Data.DebugAbbrev.push_back(unitAbbreviation());
  Data.Units.push_back(unitFor(UnitName, Size));
  Data.DebugLines.push_back(std::move(Table));

  DebugSections Result;
  if (Error E = emit(DWARFYAML::emitDebugAbbrev, Data, Result.Abbrev))
    return std::move(E);
  if (Error E = emit(DWARFYAML::emitDebugInfo, Data, Result.Info))
    return std::move(E);
  if (Error E = emit(DWARFYAML::emitDebugLine, Data, Result.Line))
    return std::move(E);
  // Length, version and the header's own length come first; the program begins
  // with set_address: an escape, a length, the operation, the address (DWARF 4,
  // 6.2.4 and 6.2.5.3).
  constexpr unsigned HeaderLengthAt = 6, SetAddressBytes = 3;
  Result.AddressInLine =
      HeaderLengthAt + 4 +
      support::endian::read32le(&Result.Line[HeaderLengthAt]) + SetAddressBytes;
  // Length, version, offset of abbreviations, size of addresses, and the
  // unit's abbreviation code (DWARF 4, 7.5.1.1); then the attributes, as in
  // unitAbbreviation().
  Result.AbbrevInInfo = 4 + 2;
  Result.AddressInInfo = Result.AbbrevInInfo + 4 + 1 + 1;
  Result.LineInInfo = Result.AddressInInfo + 8 + 8;
  return Result;
}

Error luthier::appendLineTable(DebugSections &All, const LineTable &Lines,
                               StringRef UnitName, uint64_t Address,
                               uint64_t Size) {
  Expected<DebugSections> Unit = encodeLineTable(Lines, UnitName, Size);
  if (!Unit)
    return Unit.takeError();
  using namespace support::endian;
  write64le(&Unit->Line[Unit->AddressInLine], Address);
  write64le(&Unit->Info[Unit->AddressInInfo], Address);
  write32le(&Unit->Info[Unit->LineInInfo], All.Line.size());
  write32le(&Unit->Info[Unit->AbbrevInInfo], All.Abbrev.size());
  All.Line.append(Unit->Line);
  All.Info.append(Unit->Info);
  All.Abbrev.append(Unit->Abbrev);
  return Error::success();
}
