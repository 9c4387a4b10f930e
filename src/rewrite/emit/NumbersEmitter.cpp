// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/emit/NumbersEmitter.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "analysis/WaitCounters.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {

/// (x + items by x * (y + items by y * z)) / lanes, where \p Item has x, y and
/// z at first, and the number in the end. \p Items has items by x and y.
///   s_bfe_u32 s30, s20, 0xa0014
///   s_mul_i32 s30, s30, s29
///   s_bfe_u32 s31, s20, 0xa000a
///   s_add_u32 s30, s30, s31
///   s_mul_i32 s30, s30, s28
///   s_and_b32 s20, s20, 0x3ff
///   s_add_u32 s20, s20, s30
///   s_lshr_b32 s20, s20, 6
static void computeWave(CallSiteCode &Code, MCRegister Item, MCRegister Items,
                        MCRegister Temporaries, unsigned WaveSize) {
  using C = CallSiteCode;
  const MCOperand Wave = C::reg(Item), Sum = C::reg(Code.half(Temporaries, 0)),
                  Id = C::reg(Code.half(Temporaries, 1));
  constexpr int IdBits = 10;
  Code.op(AMDGPU::S_BFE_U32, {Sum, Wave, C::imm(IdBits << 16 | 2 * IdBits)});
  Code.op(AMDGPU::S_MUL_I32, {Sum, Sum, C::reg(Code.half(Items, 1))});
  Code.op(AMDGPU::S_BFE_U32, {Id, Wave, C::imm(IdBits << 16 | IdBits)});
  Code.op(AMDGPU::S_ADD_U32, {Sum, Sum, Id});
  Code.op(AMDGPU::S_MUL_I32, {Sum, Sum, C::reg(Code.half(Items, 0))});
  Code.op(AMDGPU::S_AND_B32, {Wave, Wave, C::imm((1 << IdBits) - 1)});
  Code.op(AMDGPU::S_ADD_U32, {Wave, Wave, Sum});
  Code.op(AMDGPU::S_LSHR_B32, {Wave, Wave, C::imm(Log2_32(WaveSize))});
}

void emitNumbers(const HookPlan &Hooks, CallSiteCode &Code) {
  using C = CallSiteCode;
  const PayloadABI &ABI = Hooks.Registers.ABI;
  auto registerOf = [&](KeptNumber N) {
    return Code.sgpr(ABI.FirstCounterSGPR + 2 * ABI.Numbers.counterOf(N));
  };
  auto load = [&](unsigned Opcode, MCRegister To, HiddenArgument From) {
    Code.op(Opcode, {C::reg(To), C::reg(Hooks.Late->Arguments),
                     C::imm(ABI.HiddenArguments.at(From)), C::imm(0)});
  };
  if (Hooks.Late->KeepsSCC)
    Code.saveSCC(ABI.SccSave);
  Code.awaitALU();
  const MCRegister Items = ABI.VccSave; // First x, and y behind it.
  if (ABI.Numbers.needsWaveInGroup())
    load(AMDGPU::S_LOAD_DWORDX2_IMM, Items, HiddenArgument::ItemsX);
  if (ABI.Numbers.has(KeptNumber::GroupMemory))
    load(AMDGPU::S_LOAD_DWORD_IMM, registerOf(KeptNumber::GroupMemory),
         HiddenArgument::GroupMemory);
  Code.awaitScalarLoads();
  if (ABI.Numbers.needsWaveInGroup())
    computeWave(Code, registerOf(KeptNumber::WaveInGroup), Items, ABI.ExecSave,
                ABI.WaveSize);
  if (Hooks.Late->KeepsSCC)
    Code.restoreSCC(ABI.SccSave);
  Code.awaitALU();
}

} // namespace luthier
