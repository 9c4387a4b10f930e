// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/Disassembler.h"
#include "emulator/exec/LiteralGuard.h"
#include "emulator/exec/ShortCode.h"
#include "emulator/exec/UnusedFields.h"
#include "llvm-c/Target.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <optional>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}

namespace luthier::emulator {

static std::string featuresOf(const Target &T, unsigned WaveSize) {
  std::string Features;
  if (T.HasWave32)
    Features = WaveSize == 32 ? "+wavefrontsize32,-wavefrontsize64"
                              : "-wavefrontsize32,+wavefrontsize64";
  if (T.HasTrue16)
    Features += ",+real-true16";
  return Features;
}

std::unique_ptr<Disassembler>
Disassembler::create(const Target &T, unsigned WaveSize, std::string &Error) {
  static std::once_flag Once;
  std::call_once(Once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
  std::unique_ptr<Disassembler> D(new Disassembler(T));
  const llvm::Target *Llvm = llvm::TargetRegistry::lookupTarget(D->TT, Error);
  if (!Llvm)
    return nullptr;
  const std::string Processor(T.Name);
  D->Registers.reset(Llvm->createMCRegInfo(D->TT));
  D->Assembly.reset(Llvm->createMCAsmInfo(*D->Registers, D->TT, D->Options));
  D->Instructions.reset(Llvm->createMCInstrInfo());
  D->Subtarget.reset(
      Llvm->createMCSubtargetInfo(D->TT, Processor, featuresOf(T, WaveSize)));
  if (!D->Subtarget || !D->Subtarget->isCPUStringValid(Processor)) {
    Error = "unknown processor " + Processor;
    return nullptr;
  }
  D->Context = std::make_unique<llvm::MCContext>(
      D->TT, D->Assembly.get(), D->Registers.get(), D->Subtarget.get());
  D->Llvm.reset(Llvm->createMCDisassembler(*D->Subtarget, *D->Context));
  D->Printer.reset(Llvm->createMCInstPrinter(D->TT, 0, *D->Assembly,
                                             *D->Instructions, *D->Registers));
  return D;
}

/// LLVM decodes constants in fields that only hold registers.
bool Disassembler::hasImpossibleConstant(const llvm::MCInst &MI) const {
  const llvm::MCInstrDesc &Desc = Instructions->get(MI.getOpcode());
  const unsigned Count =
      std::min<unsigned>(MI.getNumOperands(), Desc.getNumOperands());
  for (unsigned N = 0; N != Count; ++N)
    if (MI.getOperand(N).isImm() &&
        Desc.operands()[N].OperandType == llvm::MCOI::OPERAND_REGISTER)
      return true;
  return false;
}

uint64_t Disassembler::readPadded(std::span<uint8_t> Padded,
                                  llvm::MCInst &MI) const {
  using llvm::MCDisassembler;
  if (hasMisplacedLiteral(Padded, T))
    return 0;
  const bool IsDisguised = hasMistakenConstant(Padded, T);
  constexpr uint32_t Disguised = MistakenConstant | 1u << 16;
  if (IsDisguised)
    std::memcpy(&Padded[4], &Disguised, sizeof(Disguised));
  auto Decoded = MCDisassembler::Fail;
  uint64_t Size = 0;
  uint32_t First;
  std::memcpy(&First, Padded.data(), sizeof(First));
  const llvm::ArrayRef<uint8_t> Code(Padded.data(), Padded.size());
  if (mayEndHere(First))
    Decoded = Llvm->getInstruction(MI, Size, Code.take_front(sizeof(First)), 0,
                                   llvm::nulls());
  if (Decoded == MCDisassembler::Fail)
    Decoded = Llvm->getInstruction(MI, Size, Code, 0, llvm::nulls());
  // A soft failure is valid code that no assembler would write.
  if (Decoded == MCDisassembler::Fail || Size % 4 != 0 ||
      hasImpossibleConstant(MI))
    return 0;
  if (IsDisguised)
    for (llvm::MCOperand &Op : MI)
      if (Op.isImm() && Op.getImm() == Disguised)
        Op.setImm(MistakenConstant);
  return Size;
}

uint64_t Disassembler::read(std::span<const uint8_t> Code,
                            llvm::MCInst &MI) const {
  // LLVM expects to find a literal that the code announces.
  using Buffer = std::array<uint8_t, 4 * MaxDwords>;
  Buffer Padded = {};
  if (!Code.empty())
    std::memcpy(Padded.data(), Code.data(),
                std::min(Code.size(), Padded.size()));
  Buffer Copy = Padded;
  uint64_t Size = readPadded(Copy, MI);
  auto OpcodeOf =
      [this](std::span<const uint8_t> Bytes) -> std::optional<unsigned> {
    Buffer Try;
    std::ranges::copy(Bytes, Try.begin());
    llvm::MCInst Read;
    if (!readPadded(Try, Read))
      return std::nullopt;
    return Read.getOpcode();
  };
  if (!Size && clearUnusedFields(Padded, T.Generation, OpcodeOf)) {
    MI = llvm::MCInst();
    Size = readPadded(Padded, MI);
  }
  return Size > Code.size() ? 0 : Size;
}

std::string Disassembler::print(std::span<const uint8_t> Code,
                                uint64_t PC) const {
  llvm::MCInst MI;
  if (!read(Code, MI)) {
    uint32_t Word = 0;
    std::memcpy(&Word, Code.data(), std::min(sizeof(Word), Code.size()));
    return ".long 0x" + llvm::utohexstr(Word, /*LowerCase=*/true);
  }
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  Printer->printInst(&MI, PC, "", *Subtarget, OS);
  for (char &C : Text)
    if (C == '\t' || C == '\n')
      C = ' ';
  size_t Start = Text.find_first_not_of(' ');
  return Start == std::string::npos ? Text : Text.substr(Start);
}

std::string Disassembler::mnemonicOf(const llvm::MCInst &MI) const {
  return Printer->getMnemonic(MI).first;
}

} // namespace luthier::emulator
