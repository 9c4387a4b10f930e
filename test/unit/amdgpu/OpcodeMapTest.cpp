// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the map of opcodes and that of registers take for granted of LLVM's
// names and tables.
#include "amdgpu/OpcodeMap.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/MCTarget.h"
#include "amdgpu/RegisterFiles.h"
#include <gtest/gtest.h>

// Of LLVM's generated table, which OpcodeMap.cpp compiles.
namespace llvm::AMDGPU {
enum Subtarget : int;
int getMCOpcodeGen(uint16_t Opcode, Subtarget Column);
} // namespace llvm::AMDGPU

using namespace llvm;
using namespace luthier;
using namespace luthier::amdgpu;

namespace {

const MCTarget &gfx90a() { return cantFail(MCTarget::get("gfx90a", "")); }

TEST(OpcodeMap, OnlyPseudosHaveRows) {
  const MCInstrInfo &MCII = gfx90a().instructions();
  unsigned Rows = 0;
  for (unsigned Opcode = 0; Opcode < MCII.getNumOpcodes(); ++Opcode) {
    constexpr int NoRow = -1;
    if (AMDGPU::getMCOpcodeGen(Opcode, AMDGPU::Subtarget(0)) == NoRow)
      continue;
    ++Rows;
    EXPECT_TRUE(MCII.get(Opcode).isPseudo()) << MCII.getName(Opcode).str();
  }
  EXPECT_GT(Rows, 0u);
}

TEST(OpcodeMap, KnowsRegistersByTheirNamesOfAGeneration) {
  const OpcodeMap &Map = gfx90a().opcodes();
  EXPECT_EQ(Map.realRegister(AMDGPU::M0), AMDGPU::M0_gfxpre11);
  EXPECT_EQ(Map.pseudoRegister(AMDGPU::M0_gfxpre11), AMDGPU::M0);
  EXPECT_EQ(Map.realRegister(AMDGPU::TTMP4_TTMP5),
            AMDGPU::TTMP4_TTMP5_gfx9plus);
  EXPECT_EQ(Map.realRegister(AMDGPU::FLAT_SCR_LO), AMDGPU::FLAT_SCR_LO_vi);
  EXPECT_EQ(Map.realRegister(AMDGPU::VGPR7), AMDGPU::VGPR7);
}

TEST(RegisterFiles, CountsTheRegistersOfATuple) {
  const RegisterFiles &Files = gfx90a().registerFiles();
  auto expect = [&](MCRegister Reg, RegisterFile File, unsigned First,
                    unsigned Count) {
    const RegisterRange R = Files.rangeOf(Reg);
    SCOPED_TRACE(gfx90a().registers().getName(Reg));
    EXPECT_EQ(R.File, File);
    EXPECT_EQ(R.First, First);
    EXPECT_EQ(R.Count, Count);
  };
  expect(AMDGPU::SGPR5, RegisterFile::SGPR, 5, 1);
  expect(AMDGPU::SGPR96_SGPR97_SGPR98_SGPR99, RegisterFile::SGPR, 96, 4);
  expect(AMDGPU::VGPR4_VGPR5_VGPR6, RegisterFile::VGPR, 4, 3);
  expect(AMDGPU::VGPR31_LO16, RegisterFile::VGPR, 31, 1);
  expect(AMDGPU::AGPR9_HI16, RegisterFile::AGPR, 9, 1);
  expect(AMDGPU::SGPR_NULL, RegisterFile::None, 0, 0);
  expect(AMDGPU::TTMP4_TTMP5, RegisterFile::None, 0, 0);
  expect(AMDGPU::VCC, RegisterFile::None, 0, 0);
}

TEST(RegisterFiles, HasTuplesWhereTheyCanBegin) {
  const RegisterFiles &Files = gfx90a().registerFiles();
  for (RegisterFile File :
       {RegisterFile::SGPR, RegisterFile::VGPR, RegisterFile::AGPR}) {
    SCOPED_TRACE(unsigned(File));
    for (unsigned First : {0u, 32u}) {
      const RegisterRange R = Files.rangeOf(Files.widest(File, First));
      EXPECT_EQ(R.File, File);
      EXPECT_EQ(R.First, First);
      EXPECT_EQ(R.Count, RegisterFiles::Widest);
    }
    EXPECT_FALSE(Files.widest(File, Files.count(File) - 31));
    EXPECT_FALSE(Files.widest(File, Files.count(File)));
  }
  EXPECT_FALSE(Files.widest(RegisterFile::SGPR, 2)) << "not aligned";
  EXPECT_EQ(Files.pair(RegisterFile::VGPR, 7), AMDGPU::VGPR7_VGPR8);
  EXPECT_EQ(Files.pair(RegisterFile::SGPR, 6), AMDGPU::SGPR6_SGPR7);
  EXPECT_FALSE(Files.pair(RegisterFile::SGPR, 7));
}

} // namespace
