// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decoder shows LLVM one dword where that is enough. What it gets must be
// what LLVM makes of all that follows, too.
#include "emulator/exec/ShortCode.h"
#include "llvm-c/Target.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include "gtest/gtest.h"
#include <random>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}

namespace luthier::test {
namespace {

struct Device {
  const char *Processor;
  const char *Features;
};

constexpr Device Devices[] = {
    {"gfx906", ""},
    {"gfx908", ""},
    {"gfx90a", ""},
    {"gfx942", ""},
    {"gfx950", ""},
    {"gfx1030", "+wavefrontsize32,-wavefrontsize64"},
    {"gfx1030", "-wavefrontsize32,+wavefrontsize64"},
    {"gfx1100", "+wavefrontsize32,-wavefrontsize64,+real-true16"},
    {"gfx1100", "-wavefrontsize32,+wavefrontsize64,+real-true16"},
    {"gfx1201", "+wavefrontsize32,-wavefrontsize64,+real-true16"},
    {"gfx1201", "-wavefrontsize32,+wavefrontsize64,+real-true16"},
};

class ShortCodeTest : public ::testing::TestWithParam<Device> {
protected:
  ShortCodeTest() {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    std::string Error;
    const llvm::Target *T = llvm::TargetRegistry::lookupTarget(TT, Error);
    Registers.reset(T->createMCRegInfo(TT));
    Assembly.reset(T->createMCAsmInfo(*Registers, TT, Options));
    Subtarget.reset(T->createMCSubtargetInfo(TT, GetParam().Processor,
                                             GetParam().Features));
    Context = std::make_unique<llvm::MCContext>(
        TT, Assembly.get(), Registers.get(), Subtarget.get());
    Disassembler.reset(T->createMCDisassembler(*Subtarget, *Context));
  }

  struct Decoded {
    llvm::MCDisassembler::DecodeStatus Status;
    uint64_t Size = 0;
    std::string Text;
    bool operator==(const Decoded &) const = default;
  };
  Decoded decode(const uint32_t (&Words)[5], unsigned Count) {
    llvm::MCInst MI;
    Decoded D;
    D.Status = Disassembler->getInstruction(
        MI, D.Size, {reinterpret_cast<const uint8_t *>(Words), 4 * Count}, 0,
        llvm::nulls());
    llvm::raw_string_ostream OS(D.Text);
    MI.print(OS);
    return D;
  }

  llvm::Triple TT{"amdgcn-amd-amdhsa"};
  llvm::MCTargetOptions Options;
  std::unique_ptr<llvm::MCRegisterInfo> Registers;
  std::unique_ptr<llvm::MCAsmInfo> Assembly;
  std::unique_ptr<llvm::MCSubtargetInfo> Subtarget;
  std::unique_ptr<llvm::MCContext> Context;
  std::unique_ptr<llvm::MCDisassembler> Disassembler;
};

TEST_P(ShortCodeTest, WhatFollowsChangesNothing) {
  constexpr unsigned Seed = 11;
  std::mt19937 Random(Seed);
  unsigned NumShort = 0;
  // All encodings and opcodes are told apart by the bits above the eighth; the
  // opcodes of VOP1 and SOP1 lie among the lower 16.
  for (uint32_t High = 0; High != 3u << 14; ++High)
    for (unsigned Repetition = 0; Repetition != 3; ++Repetition) {
      const uint32_t Word = High << 16 | (Random() & 0xffff);
      if (!emulator::mayEndHere(Word))
        continue;
      const uint32_t Zeros[5] = {Word};
      const Decoded Short = decode(Zeros, 1);
      if (Short.Status == llvm::MCDisassembler::Fail)
        continue;
      ++NumShort;
      const uint32_t Others[5] = {Word, uint32_t(Random()), uint32_t(Random()),
                                  uint32_t(Random()), uint32_t(Random())};
      for (const auto *Words : {&Zeros, &Others}) {
        const Decoded Long = decode(*Words, 5);
        ASSERT_EQ(Short.Size, Long.Size) << std::hex << Word;
        ASSERT_EQ(Short.Text, Long.Text) << std::hex << Word;
        ASSERT_EQ(Short.Status, Long.Status) << std::hex << Word;
      }
    }
  EXPECT_GT(NumShort, 50'000u);
}

INSTANTIATE_TEST_SUITE_P(Devices, ShortCodeTest, ::testing::ValuesIn(Devices),
                         [](const auto &Info) {
                           return std::string(Info.param.Processor) + "_" +
                                  std::to_string(Info.index);
                         });

} // namespace
} // namespace luthier::test
