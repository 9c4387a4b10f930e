// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DWARF 4 for a LineTable. Instrumented kernels have some rows for each
// insertion point, so rows go straight to bytes.
#include "codeobject/ElfTables.h"
#include "codeobject/LineTable.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/LEB128.h"
#include <iterator>

using namespace llvm;
using namespace luthier;

namespace {

/// Appends to a section's contents.
class SectionWriter {
public:
  explicit SectionWriter(SmallVectorImpl<uint8_t> &Out) : Out(Out) {}

  void byte(uint8_t Value) { Out.push_back(Value); }
  void half(uint16_t Value) { fixed<support::ulittle16_t>(Value); }
  void word(uint32_t Value) { fixed<support::ulittle32_t>(Value); }
  void doubleWord(uint64_t Value) { fixed<support::ulittle64_t>(Value); }
  void unsignedLEB(uint64_t Value) {
    uint8_t Bytes[MostLEBBytes];
    Out.append(Bytes, Bytes + encodeULEB128(Value, Bytes));
  }
  void bytes(ArrayRef<uint8_t> Bytes) {
    Out.append(Bytes.begin(), Bytes.end());
  }
  void text(StringRef Text) {
    Out.append(Text.bytes_begin(), Text.bytes_end());
    byte(0);
  }
  uint64_t size() const { return Out.size(); }

  /// A length that counts what follows it. \returns where it is.
  uint64_t beginLength() {
    word(0);
    return size();
  }
  void endLength(uint64_t Begin) {
    support::endian::write32le(&Out[Begin - 4], size() - Begin);
  }

  static constexpr unsigned MostLEBBytes = 10;

private:
  template <typename Little, typename Integer> void fixed(Integer Value) {
    append(Out, Little(Value));
  }

