// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/emit/WaveInGroup.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {

void unpackWorkItemId(CallSiteCode &Code, MCRegister To, MCRegister Packed,
                      unsigned Axis) {
  using C = CallSiteCode;
  constexpr unsigned FirstOfWidth = 16;
  Code.op(AMDGPU::S_BFE_U32,
          {C::reg(To), C::reg(Packed),
           C::imm(WorkItemIdBits << FirstOfWidth | Axis * WorkItemIdBits)});
}

/// (x + items by x * (y + items by y * z)) / lanes:
///   s_mul_i32 s30, <z>, s29
///   s_add_u32 s30, s30, <y>
///   s_mul_i32 s30, s30, s28
///   s_add_u32 s30, s30, <x>
///   s_lshr_b32 s20, s30, 6
void emitWaveInGroup(CallSiteCode &Code, const WaveInGroupRegisters &Use,
                     function_ref<MCRegister(unsigned)> IdOf) {
  using C = CallSiteCode;
  const MCOperand Sum = C::reg(Use.Sum);
  Code.op(AMDGPU::S_MUL_I32, {Sum, C::reg(IdOf(2)), C::reg(Use.ItemsY)});
  Code.op(AMDGPU::S_ADD_U32, {Sum, Sum, C::reg(IdOf(1))});
  Code.op(AMDGPU::S_MUL_I32, {Sum, Sum, C::reg(Use.ItemsX)});
  Code.op(AMDGPU::S_ADD_U32, {Sum, Sum, C::reg(IdOf(0))});
  Code.op(AMDGPU::S_LSHR_B32,
          {C::reg(Use.Result), Sum, C::imm(Log2_32(Use.WaveSize))});
}

} // namespace luthier
