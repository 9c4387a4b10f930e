// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/MemoryOperands.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIDefines.h"
#include "amdgpu/BufferFormats.h"
#include "amdgpu/NamedOperands.h"
#include "amdgpu/TargetTraits.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {
namespace {

using amdgpu::OperandName;
using Accesses = SmallVector<MemoryAccess, 2>;

/// The parts of an opcode's name. LLVM has no table of access sizes, and its
/// names of operations are the same for all targets.
class OpcodeName {
public:
  explicit OpcodeName(StringRef Name) { Name.split(Parts, '_'); }

  bool has(StringRef Part) const { return is_contained(Parts, Part); }
  bool begins(StringRef Prefix) const {
    return any_of(Parts, [&](StringRef P) { return P.starts_with(Prefix); });
  }
  /// Bytes of the first part that is a type (B64, U8, BF16); 0 without one.
  unsigned typeSize() const {
    for (StringRef Part : Parts) {
      StringRef Digits = Part.ltrim("BUIF");
      unsigned Bits;
      if (Digits.size() < Part.size() && !Digits.getAsInteger(10, Bits))
        return Bits / 8;
    }
    return 0;
  }
  /// Bytes that parts such as DWORDX2 or SBYTE say; 0 without one.
  unsigned unitSize() const {
    for (StringRef Part : Parts) {
      unsigned Count;
      if (Part.ends_with("BYTE"))
        return 1;
      if (Part.ends_with("SHORT"))
        return 2;
      if (Part == "DWORD")
        return 4;
      if (Part.consume_front("DWORDX") && !Part.getAsInteger(10, Count))
        return 4 * Count;
    }
    return 0;
  }

private:
  SmallVector<StringRef, 8> Parts;
};

class Describer {
public:
  explicit Describer(const MachineInstr &MI)
      : MI(MI), ST(MI.getMF()->getSubtarget()), TRI(*ST.getRegisterInfo()),
        Name(ST.getInstrInfo()->getName(MI.getOpcode())),
        Flags(MI.getDesc().TSFlags), Traits(targetTraits(ST).Memory) {}

  Expected<Accesses> run();

private:
  void scalar();
  Error local();
  void localPair(unsigned Bytes);
  void localSource2(unsigned Bytes);
  void direct();
  void flat();
  void buffer();

  bool readsLdsDirect() const {
    return any_of(MI.uses(), [](const MachineOperand &MO) {
      return MO.isReg() && MO.getReg() == AMDGPU::LDS_DIRECT;
    });
  }
  /// The operand, if the instruction has it; constants that stand for registers
  /// that do not exist are constants.
  std::optional<ArgumentInput> find(OperandName N) const;
  ArgumentInput operand(OperandName N) const {
    return find(N).value_or(uint64_t(0));
  }
  ArgumentInput part(const ArgumentInput &Tuple, unsigned SubReg) const {
    const auto *Reg = std::get_if<MCRegister>(&Tuple);
    return Reg ? ArgumentInput(TRI.getSubReg(*Reg, SubReg)) : Tuple;
  }
  uint64_t immediate(OperandName N) const {
    return std::get<uint64_t>(operand(N));
  }
  /// Immediate offset of flat instructions, as hardware takes it.
  uint64_t flatOffset() const;
  uint32_t flagsByName() const;
  /// Bytes of an access through VGPRs other than LDS.
  ArgumentValue vectorSize() const;
  void add(MemorySpace Space, uint32_t AccessFlags, ArgumentValue Size,
           ArgumentValue Address) {
    Result.push_back({Space, AccessFlags, std::move(Size), std::move(Address)});
  }
  void add(MemorySpace Space, uint32_t AccessFlags, uint64_t Bytes,
           ArgumentValue Address) {
    add(Space, AccessFlags, ArgumentValue::plain(Bytes), std::move(Address));
  }
  /// The LDS side of what goes between LDS and memory without registers.
  void addBypass(uint32_t AccessFlags);

