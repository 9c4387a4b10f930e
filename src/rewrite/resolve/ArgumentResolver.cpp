// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/resolve/ArgumentResolver.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/RegisterFiles.h"
#include "lift/Decoder.h"
#include "lift/LiftedImpl.h"
#include "luthier/Mnemonic.h"
#include "luthier/Refusal.h"
#include "rewrite/emit/ArgumentMoves.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace luthier {

static Error noValue(const Twine &Why) {
  return refuse(RefusalReason::HookArguments, Why);
}

/// A register of 16 bits, not v16.
static bool isHalf(StringRef Name) {
  return Name.ends_with("_LO16") || Name.ends_with("_HI16");
}

/// Registers outside of the files that moves can read (ArgumentMoves.h). Which
/// of them a processor has, the application's code shows.
bool ArgumentResolver::isReadable(MCRegister Reg) const {
  switch (Reg.id()) {
  case AMDGPU::SCC:
  case AMDGPU::M0:
  case AMDGPU::MODE:
  case AMDGPU::VCC:
  case AMDGPU::VCC_LO:
  case AMDGPU::VCC_HI:
  case AMDGPU::EXEC:
  case AMDGPU::EXEC_LO:
  case AMDGPU::EXEC_HI:
  case AMDGPU::SRC_SHARED_BASE:
  case AMDGPU::SRC_SHARED_LIMIT:
  case AMDGPU::SRC_PRIVATE_BASE:
  case AMDGPU::SRC_PRIVATE_LIMIT:
    return true;
  case AMDGPU::FLAT_SCR:
  case AMDGPU::FLAT_SCR_LO:
  case AMDGPU::FLAT_SCR_HI:
    return LR.impl().Target->traits().Launch.FlatScratch !=
           FlatScratchRead::Never;
  case AMDGPU::XNACK_MASK:
  case AMDGPU::XNACK_MASK_LO:
  case AMDGPU::XNACK_MASK_HI:
    return LR.impl().Target->subtarget().hasFeature(AMDGPU::FeatureXNACK);
  default:
    return StringRef(LR.impl().Target->registers().getName(Reg))
        .starts_with("TTMP");
  }
}

ArgumentSlot argumentSlotFor(MCRegister Reg, const amdgpu::MCTarget &Target) {
  amdgpu::RegisterRange Range = Target.registerFiles().rangeOf(Reg);
  if (Range.File != amdgpu::RegisterFile::None)
    return {Range.isVector(), 0, Range.Count};
  if (isAperture(Reg))
    return {false, 0, 2};
  unsigned Dwords = 1;
  for (unsigned Index : {AMDGPU::sub1, AMDGPU::sub2, AMDGPU::sub3})
    Dwords += Target.registers().getSubReg(Reg, Index).isValid();
  return {false, 0, Dwords};
}

Expected<ArgumentValue> ArgumentResolver::registerValue(MCRegister Reg) const {
  const MCRegisterInfo &MRI = LR.impl().Target->registers();
  const StringRef Name = MRI.getName(Reg);
  if (Name.starts_with("SGPR_NULL"))
    return ArgumentValue::plain(uint64_t(0));
  if (Reg == AMDGPU::SRC_SCC)
    return ArgumentValue::plain(MCRegister(AMDGPU::SCC));
  const amdgpu::RegisterFiles &Files = LR.impl().Target->registerFiles();
  const amdgpu::RegisterRange Range = Files.rangeOf(Reg);
  if (Range.File == amdgpu::RegisterFile::None) {
    if (isReadable(Reg) && argumentSlotFor(Reg, *LR.impl().Target).Dwords <= 2)
      return ArgumentValue::plain(Reg);
    return noValue("register " + Name + " cannot be passed to a hook");
  }
  const unsigned Used = Range.File == amdgpu::RegisterFile::SGPR   ? Use.SGPRs
                        : Range.File == amdgpu::RegisterFile::VGPR ? Use.VGPRs
                                                                   : Use.AGPRs;
  if (Range.end() > Used)
    return noValue("the kernel does not use register " + Name);
  if (Range.Count > 2)
    return noValue("register " + Name +
                   " has more than 64 bits: pass parts of it");
  const bool IsHigh = Name.ends_with("_HI16");
  if (!IsHigh && !Name.ends_with("_LO16"))
    return ArgumentValue::plain(Reg);
  for (MCRegister Whole : MRI.superregs(Reg))
    if (Files.rangeOf(Whole).Count == 1)
      return ArgumentValue{ArgumentForm::Half, IsHigh ? 16u : 0u, {Whole}};
  return noValue("register " + Name + " cannot be passed to a hook");
}

