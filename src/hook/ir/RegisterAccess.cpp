// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/RegisterAccess.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/RegisterFiles.h"
#include "hook/ir/Placeholders.h"
#include "hook/ir/ScalarLowering.h"
#include "luthier/Refusal.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/MC/MCSubtargetInfo.h"

using namespace llvm;

namespace luthier {

static constexpr uint32_t HalfMask = 0xffff;

static std::string constraintOf(char File, unsigned Number) {
  return std::string("{") + File + std::to_string(Number) + "}";
}

/// Empty inline assembly bound to physical registers is how a value of the
/// application enters or leaves a payload: it emits nothing, and the code
/// generator moves nothing across it.
static Value *readPart(IRBuilderBase &B, const std::string &Constraint) {
  auto *FT = FunctionType::get(B.getInt32Ty(), false);
  return B.CreateCall(InlineAsm::get(FT, "", "=" + Constraint, true));
}

static void writePart(IRBuilderBase &B, const std::string &Constraint,
                      Value *Bits) {
  if (!isVectorConstraint(Constraint))
    Bits = requireScalar(B, Bits,
                         "what luthier::writeReg gives a scalar register");
  auto *FT = FunctionType::get(B.getVoidTy(), B.getInt32Ty(), false);
  B.CreateCall(InlineAsm::get(FT, "", Constraint, true), Bits);
}

static SmallVector<Value *, 4> readPair(IRBuilderBase &B, MCRegister Aperture) {
  Value *Both = readAperture(B, Aperture);
  return {B.CreateTrunc(Both, B.getInt32Ty()),
          B.CreateTrunc(B.CreateLShr(Both, 32), B.getInt32Ty())};
}

static unsigned bitsOf(Type *T) {
  return T->isPointerTy() ? 64 : unsigned(T->getPrimitiveSizeInBits());
}

/// Masks of lanes have 64 bits for hooks, of which half the waves have 32.
static Error checkWidth(const MCRegisterInfo &Registers, MCRegister Reg,
                        unsigned Dwords, Type *Given, StringRef Does) {
  const unsigned Bits = bitsOf(Given);
  const bool IsMask = Reg == AMDGPU::VCC || Reg == AMDGPU::EXEC;
  if (Bits == 32 * Dwords || (IsMask && Bits == 64))
    return Error::success();
  return refuse(RefusalReason::UnsupportedHook,
                Twine("register ") + Registers.getName(Reg) + " has " +
                    Twine(32 * Dwords) + " bits, not the " + Twine(Bits) +
                    " that a hook " + Does);
}

/// The parts as one value of type \p To, dropping high bits it has no use for.
static Value *fromParts(IRBuilderBase &B, ArrayRef<Value *> Parts, Type *To) {
  const unsigned Bits = bitsOf(To);
  auto *Dwords = FixedVectorType::get(B.getInt32Ty(), divideCeil(Bits, 32));
  Value *Joined = PoisonValue::get(Dwords);
  for (unsigned I = 0; I < Dwords->getNumElements(); ++I)
    Joined = B.CreateInsertElement(
        Joined, I < Parts.size() ? Parts[I] : B.getInt32(0), I);
  if (Dwords->getNumElements() > 2 && Bits == Dwords->getPrimitiveSizeInBits())
    return B.CreateBitCast(Joined, To);
  if (Dwords->getNumElements() == 1)
    Joined = B.CreateExtractElement(Joined, uint64_t(0));
  Joined = B.CreateBitCast(Joined, B.getIntNTy(alignTo(Bits, 32)));
  Joined = B.CreateTrunc(Joined, B.getIntNTy(Bits));
  return To->isPointerTy() ? B.CreateIntToPtr(Joined, To)
                           : B.CreateBitCast(Joined, To);
}

static SmallVector<Value *, 4> toParts(IRBuilderBase &B, Value *V,
                                       unsigned Count) {
  if (V->getType()->isPointerTy())
    V = B.CreatePtrToInt(V, B.getInt64Ty());
  const unsigned Bits = bitsOf(V->getType());
  if (Count == 1 || Bits != 32 * Count) {
    V = B.CreateBitCast(V, B.getIntNTy(Bits));
    V = B.CreateZExtOrTrunc(V, B.getIntNTy(32 * Count));
  }
  if (Count == 1)
    return {V};
  V = B.CreateBitCast(V, FixedVectorType::get(B.getInt32Ty(), Count));
  SmallVector<Value *, 4> Parts;
  for (unsigned I = 0; I < Count; ++I)
    Parts.push_back(B.CreateExtractElement(V, I));
  return Parts;
}

/// As a whole: of what comes in halves, LLVM makes a pair of its own first.
static Value *readWhole(IRBuilderBase &B, char File, unsigned First) {
  const std::string Pair = std::string("={") + File + "[" +
                           std::to_string(First) + ":" +
                           std::to_string(First + 1) + "]}";
  auto *FT = FunctionType::get(B.getInt64Ty(), false);
  return B.CreateCall(InlineAsm::get(FT, "", Pair, true));
}

Value *readCounter(IRBuilderBase &B, unsigned First) {
  return readWhole(B, 's', First);
}

Value *readArgument(IRBuilderBase &B, const ArgumentSlot &Slot,
                    const PayloadABI &ABI, Type *To) {
  const unsigned First = Slot.Index + (Slot.IsVector ? ABI.FirstArgumentVGPR
                                                     : ABI.FirstArgumentSGPR);
  if (Slot.Dwords == 2 && !Slot.IsLiteral && First % 2 == 0 &&
      bitsOf(To) == 64) {
    Value *Bits = readWhole(B, Slot.IsVector ? 'v' : 's', First);
    return To->isPointerTy() ? B.CreateIntToPtr(Bits, To)
                             : B.CreateBitCast(Bits, To);
  }
  SmallVector<Value *, 4> Parts;
  for (unsigned I = 0; I < Slot.Dwords; ++I)
    Parts.push_back(
        Slot.IsLiteral
            ? readLiteral(B, Slot.Index + I)
            : readPart(B, constraintOf(Slot.IsVector ? 'v' : 's', First + I)));
  return fromParts(B, Parts, To);
}

Expected<RegisterAccess::Parts> RegisterAccess::findFlag(MCRegister Flag,
                                                         MCRegister Copy,
                                                         unsigned First,
                                                         unsigned Dwords) {
  if (!Copy)
    return refuse(RefusalReason::UnsupportedHook,
                  Twine("a hook reads or writes ") +
                      Target.registers().getName(Flag) +
                      ", and no register is left to keep the application's "
                      "value in");
  Parts Found;
  const unsigned Number = Target.registerFiles().rangeOf(Copy).First + First;
  for (unsigned I = 0; I < Dwords; ++I)
    Found.Constraints.push_back(constraintOf('s', Number + I));
  return Found;
}

/// The file and number are in the table of registers.
Expected<RegisterAccess::Parts>
RegisterAccess::findGeneral(MCRegister Reg) const {
  const amdgpu::RegisterRange Range = Target.registerFiles().rangeOf(Reg);
  // What lies above belongs to Luthier, or to nobody.
  unsigned Limit = ABI.ApplicationSGPRs;
  char Letter = 's';
  if (Range.File == amdgpu::RegisterFile::VGPR) {
    Limit = ABI.ApplicationVGPRs;
    Letter = 'v';
  } else if (Range.File == amdgpu::RegisterFile::AGPR) {
    Limit = ABI.ApplicationAGPRs;
    Letter = 'a';
  }
  if (Range.end() > Limit)
    return refuse(RefusalReason::UnsupportedHook,
                  Twine("the kernel does not use register ") +
                      Target.registers().getName(Reg));
  Parts Found;
  for (unsigned I = 0; I < Range.Count; ++I)
    Found.Constraints.push_back(constraintOf(Letter, Range.First + I));
  Found.Reg = Reg;
  const StringRef Name = Target.registers().getName(Reg);
  const bool IsHigh = Name.ends_with("_HI16");
  if (!IsHigh && !Name.ends_with("_LO16"))
    return Found;
  Found.HalfAt = IsHigh ? 16 : 0;
  const amdgpu::RegisterFiles &Files = Target.registerFiles();
  Found.Reg = Letter == 's'   ? Files.sgpr(Range.First)
              : Letter == 'v' ? Files.vgpr(Range.First)
                              : Files.agpr(Range.First);
  return Found;
}

/// None where it cannot be read.
static SmallVector<Value *, 4> readFlatScratch(IRBuilderBase &B, MCRegister Reg,
                                               FlatScratchRead How) {
  constexpr unsigned LowId = 20, HighId = 21, AllBits = 31 << 11;
  SmallVector<Value *, 4> Values;
  if (How == FlatScratchRead::Never)
    return Values;
  auto read = [&](unsigned Id, const char *Constraint) {
    Values.push_back(How == FlatScratchRead::HardwareRegister
                         ? B.CreateIntrinsic(B.getInt32Ty(),
                                             Intrinsic::amdgcn_s_getreg,
                                             {B.getInt32(Id | AllBits)})
                         : readPart(B, Constraint));
  };
  if (Reg != AMDGPU::FLAT_SCR_HI)
    read(LowId, "{flat_scratch_lo}");
  if (Reg != AMDGPU::FLAT_SCR_LO)
    read(HighId, "{flat_scratch_hi}");
  return Values;
}

/// Registers with a name of their own that payloads do not touch. None if
/// \p Reg is not one of them, or the target does not have it.
SmallVector<Value *, 4> RegisterAccess::readSpecial(IRBuilderBase &B,
                                                    MCRegister Reg) const {
  const MCSubtargetInfo &ST = Target.subtarget();
  switch (Reg.id()) {
  case AMDGPU::FLAT_SCR:
  case AMDGPU::FLAT_SCR_LO:
  case AMDGPU::FLAT_SCR_HI:
    return readFlatScratch(B, Reg, Target.traits().Launch.FlatScratch);
  case AMDGPU::XNACK_MASK:
  case AMDGPU::XNACK_MASK_LO:
  case AMDGPU::XNACK_MASK_HI: {
    SmallVector<Value *, 4> Values;
    if (!ST.hasFeature(AMDGPU::FeatureXNACK))
      return Values;
    if (Reg != AMDGPU::XNACK_MASK_HI)
      Values.push_back(readPart(B, "{xnack_mask_lo}"));
    if (Reg != AMDGPU::XNACK_MASK_LO)
      Values.push_back(readPart(B, "{xnack_mask_hi}"));
    return Values;
  }
  case AMDGPU::SRC_SHARED_BASE:
  case AMDGPU::SRC_SHARED_LIMIT:
  case AMDGPU::SRC_PRIVATE_BASE:
  case AMDGPU::SRC_PRIVATE_LIMIT:
    return readPair(B, Reg);
  case AMDGPU::EXEC_HI:
    return {readPart(B, "{exec_hi}")};
  default:
    break;
  }
  SmallVector<Value *, 4> Values;
  SmallVector<StringRef, 4> Words; // TTMP4_TTMP5, and then a generation.
  const StringRef Name = Target.registers().getName(Reg);
  if (Name.ends_with("_LO16") || Name.ends_with("_HI16"))
    return {};
  Name.split(Words, '_');
  for (StringRef Word : Words)
    if (Word.starts_with("TTMP"))
      Values.push_back(readPart(B, "{" + Word.lower() + "}"));
  return Values;
}

Expected<RegisterAccess::Parts> RegisterAccess::find(uint64_t Number) {
  if (Number == 0 || Number >= Target.registers().getNumRegs())
    return refuse(RefusalReason::UnsupportedHook,
                  "there is no register number " + Twine(Number));
  const bool Wave64 = ABI.WaveSize == 64;
  switch (Number) {
  case AMDGPU::SCC:
    Result.UsesSCC = true;
    return findFlag(MCRegister(Number), ABI.SccSave, 0, 1);
  case AMDGPU::VCC:
    Result.UsesVCC = true;
    return findFlag(MCRegister(Number), ABI.VccSave, 0, Wave64 ? 2 : 1);
  case AMDGPU::VCC_LO:
    Result.UsesVCC = true;
    return findFlag(MCRegister(Number), ABI.VccSave, 0, 1);
  case AMDGPU::VCC_HI:
    if (!Wave64) // A register like any other.
      return Parts{{"{vcc_hi}"}, MCRegister(Number)};
    Result.UsesVCC = true;
    return findFlag(MCRegister(Number), ABI.VccSave, 1, 1);
  case AMDGPU::EXEC:
    Result.UsesEXEC = true;
    return findFlag(MCRegister(Number), ABI.ExecSave, 0, Wave64 ? 2 : 1);
  case AMDGPU::EXEC_LO:
    Result.UsesEXEC = true;
    return findFlag(MCRegister(Number), ABI.ExecSave, 0, 1);
  case AMDGPU::EXEC_HI:
    if (!Wave64)
      return Parts{{}, MCRegister(Number)};
    Result.UsesEXEC = true;
    return findFlag(MCRegister(Number), ABI.ExecSave, 1, 1);
  case AMDGPU::M0:
    Result.UsesM0 = true;
    return findFlag(MCRegister(Number), ABI.M0Save, 0, 1);
  case AMDGPU::MODE:
    Result.UsesMODE = true;
    return findFlag(MCRegister(Number), ABI.ModeSave, 0, 1);
  default:
    break;
  }
  const MCRegister Reg(Number);
  if (Target.registerFiles().rangeOf(Reg).File != amdgpu::RegisterFile::None)
    return findGeneral(Reg);
  return Parts{{}, Reg};
}

Error RegisterAccess::noAccess(MCRegister Reg, StringRef Kind) const {
  return refuse(RefusalReason::UnsupportedHook,
                Kind + " register " + Target.registers().getName(Reg));
}

Expected<Value *> RegisterAccess::read(IRBuilderBase &B, uint64_t Reg,
                                       Type *To) {
  Expected<Parts> Found = find(Reg);
  if (!Found)
    return Found.takeError();
  if (Found->Reg) {
    Result.Reads.push_back(Found->Reg);
    Result.ReadsApplication = true;
  }
  SmallVector<Value *, 4> Values;
  if (Found->Constraints.empty())
    Values = readSpecial(B, Found->Reg);
  if (Found->Constraints.empty() && Values.empty())
    return noAccess(Found->Reg, "access to");
  for (const std::string &Constraint : Found->Constraints)
    Values.push_back(readPart(B, Constraint));
  if (Error E = checkWidth(Target.registers(), MCRegister(Reg), Values.size(),
                           To, "reads"))
    return std::move(E);
  if (Found->HalfAt)
    Values = {B.CreateAnd(B.CreateLShr(Values.front(), *Found->HalfAt),
                          B.getInt32(HalfMask))};
  return fromParts(B, Values, To);
}

Error RegisterAccess::write(IRBuilderBase &B, uint64_t Reg, Value *V) {
  Expected<Parts> Found = find(Reg);
  if (!Found)
    return Found.takeError();
  // Private memory, also the payloads' own, and what traps use.
  if (Found->Constraints.empty())
    return noAccess(Found->Reg, "writing to");
  if (Error E = checkWidth(Target.registers(), MCRegister(Reg),
                           Found->Constraints.size(), V->getType(), "writes"))
    return E;
  if (Found->Reg) {
    Result.Writes.push_back(Found->Reg);
    Result.WritesApplication = true;
    // A load may still be on its way to the register and land later.
    Result.ReadsApplication = true;
  }
  auto Values = toParts(B, V, Found->Constraints.size());
  if (Found->HalfAt) {
    Result.Reads.push_back(Found->Reg);
    Value *Other = B.CreateAnd(readPart(B, Found->Constraints.front()),
                               B.getInt32(~(HalfMask << *Found->HalfAt)));
    Value *Half = B.CreateAnd(Values.front(), B.getInt32(HalfMask));
    Values = {B.CreateOr(Other, B.CreateShl(Half, *Found->HalfAt))};
  }
  for (auto [Constraint, Part] : zip_equal(Found->Constraints, Values))
    writePart(B, Constraint, Part);
  return Error::success();
}

} // namespace luthier
