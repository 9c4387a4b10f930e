// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/MemoryOperands.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIDefines.h"
#include "amdgpu/BufferFormats.h"
#include "amdgpu/NamedOperands.h"
#include "amdgpu/OpcodeFacts.h"
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

using amdgpu::MemoryForm;
using amdgpu::OperandName;
using Accesses = SmallVector<MemoryAccess, 2>;

class Describer {
public:
  explicit Describer(const MachineInstr &MI)
      : MI(MI), ST(MI.getMF()->getSubtarget()), TRI(*ST.getRegisterInfo()),
        Facts(amdgpu::opcodeFacts(MI)), Flags(MI.getDesc().TSFlags),
        Traits(targetTraits(ST).Memory) {}

  Expected<Accesses> run();

private:
  void scalar();
  Error local();
  Error refusal() const;
  void localPair();
  void localSource2();
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
  uint32_t accessFlags() const;
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
  amdgpu::OpcodeFacts Facts;
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

uint32_t Describer::accessFlags() const {
  switch (Facts.Access) {
  case amdgpu::NoAccess:
    return 0;
  case amdgpu::Load:
    return ReadsMemory;
  case amdgpu::Store:
    return WritesMemory;
  case amdgpu::Atomic:
    return ReadsMemory | WritesMemory | IsAtomic;
  }
  llvm_unreachable("not a kind of access");
}

/// s_load, s_buffer_load, s_scratch_load and their like.
void Describer::scalar() {
  const ArgumentInput Base = operand(OperandName::SBase);
  const ArgumentInput Index = operand(OperandName::SOffset);
  const ArgumentInput Offset = operand(OperandName::Offset);
  const uint32_t LostBits = std::min<unsigned>(Facts.Bytes, 4) - 1;
  ArgumentValue Address;
  if (Facts.Form == MemoryForm::ScalarBuffer)
    Address = {
        ArgumentForm::ScalarBuffer,
        LostBits,
        {part(Base, AMDGPU::sub0), part(Base, AMDGPU::sub1), Index, Offset}};
  else if (Facts.Form == MemoryForm::ScalarScratch)
    Address = {ArgumentForm::ScalarScratch, 0, {Base, Index, Offset}};
  else
    Address = {ArgumentForm::Scalar, LostBits, {Base, Index, Offset}};
  add(MemorySpace::Scalar, accessFlags(), Facts.Bytes, std::move(Address));
}

/// ds_read2 and its like: two immediate offsets that count elements, or 64 of
/// them.
void Describer::localPair() {
  const unsigned Unit =
      Facts.Form == MemoryForm::StridedPair ? 64 * Facts.Bytes : Facts.Bytes;
  for (OperandName N : {OperandName::Offset0, OperandName::Offset1})
    add(MemorySpace::LDS, accessFlags(), Facts.Bytes,
        {ArgumentForm::Local,
         0,
         {operand(OperandName::Addr), (immediate(N) & 0xff) * Unit}});
}

void Describer::localSource2() {
  const SmallVector<ArgumentInput, 4> Inputs = {operand(OperandName::Addr),
                                                operand(OperandName::Offset)};
  add(MemorySpace::LDS, accessFlags(), Facts.Bytes,
      {ArgumentForm::LocalFirst, 0, Inputs});
  add(MemorySpace::LDS, ReadsMemory, Facts.Bytes,
      {ArgumentForm::LocalSecond, 0, Inputs});
}

Error Describer::refusal() const {
  return refuse(RefusalReason::HookArguments,
                "the address of " + ST.getInstrInfo()->getName(MI.getOpcode()) +
                    " cannot be passed to a hook");
}

Error Describer::local() {
  if (immediate(OperandName::GDS) != 0)
    return refusal();
  const uint64_t Offset = immediate(OperandName::Offset) & 0xffff;
  switch (Facts.Form) {
  case MemoryForm::Pair:
  case MemoryForm::StridedPair:
    localPair();
    break;
  case MemoryForm::WithSecond:
    localSource2();
    break;
  case MemoryForm::Counter:
  case MemoryForm::ByLane:
    add(MemorySpace::LDS, accessFlags(), Facts.Bytes,
        {ArgumentForm::LocalByLane,
         Facts.Form == MemoryForm::ByLane ? 4u : 0u,
         {MCRegister(AMDGPU::M0), Offset}});
    break;
  default:
    add(MemorySpace::LDS, accessFlags(), Facts.Bytes,
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
  if (Facts.Bytes == amdgpu::FormatBytes) {
    if (Flags & SIInstrFlags::MTBUF) {
      const unsigned Format = immediate(OperandName::Format);
      return ArgumentValue::plain(
          uint64_t(amdgpu::formatSize(Traits.Buffers, Format)));
    }
    const ArgumentInput Word3 = part(operand(OperandName::SRsrc), AMDGPU::sub3);
    return {ArgumentForm::FormatSize, uint32_t(Traits.Buffers), {Word3}};
  }
  return ArgumentValue::plain(uint64_t(Facts.Bytes));
}

void Describer::addBypass(uint32_t AccessFlags) {
  const unsigned Bytes = Facts.Bytes == amdgpu::FormatBytes
                             ? 4
                             : std::max<unsigned>(4, Facts.Bytes);
  const uint64_t Offset = Flags & SIInstrFlags::FLAT
                              ? flatOffset()
                              : immediate(OperandName::Offset);
  add(MemorySpace::LDS, AccessFlags, Bytes,
      {ArgumentForm::LocalByLane, Bytes, {MCRegister(AMDGPU::M0), Offset}});
}

void Describer::flat() {
  const uint32_t AccessFlags = accessFlags();
  const uint64_t Offset = flatOffset();
  const ArgumentInput VAddr = operand(OperandName::VAddr);
  const std::optional<ArgumentInput> SAddr = find(OperandName::SAddr);
  const ArgumentInput Zero = uint64_t(0);
  if (Flags & SIInstrFlags::FlatScratch)
    add(MemorySpace::Scratch, AccessFlags, vectorSize(),
        {ArgumentForm::Private, 0, {VAddr, SAddr.value_or(Zero), Offset}});
  else if (Facts.Form == MemoryForm::ByLane)
    add(MemorySpace::Global, AccessFlags, vectorSize(),
        {ArgumentForm::GlobalByLane, 4, {SAddr.value_or(Zero), Offset}});
  else
    add(Flags & SIInstrFlags::FlatGlobal ? MemorySpace::Global
                                         : MemorySpace::Flat,
        AccessFlags, vectorSize(),
        {ArgumentForm::Global,
         0,
         {SAddr.value_or(VAddr), SAddr ? VAddr : Zero, Offset}});
  if (Facts.has(amdgpu::ThroughLds))
    addBypass(WritesMemory);
}

void Describer::buffer() {
  const uint32_t AccessFlags = accessFlags();
  const ArgumentInput Descriptor = operand(OperandName::SRsrc);
  const ArgumentInput VAddr = operand(OperandName::VAddr);
  ArgumentInput Index = uint64_t(0), Offset = uint64_t(0);
  switch (Facts.Address) {
  case amdgpu::BufferAddress::None:
    break;
  case amdgpu::BufferAddress::Offset:
    Offset = VAddr;
    break;
  case amdgpu::BufferAddress::Index:
    Index = VAddr;
    break;
  case amdgpu::BufferAddress::Both:
    Index = part(VAddr, AMDGPU::sub0);
    Offset = part(VAddr, AMDGPU::sub1);
    break;
  }
  add(MemorySpace::Buffer, AccessFlags, vectorSize(),
      {ArgumentForm::Buffer,
       uint32_t(Traits.Buffers),
       {part(Descriptor, AMDGPU::sub0), part(Descriptor, AMDGPU::sub1),
        part(Descriptor, AMDGPU::sub3), Index, Offset,
        operand(OperandName::SOffset), immediate(OperandName::Offset)}});
  if (Facts.has(amdgpu::ThroughLds))
    addBypass(AccessFlags == ReadsMemory ? WritesMemory : ReadsMemory);
}

Expected<Accesses> Describer::run() {
  if (Facts.Form == MemoryForm::Unaddressable)
    return refusal();
  if (Facts.Form == MemoryForm::LdsDirect || readsLdsDirect()) {
    direct();
  } else if (Facts.Form == MemoryForm::None) {
    return Accesses();
  } else if (Flags & SIInstrFlags::DS) {
    if (Error E = local())
      return std::move(E);
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
