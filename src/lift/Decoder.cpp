// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lift/Decoder.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCExpr.h"

using namespace llvm;

namespace luthier {

/// LLVM tells needless literals from inline constants by wrapping them in an
/// expression, which lives no longer than its context.
static void unwrapLiterals(DecodedInstruction &D) {
  for (MCOperand &Op : D.Inst)
    if (int64_t Value; Op.isExpr() && Op.getExpr()->evaluateAsAbsolute(Value)) {
      Op = MCOperand::createImm(Value);
      D.HasNeedlessLiteral = true;
    }
}

Expected<std::vector<DecodedInstruction>> decode(const amdgpu::MCTarget &Target,
                                                 ArrayRef<uint8_t> Code,
                                                 uint64_t Address) {
  MCContext Context(Target.triple(), &Target.asmInfo(), &Target.registers(),
                    &Target.subtarget());
  std::unique_ptr<MCDisassembler> Disassembler(
      Target.target().createMCDisassembler(Target.subtarget(), Context));
  std::vector<DecodedInstruction> Result;
  Result.reserve(Code.size() / 6);
  for (uint64_t Offset = 0; Offset < Code.size();) {
    DecodedInstruction &D = Result.emplace_back();
    uint64_t Size = 0;
    MCDisassembler::DecodeStatus Status = Disassembler->getInstruction(
        D.Inst, Size, Code.drop_front(Offset), Address + Offset, nulls());
    if (Status == MCDisassembler::Fail || Size == 0)
      return refuse(RefusalReason::UndecodableInstruction,
                    "at 0x" + utohexstr(Address + Offset) + ": " +
                        toHex(Code.drop_front(Offset).take_front(8)));
    unwrapLiterals(D);
    D.Address = Address + Offset;
    D.Size = Size;
    Offset += Size;
  }
  return Result;
}

} // namespace luthier
