// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OperationSamples.h"
#include "../emulator/coverage/Availability.h"
#include "../emulator/coverage/Operations.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIDefines.h"
#include "amdgpu/MCTarget.h"
#include "amdgpu/NamedOperands.h"
#include "amdgpu/OpcodeFacts.h"
#include "amdgpu/RegisterFiles.h"
#include "lift/Decoder.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCFixup.h"
#include <cstring>

using namespace llvm;

namespace luthier::test {
namespace {

using amdgpu::OperandName;
using amdgpu::RegisterFile;
using amdgpu::RegisterRange;

/// Registers of addresses, and the first ones of everything else in operations
/// that have an address.
constexpr unsigned AddressVGPR = 2, BaseSGPR = 8, ResourceSGPR = 12,
                   OffsetSGPR = 20, FirstDataVGPR = 16, FirstDataSGPR = 24;
constexpr unsigned EndOfSGPRs = 96;
constexpr unsigned BytesOfLane = 128;

constexpr struct {
  StringLiteral Prefix, Reason;
} OutOfScope[] = {
#define LUTHIER_OUT_OF_SCOPE(Prefix, Reason) {Prefix, Reason},
#include "../emulator/coverage/OutOfScope.def"
};

bool isInScope(StringRef Operation) {
  return none_of(OutOfScope, [&](const auto &Row) {
    return Operation.starts_with(Row.Prefix);
  });
}

bool accessesMemory(const MCInstrDesc &Desc) {
  constexpr uint64_t Kinds = SIInstrFlags::DS | SIInstrFlags::SMRD |
                             SIInstrFlags::FLAT | SIInstrFlags::MUBUF |
                             SIInstrFlags::MTBUF;
  return Desc.TSFlags & Kinds;
}

/// Leaves the line that code is lifted along.
bool leaves(unsigned Opcode, const MCInstrDesc &Desc) {
  return Desc.isCall() || Desc.isReturn() || Desc.isIndirectBranch() ||
         (Desc.isTerminator() && !Desc.isBranch());
}

class SampleMaker {
public:
  SampleMaker(const TargetCase &Target, std::mt19937_64 &Random);
  OperationSamples run();

private:
  bool addSample(unsigned Opcode, unsigned Try);
  MCInst instruction(unsigned Opcode, unsigned Try);
  MCRegister pick(unsigned Class, unsigned FirstVGPR, unsigned FirstSGPR);
  MCRegister exactly(unsigned Class, unsigned VGPR, unsigned SGPR) const;
  void setAddress(MCInst &Inst) const;
  int64_t immediate(unsigned Try) {
    return Try < 2 ? Try : Try == 2 ? -1 : int64_t(Random() % 16);
  }