  const MachineInstr &MI;
  const TargetSubtargetInfo &ST;
  const TargetRegisterInfo &TRI;
  OpcodeName Name;
  uint64_t Flags;
  const MemoryTraits &Traits;
  Accesses Result;
};

std::optional<ArgumentInput> Describer::find(OperandName N) const {
  std::optional<unsigned> Index = amdgpu::operandIndex(MI.getOpcode(), N);
  if (!Index || *Index >= MI.getNumOperands())
    return std::nullopt;
  const MachineOperand &MO = MI.getOperand(*Index);
  if (MO.isImm())
    return uint64_t(MO.getImm());
  if (!MO.isReg() || !MO.getReg() ||
      StringRef(TRI.getName(MO.getReg())).starts_with("SGPR_NULL"))
    return std::nullopt;
  return MO.getReg().asMCReg();
}

uint64_t Describer::flatOffset() const {
  const uint64_t Raw = immediate(OperandName::Offset);
  const bool HasSegment =
      Flags & (SIInstrFlags::FlatGlobal | SIInstrFlags::FlatScratch);
  if (!HasSegment && Traits.HasUnsignedFlatOffset)
    return Raw;
  return SignExtend64(Raw, Traits.FlatOffsetBits);
}

uint32_t Describer::flagsByName() const {
  if (Name.has("ATOMIC"))
    return ReadsMemory | WritesMemory | IsAtomic;
  if (Name.has("STORE"))
    return WritesMemory;
  return Name.has("LOAD") ? ReadsMemory : 0;
}

/// s_load, s_buffer_load, s_scratch_load and their like.
void Describer::scalar() {
  const uint32_t AccessFlags = flagsByName();
  unsigned Bytes =
      Name.has("ATOMIC") ? (Name.has("X2") ? 8 : 4) : Name.unitSize();
  if (!Bytes)
    Bytes = Name.typeSize();
  const ArgumentInput Base = operand(OperandName::SBase);
  const ArgumentInput Index = operand(OperandName::SOffset);
  const ArgumentInput Offset = operand(OperandName::Offset);
  const uint32_t LostBits = std::min(Bytes, 4u) - 1;
  ArgumentValue Address;
  if (Name.has("BUFFER"))
    Address = {
        ArgumentForm::ScalarBuffer,
        LostBits,
        {part(Base, AMDGPU::sub0), part(Base, AMDGPU::sub1), Index, Offset}};
  else if (Name.has("SCRATCH"))
    Address = {ArgumentForm::ScalarScratch, 0, {Base, Index, Offset}};
  else
    Address = {ArgumentForm::Scalar, LostBits, {Base, Index, Offset}};
  add(MemorySpace::Scalar, AccessFlags, Bytes, std::move(Address));
}

/// ds_read2 and its like: two immediate offsets that count elements, or 64 of
/// them.
void Describer::localPair(unsigned Bytes) {
  const unsigned Unit =
      Name.has("READ2ST64") || Name.has("WRITE2ST64") || Name.has("WRXCHG2ST64")
          ? 64 * Bytes
          : Bytes;
  const uint32_t AccessFlags = Name.begins("READ") ? ReadsMemory
                               : Name.begins("WRITE")
                                   ? WritesMemory
                                   : ReadsMemory | WritesMemory | IsAtomic;
  for (OperandName N : {OperandName::Offset0, OperandName::Offset1})
    add(MemorySpace::LDS, AccessFlags, Bytes,
        {ArgumentForm::Local,
         0,
         {operand(OperandName::Addr), (immediate(N) & 0xff) * Unit}});
}

void Describer::localSource2(unsigned Bytes) {
  const SmallVector<ArgumentInput, 4> Inputs = {operand(OperandName::Addr),
                                                operand(OperandName::Offset)};
  const uint32_t First =
      Name.has("WRITE") ? WritesMemory : ReadsMemory | WritesMemory | IsAtomic;
  add(MemorySpace::LDS, First, Bytes, {ArgumentForm::LocalFirst, 0, Inputs});
  add(MemorySpace::LDS, ReadsMemory, Bytes,
      {ArgumentForm::LocalSecond, 0, Inputs});
}

Error Describer::local() {
  for (StringRef Exchange : {"PERMUTE", "BPERMUTE", "SWIZZLE", "NOP"})
    if (Name.has(Exchange))
      return Error::success();
  const bool IsGlobalShare = Name.has("GWS") || Name.has("GS") ||
                             Name.has("ORDERED") ||
                             immediate(OperandName::GDS) != 0;
  if (IsGlobalShare || Name.has("BVH") || Name.has("BARRIER"))
    return refuse(RefusalReason::HookArguments,
                  "the address of " +
                      ST.getInstrInfo()->getName(MI.getOpcode()) +
                      " cannot be passed to a hook");
  const unsigned Bytes = Name.has("PK") ? 4 : Name.typeSize();
  const uint64_t Offset = immediate(OperandName::Offset) & 0xffff;
  const uint32_t Atomic = ReadsMemory | WritesMemory | IsAtomic;
  if (Name.begins("READ2") || Name.begins("WRITE2") || Name.begins("WRXCHG2")) {
    localPair(Bytes);
  } else if (Name.has("SRC2")) {
    localSource2(Bytes);
  } else if (Name.has("APPEND") || Name.has("CONSUME")) {
    add(MemorySpace::LDS, Atomic, 4,
        {ArgumentForm::LocalByLane, 0, {MCRegister(AMDGPU::M0), Offset}});
  } else {
    const uint32_t AccessFlags = Name.has("READ") || Name.has("LOAD")
                                     ? ReadsMemory
                                 : Name.has("WRITE") ? WritesMemory
                                                     : Atomic;
    if (Name.has("ADDTID"))
      add(MemorySpace::LDS, AccessFlags, Bytes,
          {ArgumentForm::LocalByLane, 4, {MCRegister(AMDGPU::M0), Offset}});
    else
      add(MemorySpace::LDS, AccessFlags, Bytes,
          {ArgumentForm::Local, 0, {operand(OperandName::Addr), Offset}});
  }
  return Error::success();
}

/// M0 holds address and type of what one value for all lanes is loaded from, by
/// an instruction of its own or as a source of arithmetic.
void Describer::direct() {
  const MCRegister M0 = AMDGPU::M0;
  add(MemorySpace::LDS, ReadsMemory,
      ArgumentValue{ArgumentForm::DirectSize, 0, {M0}},
      {ArgumentForm::LocalByLane, 0, {M0, uint64_t(0)}});
}

ArgumentValue Describer::vectorSize() const {
  if (Name.has("FORMAT")) {
    if (Flags & SIInstrFlags::MTBUF) {
      const unsigned Format = immediate(OperandName::Format);
      return ArgumentValue::plain(
          uint64_t(amdgpu::formatSize(Traits.Buffers, Format)));
    }
    const ArgumentInput Word3 = part(operand(OperandName::SRsrc), AMDGPU::sub3);
    return {ArgumentForm::FormatSize, uint32_t(Traits.Buffers), {Word3}};
  }
  unsigned Bytes = Name.unitSize();
  if (Name.has("BLOCK"))
    Bytes = 128; // At most: M0 says which of 32 dwords.
  else if (Name.has("PK"))
    Bytes = 4;
  else if (!Bytes)
    Bytes = Name.has("X2") ? 8 : Name.typeSize();
  return ArgumentValue::plain(uint64_t(Bytes ? Bytes : 4));
}

void Describer::addBypass(uint32_t AccessFlags) {
  const unsigned Bytes = std::max(4u, Name.unitSize());
  const uint64_t Offset = Flags & SIInstrFlags::FLAT
                              ? flatOffset()
                              : immediate(OperandName::Offset);
  add(MemorySpace::LDS, AccessFlags, Bytes,
      {ArgumentForm::LocalByLane, Bytes, {MCRegister(AMDGPU::M0), Offset}});
}

void Describer::flat() {
  const uint32_t AccessFlags = flagsByName();
  const uint64_t Offset = flatOffset();
  const ArgumentInput VAddr = operand(OperandName::VAddr);
  const std::optional<ArgumentInput> SAddr = find(OperandName::SAddr);
  const ArgumentInput Zero = uint64_t(0);
  if (Flags & SIInstrFlags::FlatScratch)
    add(MemorySpace::Scratch, AccessFlags, vectorSize(),
        {ArgumentForm::Private, 0, {VAddr, SAddr.value_or(Zero), Offset}});
  else if (Name.has("ADDTID"))
    add(MemorySpace::Global, AccessFlags, vectorSize(),
        {ArgumentForm::GlobalByLane, 4, {SAddr.value_or(Zero), Offset}});
  else
    add(Flags & SIInstrFlags::FlatGlobal ? MemorySpace::Global
                                         : MemorySpace::Flat,
        AccessFlags, vectorSize(),
        {ArgumentForm::Global,
         0,
         {SAddr.value_or(VAddr), SAddr ? VAddr : Zero, Offset}});
  if (Name.has("LDS"))
    addBypass(WritesMemory);
}

void Describer::buffer() {
  const uint32_t AccessFlags = flagsByName();
  const ArgumentInput Descriptor = operand(OperandName::SRsrc);
  const ArgumentInput VAddr = operand(OperandName::VAddr);
  ArgumentInput Index = uint64_t(0), Offset = uint64_t(0);
  if (Name.has("BOTHEN")) {
    Index = part(VAddr, AMDGPU::sub0);
    Offset = part(VAddr, AMDGPU::sub1);
  } else if (Name.has("IDXEN")) {
    Index = VAddr;
  } else if (Name.has("OFFEN")) {
    Offset = VAddr;
  }
  add(MemorySpace::Buffer, AccessFlags, vectorSize(),
      {ArgumentForm::Buffer,
       uint32_t(Traits.Buffers),
       {part(Descriptor, AMDGPU::sub0), part(Descriptor, AMDGPU::sub1),
        part(Descriptor, AMDGPU::sub3), Index, Offset,
        operand(OperandName::SOffset), immediate(OperandName::Offset)}});
  if (Name.has("LDS"))
    addBypass(AccessFlags == ReadsMemory ? WritesMemory : ReadsMemory);
}

Expected<Accesses> Describer::run() {
  if (Flags & SIInstrFlags::DS) {
    if (Error E = local())
      return std::move(E);
  } else if (Flags & SIInstrFlags::LDSDIR) {
    if (Name.has("DIRECT"))
      direct();
  } else if (readsLdsDirect()) {
    direct();
  } else if (!flagsByName()) {
    return Accesses();
  } else if (Flags & SIInstrFlags::SMRD) {
    scalar();
  } else if (Flags & SIInstrFlags::FLAT) {
    flat();
  } else if (Flags & (SIInstrFlags::MUBUF | SIInstrFlags::MTBUF)) {
    buffer();
  }
  return std::move(Result);
}

} // namespace

Expected<SmallVector<MemoryAccess, 2>> memoryAccesses(const MachineInstr &MI) {
  return Describer(MI).run();
}

unsigned countMemoryAccesses(const MachineInstr &MI) {
  Expected<Accesses> Result = memoryAccesses(MI);
  if (Result)
    return Result->size();
  consumeError(Result.takeError());
  return 0;
}

uint32_t memoryAccessKind(const MachineInstr &MI, unsigned Access) {
  Expected<Accesses> Result = memoryAccesses(MI);
  if (Result)
    return Access < Result->size() ? (*Result)[Access].kind() : 0;
  consumeError(Result.takeError());
  return 0;
}

} // namespace luthier