Expected<ArgumentValue> ArgumentResolver::registerParts(MCRegister Tuple,
                                                        unsigned First,
                                                        unsigned Count) const {
  const MCRegisterInfo &MRI = LR.impl().Target->registers();
  const amdgpu::RegisterFiles &Files = LR.impl().Target->registerFiles();
  const amdgpu::RegisterRange Range = Files.rangeOf(Tuple);
  if (Count > 2 || First + Count > Range.Count)
    return noValue(Twine("register ") + MRI.getName(Tuple) +
                   " has no such part, or it has more than 64 bits");
  ArgumentValue Result{ArgumentForm::Pair, 0, {}};
  for (unsigned I = 0; I < Count; ++I)
    for (MCRegister Part : MRI.subregs_inclusive(Tuple)) {
      const amdgpu::RegisterRange R = Files.rangeOf(Part);
      if (R.Count != 1 || R.First != Range.First + First + I ||
          isHalf(MRI.getName(Part)))
        continue;
      Expected<ArgumentValue> Value = registerValue(Part);
      if (!Value)
        return Value.takeError();
      Result.Inputs.push_back(Value->Inputs.front());
    }
  if (Count == 1)
    Result.Form = std::nullopt;
  return Result;
}

unsigned ArgumentResolver::blockNumber(const MachineBasicBlock &MBB) {
  if (BlockNumbers.empty())
    for (const auto &[Symbol, MF] : LR.functions())
      for (const MachineBasicBlock &Each : *MF)
        BlockNumbers.try_emplace(&Each, BlockNumbers.size());
  return BlockNumbers.lookup(&MBB);
}

Expected<ArgumentValue> ArgumentResolver::operandValue(const MachineInstr &MI,
                                                       unsigned Index) {
  if (Index >= MI.getNumOperands())
    return noValue("the instruction has no operand " + Twine(Index));
  const MachineOperand &MO = MI.getOperand(Index);
  if (MO.isImm())
    return ArgumentValue::plain(uint64_t(MO.getImm()));
  if (MO.isMBB())
    return ArgumentValue::plain(uint64_t(blockNumber(*MO.getMBB())));
  if (MO.isReg() && MO.getReg().isPhysical())
    return registerValue(MO.getReg().asMCReg());
  return noValue("operand " + Twine(Index) + " has no value");
}

MCRegister ArgumentResolver::registerOf(const HookArgument &Argument,
                                        const ResolvedInsertion &At) {
  if (Argument.isRegister())
    return Argument.reg();
  if (Argument.kind() != HookArgument::Kind::Operand || !At.Instruction ||
      Argument.index() >= At.Instruction->getNumOperands())
    return MCRegister();
  const MachineOperand &MO = At.Instruction->getOperand(Argument.index());
  return MO.isReg() && MO.getReg().isPhysical() ? MO.getReg().asMCReg()
                                                : MCRegister();
}

Expected<ArgumentValue>
ArgumentResolver::operandParts(const ResolvedInsertion &At,
                               const HookArgument &Argument) const {
  if (MCRegister Tuple = registerOf(Argument, At))
    return registerParts(Tuple, Argument.firstPart(), Argument.count());
  return noValue("operand " + Twine(Argument.index()) + " is no register");
}

Expected<MemoryAccess> ArgumentResolver::access(const MachineInstr &MI,
                                                unsigned Index) const {
  auto Accesses = memoryAccesses(MI);
  if (!Accesses)
    return Accesses.takeError();
  if (Index >= Accesses->size())
    return noValue("the instruction makes no memory access number " +
                   Twine(Index));
  return std::move((*Accesses)[Index]);
}

Expected<uint64_t> ArgumentResolver::addressOf(const MachineInstr &MI) const {
  if (std::optional<uint64_t> Address = LR.originalAddress(MI))
    return *Address;
  return noValue("an instruction that the tool added has no address");
}

Expected<unsigned> ArgumentResolver::sizeOf(const MachineInstr &MI) const {
  Expected<uint64_t> Address = addressOf(MI);
  if (!Address)
    return Address.takeError();
  const CodeObject &Object = *LR.impl().Object;
  // Instructions have up to five dwords; code may end sooner.
  for (unsigned Size = 4; Size <= 20; Size += 4) {
    Expected<ArrayRef<uint8_t>> Code = Object.contents(*Address, Size);
    if (!Code) {
      consumeError(Code.takeError());
      break;
    }
    auto Decoded = decode(*LR.impl().Target, *Code, *Address);
    if (Decoded && Decoded->size() == 1)
      return Decoded->front().Size;
    consumeError(Decoded.takeError());
  }
  return noValue("the instruction's size is unknown");
}

/// \p At runs behind an instruction that overwrites \p Value.
static Error checkNotOverwritten(const ArgumentValue &Value,
                                 const ResolvedInsertion &At) {
  if (!At.IsAfter)
    return Error::success();
  const MachineInstr &MI = *At.Instruction;
  const TargetRegisterInfo &TRI = *MI.getMF()->getSubtarget().getRegisterInfo();
  for (const ArgumentInput &Input : Value.Inputs)
    if (const auto *Reg = std::get_if<MCRegister>(&Input);
        Reg && MI.modifiesRegister(*Reg, &TRI))
      return noValue(Twine("the instruction overwrites ") + TRI.getName(*Reg));
  return Error::success();
}

