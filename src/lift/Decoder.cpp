// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lift/Decoder.h"
#include "codeobject/CodeObject.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCExpr.h"
#include <array>

using namespace llvm;

namespace luthier {

/// The longest encoding: two dwords, or one and a literal, or an image
/// instruction with three further dwords of addresses.
static constexpr uint64_t LongestInstruction = 20;

/// LLVM tells needless literals from inline constants by wrapping them in an
/// expression, which lives no longer than its context.
static void unwrapLiterals(DecodedInstruction &D) {
  for (MCOperand &Op : D.Inst)
    if (int64_t Value; Op.isExpr() && Op.getExpr()->evaluateAsAbsolute(Value)) {
      Op = MCOperand::createImm(Value);
      D.HasNeedlessLiteral = true;
    }
}

Decoder::Decoder(const amdgpu::MCTarget &Target)
    : Context(Target.triple(), &Target.asmInfo(), &Target.registers(),
              &Target.subtarget()),
      Disassembler(
          Target.target().createMCDisassembler(Target.subtarget(), Context)) {}

Expected<DecodedInstruction> Decoder::first(ArrayRef<uint8_t> Code,
                                            uint64_t Address) {
  DecodedInstruction D;
  uint64_t Size = 0;
  // LLVM crashes where a literal is cut off by the end of the code.
  std::array<uint8_t, LongestInstruction> Padded{};
  ArrayRef<uint8_t> Whole = Code;
  if (Code.size() < Padded.size()) {
    copy(Code, Padded.begin());
    Whole = Padded;
  }
  MCDisassembler::DecodeStatus Status =
      Disassembler->getInstruction(D.Inst, Size, Whole, Address, nulls());
  if (Status == MCDisassembler::Fail || Size == 0 || Size > Code.size())
    return refuse(RefusalReason::UndecodableInstruction,
                  "at 0x" + utohexstr(Address) + ": " +
                      toHex(Code.take_front(8)));
  unwrapLiterals(D);
  D.Address = Address;
  D.Size = Size;
  return D;
}

Expected<DecodedInstruction> Decoder::at(const CodeObject &Object,
                                         uint64_t Address) {
  std::optional<ArrayRef<uint8_t>> Code = Object.code(Address);
  if (!Code || Address % 4)
    return refuse(RefusalReason::UndecodableInstruction,
                  "at 0x" + utohexstr(Address) + ": there is no code");
  return first(Code->take_front(LongestInstruction), Address);
}

Expected<std::vector<DecodedInstruction>> decode(const amdgpu::MCTarget &Target,
                                                 ArrayRef<uint8_t> Code,
                                                 uint64_t Address) {
  Decoder Decode(Target);
  std::vector<DecodedInstruction> Result;
  Result.reserve(Code.size() / 6);
  for (uint64_t Offset = 0; Offset < Code.size();) {
    Expected<DecodedInstruction> D =
        Decode.first(Code.drop_front(Offset), Address + Offset);
    if (!D)
      return D.takeError();
    Offset += D->Size;
    Result.push_back(std::move(*D));
  }
  return Result;
}

} // namespace luthier
