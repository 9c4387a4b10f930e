// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's disassembler for one target and wave size, guarded against code that
// it does not survive.
#ifndef LUTHIER_EMULATOR_EXEC_DISASSEMBLER_H
#define LUTHIER_EMULATOR_EXEC_DISASSEMBLER_H

#include "emulator/core/Target.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/TargetParser/Triple.h"
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace luthier::emulator {

/// Not thread-safe.
class Disassembler {
public:
  /// The longest instruction of any target.
  static constexpr unsigned MaxDwords = 5;

  /// Null, with a message, for a processor LLVM does not know.
  static std::unique_ptr<Disassembler>
  create(const Target &T, unsigned WaveSize, std::string &Error);

  /// Bytes of the instruction that \p Code begins with; 0 if there is none.
  /// Fields that it does not use may hold anything.
  uint64_t read(std::span<const uint8_t> Code, llvm::MCInst &MI) const;
  /// As assembly, for messages.
  std::string print(std::span<const uint8_t> Code, uint64_t PC) const;
  /// As assembly has it, with its encoding's suffix.
  std::string mnemonicOf(const llvm::MCInst &MI) const;

  const Target &target() const { return T; }
  const llvm::MCInstrInfo &instructions() const { return *Instructions; }
  const llvm::MCRegisterInfo &registers() const { return *Registers; }

private:
  explicit Disassembler(const Target &T) : T(T) {}
  /// Of MaxDwords dwords, which may be changed.
  uint64_t readPadded(std::span<uint8_t> Padded, llvm::MCInst &MI) const;
  bool hasImpossibleConstant(const llvm::MCInst &MI) const;

  const Target &T;
  llvm::Triple TT{"amdgcn-amd-amdhsa"};
  llvm::MCTargetOptions Options;
  std::unique_ptr<llvm::MCRegisterInfo> Registers;
  std::unique_ptr<llvm::MCAsmInfo> Assembly;
  std::unique_ptr<llvm::MCInstrInfo> Instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> Subtarget;
  std::unique_ptr<llvm::MCContext> Context;
  std::unique_ptr<llvm::MCDisassembler> Llvm;
  std::unique_ptr<llvm::MCInstPrinter> Printer;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_DISASSEMBLER_H
