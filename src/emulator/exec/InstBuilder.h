// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates one MCInst to an Inst.
#ifndef LUTHIER_EMULATOR_EXEC_INSTBUILDER_H
#define LUTHIER_EMULATOR_EXEC_INSTBUILDER_H

#include "emulator/core/Target.h"
#include "emulator/exec/OperandNames.h"
#include "emulator/isa/Operation.h"
#include "emulator/isa/OperationFacts.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include <initializer_list>
#include <optional>

namespace luthier::emulator {

class InstBuilder {
public:
  InstBuilder(const llvm::MCInstrInfo &Instructions,
              const llvm::MCRegisterInfo &Registers, const Target &T,
              const llvm::MCInst &MI, const Operation &Op,
              const OperationFacts &Facts, Inst &I)
      : Instructions(Instructions), Registers(Registers), T(T), MI(MI), Op(Op),
        Facts(Facts), I(I) {}

  /// False when the operands make no sense for this device.
  bool build();
  /// The same for operation \p Part of a VOPD instruction, whose sources begin
  /// with operand \p Next.
  bool buildDualPart(unsigned Part, unsigned &Next);

private:
  std::optional<int64_t> immediate(OperandName Name) const;
  const llvm::MCOperand *operand(OperandName Name) const;
  /// First of \p Names that the encoding has.
  const llvm::MCOperand *
  operand(std::initializer_list<OperandName> Names) const;
  bool has(OperandName Name) const { return namedOperand(opcode(), Name) >= 0; }
  unsigned opcode() const { return MI.getOpcode(); }

  void buildScalar();
  void buildScalarUnary(const llvm::MCInstrDesc &Desc);
  void buildScalarMemory();
  void buildVector(uint64_t Flags);
  void buildMatrix();
  void buildModifiers(uint64_t Flags);
  void buildLds();
  void buildLdsDirect();
  void buildFlat(uint64_t Flags);
  void setCachePolicy();
  void buildBuffer();
  void setOperand(Operand &To, const llvm::MCOperand *From, ValueType Type);
  void setRegister(Operand &To, unsigned Reg);
  void setScalarRegister(Operand &To, unsigned First, unsigned Last);
  void redirectNullResults();
  bool writesExec() const;
  bool hasDppControl() const;
  bool canReadLdsDirect(const Operand &To) const;
  void setScalarMasks();
  void noteFloatMode();
  void noteNeeds();

  const llvm::MCInstrInfo &Instructions;
  const llvm::MCRegisterInfo &Registers;
  const Target &T;
  const llvm::MCInst &MI;
  const Operation &Op;
  const OperationFacts &Facts;
  Inst &I;
  unsigned NumVgprs = 0, NumAgprs = 0, NumSgprs = 0;
  bool Valid = true;
};

/// What the loop needs to know of \p Dual as a whole.
void joinDual(DualInst &Dual, Inst &I);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_INSTBUILDER_H
