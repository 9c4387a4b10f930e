// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of operations know every opcode of every target, have no row for
// nothing, and agree with what LLVM says besides.
#include "amdgpu/OpcodeFacts.h"
#include "Availability.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIDefines.h"
#include "amdgpu/MCTarget.h"
#include "amdgpu/OpcodeMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <gtest/gtest.h>
#include <set>

using namespace llvm;
using namespace luthier;
using namespace luthier::amdgpu;

namespace {

/// What has an encoding on a processor with a row, and the encodings.
const std::set<unsigned> &allOpcodes() {
  static const std::set<unsigned> Result = [] {
    std::set<unsigned> Found;
    for (const TargetTraits &Row : allTargetTraits())
      for (StringRef WaveSize : {"+wavefrontsize32", "+wavefrontsize64"}) {
        if (!Row.Registers.hasTwoWaveSizes() && WaveSize.ends_with("32"))
          continue;
        std::string Features =
            Row.Registers.hasTwoWaveSizes() ? WaveSize.str() : "";
        if (Row.Instructions.HasTrue16)
          Features += ",+real-true16";
        const MCTarget &Target =
            cantFail(MCTarget::get(Row.Processor, Features));
        for (unsigned Opcode = 0;
             Opcode < Target.instructions().getNumOpcodes(); ++Opcode) {
          const auto Real = Target.opcodes().realOpcode(Opcode);
          if (Real &&
              test::isAvailable(*Real, Target.subtarget().getFeatureBits())) {
            Found.insert(Opcode);
            Found.insert(*Real);
          }
        }
      }
    return Found;
  }();
  return Result;
}

const MCInstrInfo &instructions() {
  return cantFail(MCTarget::get("gfx90a", "")).instructions();
}

OpcodeFacts factsOf(unsigned Opcode) {
  return opcodeFacts(instructions(), Opcode);
}

/// Kernels with these are refused.
bool isRefused(StringRef Name) { return Name.starts_with("S_SUBVECTOR_LOOP_"); }

TEST(OpcodeFacts, AreKnownOfAllThatDecodes) {
  EXPECT_GT(allOpcodes().size(), 30000u);
  for (unsigned Opcode : allOpcodes()) {
    const StringRef Name = instructions().getName(Opcode);
    EXPECT_EQ(factsOf(Opcode).IsKnown, !isRefused(Name)) << Name.str();
  }
}

TEST(OpcodeFacts, HaveNoRowForNothing) {
  StringSet<> Used;
  for (unsigned Opcode : allOpcodes()) {
    const StringRef Name = instructions().getName(Opcode);
    Used.insert(operationName(Name));
    if (auto [First, Second] = Name.split("_X_"); Name.starts_with("V_DUAL_"))
      Used.insert(operationName(("V_DUAL_" + Second).str()));
  }
  constexpr StringLiteral Lists[] = {
#define LUTHIER_OPERATIONS(Traits, ...) #__VA_ARGS__,
#include "amdgpu/ScalarOperations.def"
#define LUTHIER_OPERATIONS(Traits, ...) #__VA_ARGS__,
#include "amdgpu/VectorOperations.def"
#define LUTHIER_OPERATIONS(Traits, ...) #__VA_ARGS__,
#define LUTHIER_MEMORY(Traits, Form, Access, Bytes, ...) #__VA_ARGS__,
#include "amdgpu/MemoryOperations.def"
  };
  StringSet<> Rows;
  for (StringRef List : Lists)
    for (StringRef Name : split(List, ',')) {
      EXPECT_TRUE(Rows.insert(Name.trim()).second)
          << Name.str() << " has two rows";
      EXPECT_TRUE(Used.contains(Name.trim())) << Name.str();
    }
  EXPECT_GT(Rows.size(), 1000u);
}

TEST(OpcodeFacts, TakeNothingForGrantedWithoutARow) {
  // Of a later processor.
  for (unsigned Opcode :
       {unsigned(AMDGPU::V_TANH_F32_e32), unsigned(AMDGPU::PHI)}) {
    const OpcodeFacts Facts = factsOf(Opcode);
    EXPECT_FALSE(Facts.IsKnown);
    EXPECT_TRUE(Facts.has(Escapes));
    EXPECT_TRUE(Facts.has(ReadsAnyLane));
    EXPECT_TRUE(Facts.has(WritesPart));
    EXPECT_EQ(Facts.Form, MemoryForm::Unaddressable);
  }
}

TEST(OpcodeFacts, SayOfMemoryWhatLLVMSaysOfIt) {
  for (unsigned Opcode : allOpcodes()) {
    const MCInstrDesc &Desc = instructions().get(Opcode);
    const OpcodeFacts Facts = factsOf(Opcode);
    const std::string Name = instructions().getName(Opcode).str();
    if (Facts.Access != NoAccess) {
      EXPECT_EQ(Desc.mayLoad(), Facts.Access != Store ||
                                    Facts.has(ThroughLds) ||
                                    Facts.Form == MemoryForm::WithSecond)
          << Name;
      EXPECT_EQ(Desc.mayStore(), Facts.Access != Load || Facts.has(ThroughLds))
          << Name;
    }
    // LLVM counts plain stores to LDS among those without a result.
    if (Desc.TSFlags & SIInstrFlags::IsAtomicRet)
      EXPECT_TRUE(Facts.Access == Atomic || Facts.Access == NoAccess) << Name;
    if (Facts.has(ThroughLds))
      EXPECT_TRUE(Desc.TSFlags & SIInstrFlags::VALU) << Name;
  }
}

/// Bytes that a load leaves in registers, going by their class.
TEST(OpcodeFacts, KnowHowWideLoadsAre) {
  const MCTarget &Target = cantFail(MCTarget::get("gfx90a", ""));
  unsigned Checked = 0;
  for (unsigned Opcode : allOpcodes()) {
    const MCInstrDesc &Desc = instructions().get(Opcode);
    const OpcodeFacts Facts = factsOf(Opcode);
    // Lanes of a transposing load share what they load.
    if (Facts.Access != Load ||
        Facts.has(WritesPart | ThroughLds | ReadsAnyLane) ||
        Facts.Bytes == FormatBytes || Desc.getNumDefs() != 1)
      continue;
    const int Class = Target.instructions().getOpRegClassID(
        Desc.operands()[0],
        Target.subtarget().getHwMode(MCSubtargetInfo::HwMode_RegInfo));
    if (Class < 0)
      continue;
    const bool IsPair =
        Facts.Form == MemoryForm::Pair || Facts.Form == MemoryForm::StridedPair;
    EXPECT_EQ(Target.registers().getRegClass(Class).getSizeInBits(),
              std::max(4u, Facts.Bytes * (IsPair ? 2u : 1u)) * 8)
        << instructions().getName(Opcode).str();
    ++Checked;
  }
  EXPECT_GT(Checked, 500u);
}

TEST(OpcodeFacts, DifferByAddressingModeAndEncoding) {
  EXPECT_EQ(factsOf(AMDGPU::BUFFER_LOAD_DWORD_OFFSET).Address,
            BufferAddress::None);
  EXPECT_EQ(factsOf(AMDGPU::BUFFER_LOAD_DWORD_OFFEN).Address,
            BufferAddress::Offset);
  EXPECT_EQ(factsOf(AMDGPU::BUFFER_LOAD_DWORD_IDXEN).Address,
            BufferAddress::Index);
  EXPECT_EQ(factsOf(AMDGPU::BUFFER_LOAD_DWORD_BOTHEN).Address,
            BufferAddress::Both);
  EXPECT_TRUE(factsOf(AMDGPU::BUFFER_LOAD_DWORD_LDS_OFFEN).has(ThroughLds));
  EXPECT_TRUE(factsOf(AMDGPU::BUFFER_LOAD_DWORD_TFE_OFFEN).has(WritesPart));
  EXPECT_FALSE(factsOf(AMDGPU::BUFFER_LOAD_DWORD_OFFEN).has(WritesPart));
  for (unsigned Opcode :
       {AMDGPU::V_ADD_F16_e32, AMDGPU::V_ADD_F16_e64, AMDGPU::V_ADD_F16_sdwa,
        AMDGPU::V_ADD_F16_t16_e64, AMDGPU::V_ADD_F16_fake16_e64})
    EXPECT_TRUE(factsOf(Opcode).has(WritesHalf));
}

} // namespace