  const TargetCase &Target;
  std::mt19937_64 &Random;
  OpcodeList Known;
  const amdgpu::MCTarget &MC;
  MCContext Context;
  std::unique_ptr<MCCodeEmitter> Emitter;
  Decoder Decode;
  OperationSamples Result;
};

std::string featuresOf(const TargetCase &Target) {
  const TargetTraits &Traits = *targetTraits(Target.Processor);
  std::string Features;
  if (Traits.Registers.hasTwoWaveSizes())
    Features = Target.WaveSize == 32 ? "+wavefrontsize32" : "+wavefrontsize64";
  return Traits.Instructions.HasTrue16 ? "+real-true16," + Features : Features;
}

SampleMaker::SampleMaker(const TargetCase &Target, std::mt19937_64 &Random)
    : Target(Target), Random(Random), Known(Target.Processor, Target.WaveSize),
      MC(cantFail(amdgpu::MCTarget::get(Target.Processor, featuresOf(Target)))),
      Context(MC.triple(), &MC.asmInfo(), &MC.registers(), &MC.subtarget()),
      Emitter(MC.target().createMCCodeEmitter(MC.instructions(), Context)),
      Decode(MC) {}

/// Any register of \p Class, from these on where it has such.
MCRegister SampleMaker::pick(unsigned Class, unsigned FirstVGPR,
                             unsigned FirstSGPR) {
  SmallVector<MCRegister, 128> Fitting;
  for (MCPhysReg Reg : MC.registers().getRegClass(Class)) {
    const RegisterRange Range = MC.registerFiles().rangeOf(Reg);
    if (Range.File == RegisterFile::SGPR
            ? Range.First >= FirstSGPR && Range.end() <= EndOfSGPRs
            : Range.isVector() && Range.First >= FirstVGPR &&
                  Range.end() <= OperationSamples::VGPRs)
      Fitting.push_back(Reg);
  }
  return Fitting.empty()
             ? MCRegister(*MC.registers().getRegClass(Class).begin())
             : Fitting[Random() % Fitting.size()];
}

MCRegister SampleMaker::exactly(unsigned Class, unsigned VGPR,
                                unsigned SGPR) const {
  for (MCPhysReg Reg : MC.registers().getRegClass(Class)) {
    const RegisterRange Range = MC.registerFiles().rangeOf(Reg);
    if (Range.File == RegisterFile::VGPR
            ? Range.First == VGPR
            : Range.File == RegisterFile::SGPR && Range.First == SGPR)
      return Reg;
  }
  return *MC.registers().getRegClass(Class).begin();
}

unsigned classOf(const amdgpu::MCTarget &MC, const MCOperandInfo &Info) {
  return unsigned(MC.instructions().getOpRegClassID(
      Info, MC.subtarget().getHwMode(MCSubtargetInfo::HwMode_RegInfo)));
}

void SampleMaker::setAddress(MCInst &Inst) const {
  const MCInstrDesc &Desc = MC.instructions().get(Inst.getOpcode());
  auto set = [&](OperandName Name, unsigned VGPR, unsigned SGPR) {
    const auto At = amdgpu::operandIndex(Inst.getOpcode(), Name);
    if (!At || *At >= Inst.getNumOperands() || !Inst.getOperand(*At).isReg())
      return;
    const unsigned Class = classOf(MC, Desc.operands()[*At]);
    const unsigned Bits = MC.registers().getRegClass(Class).getSizeInBits();
    Inst.getOperand(*At).setReg(
        exactly(Class, VGPR, Bits == 128 ? ResourceSGPR : SGPR));
  };
  set(OperandName::Addr, AddressVGPR, 0);
  set(OperandName::VAddr, AddressVGPR, 0);
  set(OperandName::SAddr, 0, BaseSGPR);
  set(OperandName::SBase, 0, BaseSGPR);
  set(OperandName::SRsrc, 0, ResourceSGPR);
  set(OperandName::SOffset, 0, OffsetSGPR);
  // 32 bits, as integers.
  if (auto At = amdgpu::operandIndex(Inst.getOpcode(), OperandName::Format))
    Inst.getOperand(*At).setImm(Target.isGfx9() ? 0x44 : 20);
}

MCInst SampleMaker::instruction(unsigned Opcode, unsigned Try) {
  const MCInstrDesc &Desc = MC.instructions().get(Opcode);
  const bool HasAddress = accessesMemory(Desc);
  MCInst Inst;
  Inst.setOpcode(Opcode);
  for (auto [I, Info] : enumerate(Desc.operands())) {
    const int Tied = Desc.getOperandConstraint(I, MCOI::TIED_TO);
    if (Tied >= 0)
      Inst.addOperand(Inst.getOperand(Tied));
    else if (const unsigned Class = classOf(MC, Info); int(Class) >= 0)
      Inst.addOperand(
          MCOperand::createReg(pick(Class, HasAddress ? FirstDataVGPR : 0,
                                    HasAddress ? FirstDataSGPR : 0)));
    else
      Inst.addOperand(
          MCOperand::createImm(Desc.isBranch() ? 0 : immediate(Try)));
  }
  if (HasAddress)
    setAddress(Inst);
  return Inst;
}

/// False if LLVM cannot encode such a one, or decodes it as something else.
bool SampleMaker::addSample(unsigned Opcode, unsigned Try) {
  SmallVector<char> Bytes;
  SmallVector<MCFixup> Fixups;
  Emitter->encodeInstruction(instruction(Opcode, Try), Bytes, Fixups,
                             MC.subtarget());
  const size_t Size = Bytes.size();
  Bytes.append(16, 0); // Room for what the encoding may ask for.
  const auto *Data = reinterpret_cast<const uint8_t *>(Bytes.data());
  OperationSample Sample;
  Sample.Operation = Known.decode({Data, Bytes.size()});
  if (!Result.Operations.count(Sample.Operation))
    return false;
  Expected<DecodedInstruction> Decoded = Decode.first({Data, Bytes.size()}, 0);
  if (!Decoded) {
    consumeError(Decoded.takeError());
    return false;
  }
  if (Decoded->Inst.getOpcode() != Opcode || Decoded->Size != Size)
    return false;
  Sample.Code.resize(Size / 4);
  std::memcpy(Sample.Code.data(), Data, Size);
  Result.Operations[Sample.Operation] = "";
  Result.Samples.push_back(std::move(Sample));
  return true;
}

OperationSamples SampleMaker::run() {
  constexpr unsigned Wanted = 2, Tries = 16;
  for (const std::string &Operation : Known.operations())
    if (isInScope(Operation))
      Result.Operations[Operation] = "no sample was found";
  for (unsigned Opcode = 0; Opcode < MC.instructions().getNumOpcodes();
       ++Opcode) {
    const MCInstrDesc &Desc = MC.instructions().get(Opcode);
    if (Desc.isPseudo() || leaves(Opcode, Desc) ||
        !isAvailable(Opcode, MC.subtarget().getFeatureBits()))
      continue;
    constexpr uint64_t Images =
        SIInstrFlags::MIMG | SIInstrFlags::VIMAGE | SIInstrFlags::VSAMPLE;
    if (Desc.TSFlags & Images ||
        !amdgpu::opcodeFacts(MC.instructions(), Opcode).IsKnown)
      continue;
    for (unsigned Try = 0, Found = 0; Try < Tries && Found < Wanted; ++Try)
      Found += addSample(Opcode, Try);
  }
  return std::move(Result);
}

} // namespace

OperationSamples makeSamples(const TargetCase &Target,
                             std::mt19937_64 &Random) {
  return SampleMaker(Target, Random).run();
}

void giveAddresses(const MachineInstr &MI, uint64_t Memory,
                   const TargetCase &Target, WaveState &State) {
  const uint64_t Flags = MI.getDesc().TSFlags;
  State.M0 = 0;
  if (!accessesMemory(MI.getDesc()))
    return;
  const bool IsScratch = Flags & SIInstrFlags::FlatScratch;
  const StringRef Name =
      MI.getMF()->getSubtarget().getInstrInfo()->getName(MI.getOpcode());
  if (Name.starts_with("S_SCRATCH"))
    State.ScratchAddressIn = BaseSGPR;
  const bool HasIndex = Name.contains("_IDXEN") || Name.contains("_BOTHEN");
  const bool AddsToBase =
      amdgpu::operandIndex(MI.getOpcode(), OperandName::SAddr).has_value();
  State.Scalars[BaseSGPR] = IsScratch ? 64 : uint32_t(Memory);
  State.Scalars[BaseSGPR + 1] = uint32_t(Memory >> 32);
  State.Scalars[ResourceSGPR] = uint32_t(Memory);
  State.Scalars[ResourceSGPR + 1] =
      uint32_t(Memory >> 32) | (HasIndex ? BytesOfLane << 16 : 0);
  State.Scalars[ResourceSGPR + 2] = WaveMemory::Global / 2;
  // Components in order, of 32 bits each, as integers; no check of records.
  State.Scalars[ResourceSGPR + 3] =
      0xfac | (Target.isGfx9() ? 4u << 12 | 4u << 15 : 20u << 12 | 3u << 28);
  State.Scalars[OffsetSGPR] = 0;
  for (unsigned Lane = 0; Lane < Target.WaveSize; ++Lane) {
    uint64_t Address = IsScratch ? 64 : uint64_t(Lane) * BytesOfLane;
    if (Flags & SIInstrFlags::FLAT && !IsScratch && !AddsToBase)
      Address += Memory;
    if (HasIndex)
      Address = Lane;
    State.Vectors[AddressVGPR * Target.WaveSize + Lane] = uint32_t(Address);
    State.Vectors[(AddressVGPR + 1) * Target.WaveSize + Lane] =
        uint32_t(Address >> 32);
  }
}

} // namespace luthier::test