  SmallVectorImpl<uint8_t> &Out;
};

constexpr uint16_t Version = 4;
constexpr uint8_t AddressBytes = 8;

struct UnitAttribute {
  dwarf::Attribute Name;
  dwarf::Form Form;
};
/// Of a compilation unit, in the order in which writeInfo() has them.
constexpr UnitAttribute UnitAttributes[] = {
    {dwarf::DW_AT_low_pc, dwarf::DW_FORM_addr},
    {dwarf::DW_AT_high_pc, dwarf::DW_FORM_data8},
    {dwarf::DW_AT_stmt_list, dwarf::DW_FORM_sec_offset},
    {dwarf::DW_AT_name, dwarf::DW_FORM_string},
    {dwarf::DW_AT_producer, dwarf::DW_FORM_string}};
constexpr uint8_t UnitCode = 1;

void writeAbbrev(DebugSections &Sections) {
  SectionWriter Abbrev(Sections.Abbrev);
  Abbrev.unsignedLEB(UnitCode);
  Abbrev.unsignedLEB(dwarf::DW_TAG_compile_unit);
  Abbrev.byte(dwarf::DW_CHILDREN_no);
  for (const UnitAttribute &A : UnitAttributes) {
    Abbrev.unsignedLEB(A.Name);
    Abbrev.unsignedLEB(A.Form);
  }
  Abbrev.unsignedLEB(0);
  Abbrev.unsignedLEB(0);
  Abbrev.unsignedLEB(0); // No further abbreviations.
}

void writeInfo(DebugSections &Sections, StringRef UnitName, uint64_t Size) {
  SectionWriter Info(Sections.Info);
  const uint64_t Begin = Info.beginLength();
  Info.half(Version);
  Sections.AbbrevInInfo = Info.size();
  Info.word(0);
  Info.byte(AddressBytes);
  Info.unsignedLEB(UnitCode);
  Sections.AddressInInfo = Info.size();
  Info.doubleWord(0);
  Info.doubleWord(Size);
  Sections.LineInInfo = Info.size();
  Info.word(0);
  Info.text(UnitName);
  Info.text("Luthier");
  Info.endLength(Begin);
}

void writeLineHeader(SectionWriter &Line, const LineTable &Lines) {
  // How many operands each standard operation has, from DW_LNS_copy on.
  constexpr uint8_t Operands[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
  const uint64_t Begin = Line.beginLength();
  Line.byte(1); // Bytes of the shortest instruction: addresses count bytes.
  Line.byte(1); // Operations in an instruction.
  Line.byte(1); // Rows are statements.
  // Line base and range of the special operations, which are not used.
  Line.byte(0);
  Line.byte(1);
  Line.byte(std::size(Operands) + 1);
  for (uint8_t Number : Operands)
    Line.byte(Number);
  Line.byte(0); // No directories.
  for (const std::string &Path : Lines.files()) {
    Line.text(Path);
    Line.unsignedLEB(0); // Directory, time and size are not known.
    Line.unsignedLEB(0);
    Line.unsignedLEB(0);
  }
  Line.byte(0);
  Line.endLength(Begin);
}

/// The state of the machine that runs the program, and the operations that
/// change it.
class RowWriter {
public:
  explicit RowWriter(SectionWriter &Line) : Line(Line) { Last.Line = 1; }

  void add(const LineTable::Row &R) {
    advanceTo(R.Address);
    if (R.File != Last.File)
      operation(dwarf::DW_LNS_set_file, R.File + 1);
    if (R.Column != Last.Column)
      operation(dwarf::DW_LNS_set_column, R.Column);
    if (R.Line != Last.Line) {
      *Next++ = dwarf::DW_LNS_advance_line;
      Next += encodeSLEB128(
          static_cast<int64_t>(R.Line) - static_cast<int64_t>(Last.Line), Next);
    }
    *Next++ = dwarf::DW_LNS_copy;
    write();
    Last = R;
  }
  void finishAt(uint64_t Address) {
    advanceTo(Address);
    write();
  }

private:
  void operation(dwarf::LineNumberOps Op, uint64_t Operand) {
    *Next++ = Op;
    Next += encodeULEB128(Operand, Next);
  }
  void advanceTo(uint64_t Address) {
    if (Address != Last.Address)
      operation(dwarf::DW_LNS_advance_pc, Address - Last.Address);
  }
  void write() {
    Line.bytes({Bytes, Next});
    Next = Bytes;
  }

  SectionWriter &Line;
  LineTable::Row Last;
  /// Of one row: up to four operations with an operand, and one without.
  uint8_t Bytes[4 * (1 + SectionWriter::MostLEBBytes) + 1];
  uint8_t *Next = Bytes;
};

void writeExtended(SectionWriter &Line, dwarf::LineNumberExtendedOps Op,
                   unsigned OperandBytes) {
  Line.byte(dwarf::DW_LNS_extended_op);
  Line.unsignedLEB(1 + OperandBytes);
  Line.byte(Op);
}

void writeLine(DebugSections &Sections, const LineTable &Lines, uint64_t Size) {
  SectionWriter Line(Sections.Line);
  const uint64_t Begin = Line.beginLength();
  Line.half(Version);
  writeLineHeader(Line, Lines);
  writeExtended(Line, dwarf::DW_LNE_set_address, AddressBytes);
  Sections.AddressInLine = Line.size();
  Line.doubleWord(0);
  RowWriter Rows(Line);
  // Readers look for the code's first byte.
  if (!Lines.empty() && Lines.rows().front().Address)
    Rows.add(LineTable::Row());
  for (const LineTable::Row &R : Lines.rows())
    Rows.add(R);
  Rows.finishAt(Size);
  writeExtended(Line, dwarf::DW_LNE_end_sequence, 0);
  Line.endLength(Begin);
}

} // namespace

DebugSections luthier::encodeLineTable(const LineTable &Lines,
                                       StringRef UnitName, uint64_t Size) {
  DebugSections Result;
  writeAbbrev(Result);
  writeInfo(Result, UnitName, Size);
  writeLine(Result, Lines, Size);
  return Result;
}

void luthier::appendLineTable(DebugSections &All, const LineTable &Lines,
                              StringRef UnitName, uint64_t Address,
                              uint64_t Size) {
  DebugSections Unit = encodeLineTable(Lines, UnitName, Size);
  using namespace support::endian;
  write64le(&Unit.Line[Unit.AddressInLine], Address);
  write64le(&Unit.Info[Unit.AddressInInfo], Address);
  write32le(&Unit.Info[Unit.LineInInfo], All.Line.size());
  write32le(&Unit.Info[Unit.AbbrevInInfo], All.Abbrev.size());
  All.Line.append(Unit.Line);
  All.Info.append(Unit.Info);
  All.Abbrev.append(Unit.Abbrev);
}
