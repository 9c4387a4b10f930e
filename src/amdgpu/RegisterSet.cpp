// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/RegisterSet.h"
#include "amdgpu/RegisterFiles.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include <cassert>
#include <memory>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
}

using namespace llvm;

namespace luthier {
namespace {

/// "FLAT_SCR_LO_vi_HI16" is a part of "FLAT_SCR_LO" under a generation's name.
StringRef baseName(StringRef Name, bool &IsPartial) {
  IsPartial = Name.consume_back("_LO16") || Name.consume_back("_HI16");
  for (StringRef Suffix :
       {"_gfxpre11", "_gfx11plus", "_gfx9plus", "_vi", "_ci"})
    if (Name.consume_back(Suffix))
      break;
  return Name;
}

RegisterUnits specialUnits(StringRef Name) {
  using S = RegisterSet;
  auto units = [](uint16_t First, uint16_t Count = 1) {
    return RegisterUnits{First, Count, false};
  };
  return StringSwitch<RegisterUnits>(Name)
      .Cases({"SCC", "SRC_SCC"}, units(S::SCC))
      .Cases({"VCC", "SRC_VCCZ"}, units(S::VCCLo, 2))
      .Case("VCC_LO", units(S::VCCLo))
      .Case("VCC_HI", units(S::VCCHi))
      .Cases({"EXEC", "SRC_EXECZ"}, units(S::EXECLo, 2))
      .Case("EXEC_LO", units(S::EXECLo))
      .Case("EXEC_HI", units(S::EXECHi))
      // An operand out of LDS, at the address in M0.
      .Cases({"M0", "LDS_DIRECT"}, units(S::M0))
      .Case("MODE", units(S::MODE))
      .Cases({"FLAT_SCR", "SRC_FLAT_SCRATCH_BASE"}, units(S::FlatScratchLo, 2))
      .Cases({"FLAT_SCR_LO", "SRC_FLAT_SCRATCH_BASE_LO"},
             units(S::FlatScratchLo))
      .Cases({"FLAT_SCR_HI", "SRC_FLAT_SCRATCH_BASE_HI"},
             units(S::FlatScratchHi))
      .Case("XNACK_MASK", units(S::XnackMaskLo, 2))
      .Case("XNACK_MASK_LO", units(S::XnackMaskLo))
      .Case("XNACK_MASK_HI", units(S::XnackMaskHi))
      .Default({});
}

/// Register numbers are the same for all processors of the target.
std::vector<RegisterUnits> makeTable() {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  Triple TT("amdgcn-amd-amdhsa");
  std::string Message;
  const Target *T = TargetRegistry::lookupTarget(TT, Message);
  assert(T && "the AMDGPU target is part of the LLVM we link");
  std::unique_ptr<MCRegisterInfo> MRI(T->createMCRegInfo(TT));
  const auto &Files = amdgpu::RegisterFiles::of(*MRI);
  std::vector<RegisterUnits> Table(MRI->getNumRegs());
  for (unsigned Id = 1; Id < Table.size(); ++Id) {
    bool IsPartial = false;
    amdgpu::RegisterRange Range = Files.rangeOf(Id);
    // Most are tuples, with long names.
    StringRef Name =
        Range.Count > 1 ? "" : baseName(MRI->getName(Id), IsPartial);
    RegisterUnits &Units = Table[Id];
    if (Range.File == amdgpu::RegisterFile::None)
      Units = specialUnits(Name);
    else
      Units = {
          uint16_t(Range.First + (Range.File == amdgpu::RegisterFile::VGPR
                                      ? RegisterSet::FirstVGPR
                                  : Range.File == amdgpu::RegisterFile::AGPR
                                      ? RegisterSet::FirstAGPR
                                      : 0)),
          uint16_t(Range.Count), false};
    Units.IsPartial = IsPartial;
  }
  return Table;
}

constexpr const char *SpecialNames[] = {
    "scc",           "vcc_lo",          "vcc_hi",
    "exec_lo",       "exec_hi",         "m0",
    "mode",          "flat_scratch_lo", "flat_scratch_hi",
    "xnack_mask_lo", "xnack_mask_hi"};
static_assert(std::size(SpecialNames) ==
              RegisterSet::SpecialEnd - RegisterSet::SCC);

} // namespace

RegisterUnits unitsOf(MCRegister Reg) {
  // Never destroyed: threads may still be at work while the process ends.
  static const auto &Table = *new std::vector<RegisterUnits>(makeTable());
  return Table[Reg.id()];
}

RegisterSet RegisterSet::all() {
  RegisterSet Result = allVectors();
  for (unsigned U = 0; U < SpecialEnd; ++U)
    if (U < NumSGPRs || U >= SCC)
      Result.addUnit(U);
  return Result;
}

RegisterSet RegisterSet::allVectors() {
  RegisterSet Result;
  for (unsigned Word = FirstVGPR / 64; Word < Result.Words.size(); ++Word)
    Result.Words[Word] = ~uint64_t(0);
  return Result;
}

bool RegisterSet::contains(MCRegister Reg) const {
  return contains(unitsOf(Reg));
}

bool RegisterSet::contains(RegisterUnits Units) const {
  for (unsigned I = 0; I < Units.Count; ++I)
    if (unit(Units.First + I))
      return true;
  return false;
}

void RegisterSet::add(RegisterUnits Units) {
  for (unsigned I = 0; I < Units.Count; ++I)
    addUnit(Units.First + I);
}

void RegisterSet::remove(RegisterUnits Units) {
  for (unsigned U = Units.First; U < Units.First + Units.Count; ++U)
    Words[U / 64] &= ~(uint64_t(1) << (U % 64));
}

BitVector RegisterSet::numbers(unsigned Begin, unsigned End) const {
  BitVector Result;
  for (unsigned U = Begin; U < End; ++U)
    if (unit(U)) {
      Result.resize(U - Begin + 1);
      Result.set(U - Begin);
    }
  return Result;
}

BitVector RegisterSet::sgprs() const { return numbers(0, NumSGPRs); }
BitVector RegisterSet::vgprs() const { return numbers(FirstVGPR, FirstAGPR); }
BitVector RegisterSet::agprs() const { return numbers(FirstAGPR, NumUnits); }

void RegisterSet::print(raw_ostream &OS) const {
  StringRef Separator = "";
  auto printFile = [&](char Letter, unsigned Begin, unsigned End) {
    for (unsigned U = Begin; U < End; ++U) {
      if (!unit(U))
        continue;
      unsigned Last = U;
      while (Last + 1 < End && unit(Last + 1))
        ++Last;
      OS << Separator << Letter << U - Begin;
      if (Last != U)
        OS << '-' << Letter << Last - Begin;
      Separator = " ";
      U = Last;
    }
  };
  printFile('s', 0, NumSGPRs);
  printFile('v', FirstVGPR, FirstAGPR);
  printFile('a', FirstAGPR, NumUnits);
  for (unsigned U = SCC; U < SpecialEnd; ++U) {
    if (!unit(U))
      continue;
    StringRef Name = SpecialNames[U - SCC];
    // Both halves go by one name.
    if (Name.ends_with("_lo") && unit(U + 1)) {
      Name = Name.drop_back(3);
      ++U;
    }
    OS << Separator << Name;
    Separator = " ";
  }
  if (Separator.empty())
    OS << "none";
}

} // namespace luthier
