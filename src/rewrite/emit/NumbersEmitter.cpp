// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/emit/NumbersEmitter.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "rewrite/emit/WaveInGroup.h"

using namespace llvm;

namespace luthier {

/// \p Number has the packed ids of the wave's first work-item until then.
static void computeWaveInGroup(CallSiteCode &Code, MCRegister Number,
                               MCRegister Items, const PayloadABI &ABI) {
  const MCRegister Id = Code.half(ABI.ExecSave, 1);
  emitWaveInGroup(Code,
                  {Number, Code.half(ABI.ExecSave, 0), Code.half(Items, 0),
                   Code.half(Items, 1), ABI.WaveSize},
                  [&](unsigned Axis) {
                    unpackWorkItemId(Code, Id, Number, Axis);
                    return Id;
                  });
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
    computeWaveInGroup(Code, registerOf(KeptNumber::WaveInGroup), Items, ABI);
  if (Hooks.Late->KeepsSCC)
    Code.restoreSCC(ABI.SccSave);
  Code.awaitALU();
}

} // namespace luthier
