// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/RowCheck.h"
#include "SIDefines.h"
#include "emulator/isa/OperationFacts.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/MC/MCInstrDesc.h"
#include "llvm/MC/MCRegisterInfo.h"

namespace luthier::emulator {

namespace flags = llvm::SIInstrFlags;

/// LLVM has a name for each register, whichever target has it where.
static bool names(llvm::ArrayRef<llvm::MCPhysReg> Registers,
                  const llvm::MCRegisterInfo &Info, llvm::StringRef Name) {
  return llvm::any_of(Registers, [&](llvm::MCPhysReg Reg) {
    return Info.getName(Reg) == Name;
  });
}

/// Not by DPP, nor because EXEC changes.
static bool readsOtherLanes(const llvm::MCInstrDesc &Desc,
                            const llvm::MCRegisterInfo &Registers) {
  return (Desc.TSFlags & flags::VALU) && !(Desc.TSFlags & flags::DPP) &&
         Desc.isConvergent() && !names(Desc.implicit_defs(), Registers, "EXEC");
}

std::string missingFacts(const OperationFacts &Facts,
                         const llvm::MCInstrDesc &Desc,
                         const llvm::MCRegisterInfo &Registers) {
  constexpr uint64_t Memory = flags::SMRD | flags::DS | flags::LDSDIR |
                              flags::MUBUF | flags::MTBUF | flags::FLAT;
  constexpr uint64_t Matrix = flags::IsMAI | flags::IsWMMA | flags::IsSWMMAC;
  const uint64_t Flags = Desc.TSFlags;
  const bool HasRow = !Facts.Name.empty();
  if (bool(Flags & Memory) != (Facts.Access != MemoryAccess::None))
    return "how it accesses memory";
  const bool IsMatrix = Facts.Matrix.Rows != 0;
  if (Flags & Matrix ? !IsMatrix && !Facts.has(trait::AccessesAgpr) : IsMatrix)
    return "the shape of its matrices";
  if ((Desc.isBranch() || Desc.isCall() || Desc.isReturn()) &&
      Facts.Flow == ControlFlow::Next)
    return "where control goes";
  if ((Flags & flags::SOPP) && !HasRow)
    return "what it does to the wave";
  // Among them are some that access hardware registers, wait, or change how
  // operands are addressed.
  if ((Flags & (flags::SOPK | flags::SOPC)) && !HasRow)
    return "whether it does more than compute";
  if ((Flags & flags::SOP1) && Desc.getNumDefs() == Desc.getNumOperands() &&
      Desc.implicit_uses().empty() && !HasRow)
    return "where its result comes from";
  if (readsOtherLanes(Desc, Registers) && !HasRow)
    return "which lanes it reads";
  if ((Flags & flags::VALU) && names(Desc.implicit_uses(), Registers, "VCC") &&
      !Facts.has(trait::ReadsMask))
    return "that it reads a lane mask";
  if (!(Flags & Memory) && names(Desc.implicit_uses(), Registers, "M0") &&
      !HasRow)
    return "what M0 is for";
  return "";
}

} // namespace luthier::emulator
