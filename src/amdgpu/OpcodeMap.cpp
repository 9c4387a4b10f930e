// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "amdgpu/OpcodeMap.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIDefines.h"
#include "amdgpu/RegisterFiles.h"
#include "amdgpu/TargetTraits.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

// The table is not exported from libLLVM, so this library has its own copy.
#define GET_INSTRMAP_INFO
#include "AMDGPUGenInstrInfo.inc"

using namespace llvm;

namespace luthier::amdgpu {
namespace {

/// The table's answer: nothing for an opcode that has no row (it is real, or
/// for LLVM alone), -1 for a pseudo without an encoding in this column.
std::optional<int> lookUp(unsigned Opcode, int Column) {
  int Result =
      AMDGPU::getMCOpcodeGen(Opcode, static_cast<AMDGPU::Subtarget>(Column));
  if (Result == -1)
    return std::nullopt;
  return static_cast<uint16_t>(Result) == UINT16_MAX ? -1 : Result;
}

int findReal(unsigned Opcode, const MCInstrInfo &MCII,
             const EncodingTraits &Traits) {
  // Real ones have no row, and looking for it in vain takes longest.
  if (!MCII.get(Opcode).isPseudo())
    return Opcode;
  // Of code in GPR-index mode: forms that say so in their operands.
  if (Opcode == AMDGPU::V_MOV_B32_indirect_read ||
      Opcode == AMDGPU::V_MOV_B32_indirect_write)
    Opcode = AMDGPU::V_MOV_B32_e32;
  const uint64_t Flags = MCII.get(Opcode).TSFlags;
  int Column = Traits.Base;
  if (Flags & SIInstrFlags::renamedInGFX9)
    Column = Traits.Renamed;
  if (Flags & SIInstrFlags::SDWA)
    Column = Traits.SDWA;
  if (Flags & SIInstrFlags::IsMAI)
    if (int EarlyClobber = AMDGPU::getMFMAEarlyClobberOp(Opcode);
        EarlyClobber != -1)
      Opcode = EarlyClobber;
  std::optional<int> Real = lookUp(Opcode, Column);
  if (!Real)
    return -1;
  for (int Override : Traits.Overrides)
    if (int Better = lookUp(Opcode, Override).value_or(-1); Better != -1)
      return Better;
  // New in GFX9, such as additions without carry.
  if (*Real == -1 && Traits.Renamed != Column)
    return lookUp(Opcode, Traits.Renamed).value_or(-1);
  return *Real;
}

/// Several pseudos can share one encoding: a terminator form, a form for tied
/// operands. The plain one has the longest name that begins the real name.
bool isBetterPseudo(StringRef Candidate, StringRef Current, StringRef Real) {
  bool CandidateFits = Real.starts_with(Candidate);
  bool CurrentFits = Real.starts_with(Current);
  if (CandidateFits != CurrentFits)
    return CandidateFits;
  return CandidateFits ? Candidate.size() > Current.size()
                       : Candidate.size() < Current.size();
}

} // namespace

OpcodeMap::OpcodeMap(const MCInstrInfo &MCII, const MCRegisterInfo &MRI,
                     const MCSubtargetInfo &STI)
    : RealOf(MCII.getNumOpcodes(), None), PseudoOf(MCII.getNumOpcodes()) {
  for (unsigned Opcode = 0; Opcode < PseudoOf.size(); ++Opcode)
    PseudoOf[Opcode] = Opcode;
  const EncodingTraits &Traits = targetTraits(STI).Encodings;
  for (unsigned Opcode = 0; Opcode < RealOf.size(); ++Opcode) {
    int Real = findReal(Opcode, MCII, Traits);
    if (Real < 0)
      continue;
    RealOf[Opcode] = Real;
    if (static_cast<unsigned>(Real) == Opcode)
      continue;
    uint16_t &Pseudo = PseudoOf[Real];
    if (Pseudo == Real ||
        isBetterPseudo(MCII.getName(Opcode), MCII.getName(Pseudo),
                       MCII.getName(Real)))
      Pseudo = Opcode;
  }
  mapRegisters(MRI, STI);
}

std::optional<unsigned> OpcodeMap::realOpcode(unsigned Opcode) const {
  if (Opcode >= RealOf.size() || RealOf[Opcode] == None)
    return std::nullopt;
  return RealOf[Opcode];
}

void OpcodeMap::mapRegisters(const MCRegisterInfo &MRI,
                             const MCSubtargetInfo &STI) {
  const unsigned Count = MRI.getNumRegs();
  RealRegister.resize(Count);
  PseudoRegister.resize(Count);
  const RegisterFiles &Files = RegisterFiles::of(MRI);
  StringMap<unsigned> Special;
  for (unsigned Reg = 0; Reg < Count; ++Reg) {
    RealRegister[Reg] = PseudoRegister[Reg] = Reg;
    // Those of the files, by far the most, have one name.
    if (Reg && Files.rangeOf(Reg).File == RegisterFile::None)
      Special[MRI.getName(Reg)] = Reg;
  }
  const EncodingTraits &Traits = targetTraits(STI).Encodings;
  for (const auto &[Name, Reg] : Special)
    for (StringRef Suffix : Traits.RegisterSuffixes)
      if (auto Real = Special.find((Name + Suffix).str());
          Real != Special.end()) {
        RealRegister[Reg] = Real->second;
        PseudoRegister[Real->second] = Reg;
        break;
      }
  // A pair that reads as zero is encoded like the single register.
  RealRegister[AMDGPU::SGPR_NULL64] = RealRegister[AMDGPU::SGPR_NULL];
}

} // namespace luthier::amdgpu
