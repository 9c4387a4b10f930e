// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/LineProgram.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/LEB128.h"
#include <vector>

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
  uint8_t byte() { return atEnd() ? 0 : *Next++; }
  uint64_t unsignedLEB() { return leb(decodeULEB128); }
  int64_t signedLEB() { return leb(decodeSLEB128); }
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
  template <typename Value>
  Value leb(Value (*Decode)(const uint8_t *, unsigned *, const uint8_t *,
                            const char **)) {
    // Most have one byte.
    unsigned Size = 0;
    const char *Error = nullptr;
    const Value Result = Decode(Next, &Size, End, &Error);
    Next = Error ? End : Next + Size;
    return Error ? 0 : Result;
  }

  const uint8_t *Next, *End;
};

class Machine {
public:
  Machine(const DWARFDebugLine::Prologue &Prologue, LineSequenceConsumer Each)
      : Prologue(Prologue), Each(Each) {}

  void run(Operations Code) {
    while (!Code.atEnd()) {
      const uint8_t Opcode = Code.byte();
      if (Opcode >= Prologue.OpcodeBase)
        runSpecial(Opcode);
      else if (Opcode == dwarf::DW_LNS_extended_op)
        runExtended(Code.take(Code.unsignedLEB()));
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
  void runExtended(Operations Code) {
    switch (Code.byte()) {
    case dwarf::DW_LNE_end_sequence:
      endSequence();
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

  void addRow() { Rows.push_back(State); }
  void endSequence() {
    if (!Rows.empty() && Rows.front().Address < State.Address)
      Each(Rows, State.Address);
    Rows.clear();
    State = {};
  }

  const DWARFDebugLine::Prologue &Prologue;
  const LineSequenceConsumer Each;
  LineProgramRow State;
  std::vector<LineProgramRow> Rows; ///< Of the sequence.
};

} // namespace

void luthier::runLineProgram(ArrayRef<uint8_t> Code,
                             const DWARFDebugLine::Prologue &Prologue,
                             LineSequenceConsumer Each) {
  Machine(Prologue, Each).run(Operations(Code));
}
