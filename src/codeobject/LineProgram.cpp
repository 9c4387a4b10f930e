// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/LineProgram.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/LEB128.h"
#include <algorithm>

using namespace llvm;
using namespace luthier;

namespace {

/// What is left of a program. Behind its end there are zeros.
class Operations {
public:
  explicit Operations(ArrayRef<uint8_t> Code)
      : Next(Code.begin()), End(Code.end()) {}

  bool atEnd() const { return Next == End; }
  size_t size() const { return End - Next; }
  const uint8_t *position() const { return Next; }
  uint8_t byte() { return atEnd() ? 0 : *Next++; }
  uint64_t unsignedLEB() {
    return !atEnd() && *Next < 0x80 ? *Next++ : leb(decodeULEB128);
  }
  int64_t signedLEB() {
    return !atEnd() && *Next < 0x40 ? *Next++ : leb(decodeSLEB128);
  }
  /// Little-endian.
  uint64_t fixed(unsigned Bytes) {
    uint64_t Value = 0;
    for (unsigned I = 0; I < Bytes; ++I)
      Value |= uint64_t(byte()) << 8 * I;
    return Value;
  }
  Operations take(uint64_t Bytes) {
    const uint8_t *Begin = Next;
    Next += std::min<uint64_t>(Bytes, End - Next);
    return Operations({Begin, Next});
  }

private:
  /// Most have one byte and are not negative, so that they do not come here.
  template <typename Value>
  Value leb(Value (*Decode)(const uint8_t *, unsigned *, const uint8_t *,
                            const char **)) {
    unsigned Size = 0;
    const char *Error = nullptr;
    const Value Result = Decode(Next, &Size, End, &Error);
    Next = Error ? End : Next + Size;
    return Error ? 0 : Result;
  }

  const uint8_t *Next, *End;
};

/// Says addRow(Row) and endSequence(End, what is behind) to a \p Listener.
template <typename Listener> class Machine {
public:
  Machine(const DWARFDebugLine::Prologue &Prologue, Listener &To)
      : Prologue(Prologue), To(To) {}

  void run(Operations Code) {
    while (!Code.atEnd()) {
      const uint8_t Opcode = Code.byte();
      if (Opcode >= Prologue.OpcodeBase)
        runSpecial(Opcode);
      else if (Opcode == dwarf::DW_LNS_extended_op)
        runExtended(Code);
      else
        runStandard(Opcode, Code);
    }
  }

private:
  void advance(uint64_t Operations) {
    State.Address += Operations * Prologue.MinInstLength;
  }
  /// What a special opcode does to the address.
  void advanceAs(uint8_t Opcode) {
    if (Prologue.LineRange)
      advance((Opcode - Prologue.OpcodeBase) / Prologue.LineRange);
  }
  void runSpecial(uint8_t Opcode) {
    advanceAs(Opcode);
    State.Line += Prologue.LineBase;
    if (Prologue.LineRange)
      State.Line += (Opcode - Prologue.OpcodeBase) % Prologue.LineRange;
    addRow();
  }
  void runExtended(Operations &Rest) {
    Operations Code = Rest.take(Rest.unsignedLEB());
    switch (Code.byte()) {
    case dwarf::DW_LNE_end_sequence:
      To.endSequence(State.Address, Rest.position());
      State = {};
      break;
    case dwarf::DW_LNE_set_address:
      // Up to DWARF 4, a prologue does not say how long addresses are.
      State.Address = Code.fixed(std::min<uint64_t>(Code.size(), 8));
      break;
    default:
      break;
    }
  }
  void runStandard(uint8_t Opcode, Operations &Code) {
    switch (Opcode) {
    case dwarf::DW_LNS_copy:
      addRow();
      break;
    case dwarf::DW_LNS_advance_pc:
      advance(Code.unsignedLEB());
      break;
    case dwarf::DW_LNS_advance_line:
      State.Line += Code.signedLEB();
      break;
    case dwarf::DW_LNS_set_file:
      State.File = Code.unsignedLEB();
      break;
    case dwarf::DW_LNS_set_column:
      State.Column = Code.unsignedLEB();
      break;
    case dwarf::DW_LNS_const_add_pc:
      advanceAs(UINT8_MAX);
      break;
    case dwarf::DW_LNS_fixed_advance_pc:
      State.Address += Code.fixed(sizeof(uint16_t));
      break;
    default:
      for (unsigned I = Prologue.StandardOpcodeLengths[Opcode - 1]; I; --I)
        Code.unsignedLEB();
    }
  }

  void addRow() { To.addRow(State); }

  const DWARFDebugLine::Prologue &Prologue;
  Listener &To;
  LineProgramRow State;
};

struct SequenceFinder {
  const uint8_t *Begin; ///< Of the next one.
  std::vector<LineSequence> Found = {};
  LineSequence Now = {};
  bool HasRows = false;

  void addRow(const LineProgramRow &Row) {
    if (!HasRows)
      Now.First = Now.Low = Now.High = Row.Address;
    HasRows = true;
    Now.Low = std::min(Now.Low, Row.Address);
    Now.High = std::max(Now.High, Row.Address);
  }
  void endSequence(uint64_t End, const uint8_t *Behind) {
    if (HasRows && Now.First < End) {
      Now.End = End;
      Now.High = std::max(Now.High, End);
      Now.Code = {Begin, Behind};
      Found.push_back(Now);
    }
    HasRows = false;
    Begin = Behind;
  }
};

struct RowCollector {
  std::vector<LineProgramRow> Rows;

  void addRow(const LineProgramRow &Row) { Rows.push_back(Row); }
  void endSequence(uint64_t, const uint8_t *) {}
};

} // namespace

std::vector<LineSequence>
luthier::findSequences(ArrayRef<uint8_t> Program,
                       const DWARFDebugLine::Prologue &Prologue) {
  SequenceFinder Finder{Program.begin()};
  Machine(Prologue, Finder).run(Operations(Program));
  return std::move(Finder.Found);
}

std::vector<LineProgramRow>
luthier::rowsOf(const LineSequence &Sequence,
                const DWARFDebugLine::Prologue &Prologue) {
  RowCollector Collector;
  // Few operations make a row alone.
  Collector.Rows.reserve(Sequence.Code.size() / 3);
  Machine(Prologue, Collector).run(Operations(Sequence.Code));
  return std::move(Collector.Rows);
}