/// Waves of 32 lanes have masks of half the size, under another name.
static MCRegister asWaveHasIt(MCRegister Reg, const TargetSubtargetInfo &ST) {
  if (!ST.hasFeature(AMDGPU::FeatureWavefrontSize32))
    return Reg;
  return Reg == AMDGPU::EXEC  ? MCRegister(AMDGPU::EXEC_LO)
         : Reg == AMDGPU::VCC ? MCRegister(AMDGPU::VCC_LO)
                              : Reg;
}

Expected<ArgumentValue> ArgumentResolver::find(const HookArgument &Argument,
                                               const ResolvedInsertion &At) {
  using Kind = HookArgument::Kind;
  auto number = [](auto Value) {
    return ArgumentValue::plain(static_cast<uint64_t>(Value));
  };
  if (Argument.kind() == Kind::Constant) {
    if (std::optional<uint64_t> Bits = Argument.integer())
      return number(*Bits);
    return noValue("a constant is not a number of at most 64 bits");
  }
  const TargetSubtargetInfo &ST = LR.functions().front().second->getSubtarget();
  if (Argument.kind() == Kind::Register)
    return Argument.count()
               ? registerParts(Argument.reg(), Argument.firstPart(),
                               Argument.count())
               : registerValue(asWaveHasIt(Argument.reg(), ST));
  if (Argument.kind() == Kind::ActiveLanes)
    return ArgumentValue::plain(asWaveHasIt(AMDGPU::EXEC, ST));
  if (Argument.kind() == Kind::DispatchValue)
    return ArgumentValue{ArgumentForm::DispatchValue, 0, {}};
  if (!At.Instruction)
    return noValue("an edge or entry has no instruction to tell about");
  const MachineInstr &MI = *At.Instruction;
  switch (Argument.kind()) {
  case Kind::Operand: {
    Expected<ArgumentValue> Value = Argument.count()
                                        ? operandParts(At, Argument)
                                        : operandValue(MI, Argument.index());
    if (!Value)
      return Value.takeError();
    // A result is what the instruction has written.
    const MachineOperand &MO = MI.getOperand(Argument.index());
    if (!MO.isReg() || !MO.isDef())
      if (Error E = checkNotOverwritten(*Value, At))
        return std::move(E);
    return Value;
  }
  case Kind::Address: {
    Expected<MemoryAccess> Access = access(MI, Argument.index());
    if (!Access)
      return Access.takeError();
    if (Error E = checkNotOverwritten(Access->Address, At))
      return std::move(E);
    return Access->Address;
  }
  case Kind::AccessSize: {
    Expected<MemoryAccess> Access = access(MI, Argument.index());
    if (!Access)
      return Access.takeError();
    if (Error E = checkNotOverwritten(Access->Size, At))
      return std::move(E);
    return Access->Size;
  }
  case Kind::AccessKind: {
    Expected<MemoryAccess> Access = access(MI, Argument.index());
    if (!Access)
      return Access.takeError();
    return number(Access->kind());
  }
  case Kind::PC: {
    Expected<uint64_t> Address = addressOf(MI);
    if (!Address)
      return Address.takeError();
    return number(*Address + LoadBias);
  }
  case Kind::Opcode:
    return number(MI.getOpcode());
  case Kind::Mnemonic:
    return number(mnemonicID(mnemonicOf(MI).c_str()));
  case Kind::Size: {
    Expected<unsigned> Size = sizeOf(MI);
    if (!Size)
      return Size.takeError();
    return number(*Size);
  }
  case Kind::Block:
    return number(blockNumber(*MI.getParent()));
  default:
    llvm_unreachable("handled above");
  }
}

/// Where a hook does not run right at its instruction, a register that it is
/// given must not change between the two.
static Error checkUnchanged(const ResolvedInsertion &At,
                            const ArgumentValue &Value) {
  const MachineInstr *MI = At.Where.instruction(), *End = At.Instruction;
  if (!MI || !End)
    return Error::success();
  if (At.IsAfter) {
    std::swap(MI, End);
    MI = MI->getNextNode();
  }
  const TargetRegisterInfo &TRI =
      *End->getMF()->getSubtarget().getRegisterInfo();
  for (; MI != End; MI = MI->getNextNode())
    for (const ArgumentInput &Input : Value.Inputs)
      if (const auto *Reg = std::get_if<MCRegister>(&Input);
          Reg && MI->modifiesRegister(*Reg, &TRI)) {
        std::string Text;
        raw_string_ostream(Text) << *At.Instruction;
        return refuse(RefusalReason::NoInsertionPoint,
                      Twine(TRI.getName(*Reg)) +
                          " changes within a group of instructions that must "
                          "stay together, one of which is " +
                          StringRef(Text).trim());
      }
  return Error::success();
}

Expected<ArgumentValue> ArgumentResolver::resolve(const HookArgument &Argument,
                                                  const ResolvedInsertion &At) {
  Expected<ArgumentValue> Value = find(Argument, At);
  if (Value)
    if (Error E = checkUnchanged(At, *Value))
      return std::move(E);
  return Value;
}

} // namespace luthier
