// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/InstInfo.h"
#include "SIDefines.h"
#include "emulator/core/Wave.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrDesc.h"
#include "llvm/MC/MCRegisterInfo.h"
#include <algorithm>
#include <optional>

namespace luthier::emulator {

/// Nothing for registers without state: apertures, VCCZ and the like, which
/// follow from other registers.
static std::optional<RegisterRange>
rangeOf(const Target &T, unsigned Reg, const llvm::MCRegisterInfo &Registers) {
  namespace hw = llvm::AMDGPU::HWEncoding;
  constexpr unsigned FirstConstant = 128;
  unsigned Encoding = Registers.getEncodingValue(Reg);
  unsigned First = Encoding & hw::REG_IDX_MASK, Last = First;
  for (llvm::MCPhysReg Sub : Registers.subregs(Reg))
    Last = std::max<unsigned>(Last, Registers.getEncodingValue(Sub) &
                                        hw::REG_IDX_MASK);
  auto Count = uint8_t(Last - First + 1);
  if (Encoding & hw::IS_AGPR)
    return RegisterRange{RegisterFile::Vector, uint16_t(NumArchVgprs + First),
                         Count};
  if (Encoding & hw::IS_VGPR)
    return RegisterRange{RegisterFile::Vector, uint16_t(First), Count};
  First = T.scalarIndex(First);
  if (First >= FirstConstant && First != sreg::Scc)
    return std::nullopt;
  return RegisterRange{RegisterFile::Scalar, uint16_t(First), Count};
}

/// Descriptions name registers that are encoded differently on each target by
/// stand-ins, which have no encoding of their own; neither has MODE.
static std::optional<RegisterRange> implicitRange(const Target &T,
                                                  llvm::StringRef Name) {
  if (Name == "M0")
    return RegisterRange{RegisterFile::Scalar, sreg::M0, 1};
  if (Name == "SCC")
    return RegisterRange{RegisterFile::Scalar, sreg::Scc, 1};
  if (Name == "FLAT_SCR")
    return RegisterRange{RegisterFile::Scalar, uint16_t(T.FlatScratch), 2};
  return std::nullopt;
}

std::unique_ptr<InstInfo> describe(const Target &T, const llvm::MCInst &MI,
                                   const llvm::MCInstrDesc &Desc,
                                   const llvm::MCRegisterInfo &Registers,
                                   std::string Mnemonic,
                                   const OperationFacts &Operation) {
  auto Info = std::make_unique<InstInfo>();
  Info->Mnemonic = std::move(Mnemonic);
  Info->Operation = &Operation;
  Info->Opcode = MI.getOpcode();
  Info->Flags = Desc.TSFlags;
  Info->MayLoad = Desc.mayLoad();
  Info->MayStore = Desc.mayStore();
  Info->IsBranch = Desc.isBranch() || Desc.isCall() || Desc.isReturn();
  llvm::SmallVector<RegisterRange, 8> Reads, Writes;
  auto Add = [&](llvm::SmallVectorImpl<RegisterRange> &To, unsigned Reg) {
    if (Reg == 0)
      return;
    if (auto Range = rangeOf(T, Reg, Registers))
      To.push_back(*Range);
  };
  for (unsigned N = 0; N != MI.getNumOperands(); ++N) {
    // The disassembler leaves some tied operands unset.
    int Tied = N < Desc.getNumOperands()
                   ? Desc.getOperandConstraint(N, llvm::MCOI::TIED_TO)
                   : -1;
    const llvm::MCOperand &O = MI.getOperand(Tied >= 0 ? unsigned(Tied) : N);
    if (!O.isReg())
      continue;
    Add(N < Desc.getNumDefs() ? Writes : Reads, O.getReg());
    if (Registers.getName(O.getReg()) == llvm::StringRef("LDS_DIRECT")) {
      Info->ReadsLdsDirect = true;
      Reads.push_back({RegisterFile::Scalar, sreg::M0, 1});
    }
  }
  auto AddImplicit = [&](llvm::SmallVectorImpl<RegisterRange> &To,
                         unsigned Reg) {
    if (auto Range = implicitRange(T, Registers.getName(Reg)))
      To.push_back(*Range);
    else if (Registers.getEncodingValue(Reg) &
             llvm::AMDGPU::HWEncoding::REG_IDX_MASK)
      Add(To, Reg);
  };
  for (llvm::MCPhysReg Reg : Desc.implicit_uses()) {
    AddImplicit(Reads, Reg);
    Info->ReadsVccAsMask |=
        ((Desc.TSFlags & llvm::SIInstrFlags::VALU) || Info->IsBranch) &&
        Registers.getName(Reg) == llvm::StringRef("VCC");
  }
  for (llvm::MCPhysReg Reg : Desc.implicit_defs())
    AddImplicit(Writes, Reg);
  Info->Reads.assign(Reads.begin(), Reads.end());
  Info->Writes.assign(Writes.begin(), Writes.end());
  return Info;
}

} // namespace luthier::emulator
