// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the prologue does for the numbers that waves keep (KeptNumbers.h).
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "rewrite/emit/Prologue.h"
#include "rewrite/emit/WaveInGroup.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {

/// Behind the registers that may hold ids, where a work-item's number is
/// computed.
static constexpr unsigned NumItemVGPRs = 2;

/// Where \p N is until everything else is where the application expects it.
MCRegister Prologue::numberRegister(CallSiteCode &Code, KeptNumber N) const {
  return Code.sgpr(numberPlace(N));
}
unsigned Prologue::numberPlace(KeptNumber N) const {
  const unsigned Counter = Needs.Numbers.counterOf(N);
  if (ComputesInCounters && Needs.Numbers.has(N) &&
      Counter < Needs.CounterStarts.size())
    return counterPlace(Counter);
  return Temporary + 4 + unsigned(N);
}

/// For one id of a workgroup or work-item.
MCRegister Prologue::idRegister(CallSiteCode &Code) const {
  return Code.sgpr(Temporary + 4 + NumKeptNumbers);
}

/// In the first temporary registers, as LaunchArguments has them, in the one
/// that becomes the wave's number, and what is not computed in its own.
void Prologue::computeNumbers(CallSiteCode &Code) const {
  using C = CallSiteCode;
  const MCOperand Arguments =
      C::reg(Code.sgprPair(*After.at(LaunchValue::KernargPtr)));
  auto load = [&](MCRegister To, HiddenArgument From) {
    if (Needs.Numbers.arguments() & hiddenBit(From))
      Code.op(AMDGPU::S_LOAD_DWORD_IMM,
              {C::reg(To), Arguments, C::imm(Needs.HiddenArguments.at(From)),
               C::imm(0)});
  };
  const MCRegister Wave = numberRegister(Code, KeptNumber::Wave);
  Code.awaitALU();
  load(Code.sgpr(Temporary), HiddenArgument::BlocksX);
  load(Code.sgpr(Temporary + 1), HiddenArgument::BlocksY);
  load(Code.sgpr(Temporary + 2), HiddenArgument::ItemsX);
  load(Code.sgpr(Temporary + 3), HiddenArgument::ItemsY);
  load(Wave, HiddenArgument::WavesPerGroup);
  load(numberRegister(Code, KeptNumber::GroupMemory),
       HiddenArgument::GroupMemory);
  Code.awaitMemory();
  if (Needs.Numbers.needsBlock())
    computeBlock(Code);
  if (Needs.Numbers.needsWaveInGroup())
    computeWaveInGroup(Code);
  if (!Needs.Numbers.has(KeptNumber::Wave))
    return;
  Code.op(AMDGPU::S_MUL_I32, {C::reg(Wave), C::reg(Wave),
                              C::reg(numberRegister(Code, KeptNumber::Block))});
  Code.op(AMDGPU::S_ADD_U32,
          {C::reg(Wave), C::reg(Wave),
           C::reg(numberRegister(Code, KeptNumber::WaveInGroup))});
}

/// x + blocks by x * (y + blocks by y * z)
void Prologue::computeBlock(CallSiteCode &Code) const {
  using C = CallSiteCode;
  const MCRegister Block = numberRegister(Code, KeptNumber::Block);
  auto op = [&](unsigned Opcode, MCOperand By) {
    Code.op(Opcode, {C::reg(Block), C::reg(Block), By});
  };
  auto idOf = [&](StateValue Axis) {
    return C::reg(workgroupId(Code, Axis, idRegister(Code)));
  };
  Code.move(Block, Code.sgpr(Temporary + 1));
  op(AMDGPU::S_MUL_I32, idOf(StateValue::WorkgroupIdZ));
  op(AMDGPU::S_ADD_U32, idOf(StateValue::WorkgroupIdY));
  op(AMDGPU::S_MUL_I32, C::reg(Code.sgpr(Temporary)));
  op(AMDGPU::S_ADD_U32, idOf(StateValue::WorkgroupIdX));
}

/// (x + items by x * (y + items by y * z)) / lanes, of the work-item in lane 0,
/// which every wave has. By vector instructions, if the kernel has registers
/// for them, of which it has not written any yet: one scalar unit serves all
/// SIMDs.
void Prologue::computeWaveInGroup(CallSiteCode &Code) const {
  if (Needs.ApplicationVGPRs >= MaxLaunchVGPRs + NumItemVGPRs)
    computeWaveInGroupInLanes(Code);
  else
    computeWaveInGroupAsScalar(Code);
}

void Prologue::computeWaveInGroupInLanes(CallSiteCode &Code) const {
  using C = CallSiteCode;
  const MCOperand Item = C::reg(Code.vgpr(MaxLaunchVGPRs)),
                  Id = C::reg(Code.vgpr(MaxLaunchVGPRs + 1));
  // Where it is, or comes to be.
  auto idOf = [&](unsigned Axis, MCOperand To) {
    if (!Traits.PacksWorkItemIds)
      return C::reg(Code.vgpr(Axis));
    Code.op(AMDGPU::V_BFE_U32_e64,
            {To, C::reg(Code.vgpr(0)), C::imm(Axis * WorkItemIdBits),
             C::imm(WorkItemIdBits)});
    return To;
  };
  MCOperand Sum = idOf(2, Item);
  for (unsigned Axis : {1, 0}) {
    Code.op(AMDGPU::V_MAD_U32_U24_e64,
            {Item, Sum, C::reg(Code.sgpr(Temporary + 2 + Axis)), idOf(Axis, Id),
             C::imm(0)});
    Sum = Item;
  }
  Code.op(AMDGPU::V_LSHRREV_B32_e32,
          {Item, C::imm(Log2_32(Needs.WaveSize)), Item});
  // gfx942 wants one before a lane of a result is read.
  Code.waitStates(1);
  Code.readLane(numberRegister(Code, KeptNumber::WaveInGroup),
                Code.vgpr(MaxLaunchVGPRs), 0);
  Code.awaitALU();
}

void Prologue::computeWaveInGroupAsScalar(CallSiteCode &Code) const {
  const MCRegister Number = numberRegister(Code, KeptNumber::WaveInGroup),
                   Id = idRegister(Code), Packed = Code.sgpr(Temporary);
  if (Traits.PacksWorkItemIds) {
    Code.readLane(Packed, Code.vgpr(0), 0);
    Code.awaitALU();
  }
  auto readId = [&](unsigned Axis) {
    if (Traits.PacksWorkItemIds) {
      unpackWorkItemId(Code, Id, Packed, Axis);
    } else {
      Code.readLane(Id, Code.vgpr(Axis), 0);
      Code.awaitALU();
    }
    return Id;
  };
  emitWaveInGroup(Code,
                  {Number, Number, Code.sgpr(Temporary + 2),
                   Code.sgpr(Temporary + 3), Needs.WaveSize},
                  readId);
}

/// Ids of the work-item in lane 0, ten bits for each of x, y and z, where the
/// wave's number in its workgroup comes to be.
void Prologue::keepFirstItem(CallSiteCode &Code) const {
  using C = CallSiteCode;
  if (!Needs.Numbers.needsWaveInGroup())
    return;
  const MCRegister Item = numberRegister(Code, KeptNumber::WaveInGroup),
                   Id = idRegister(Code);
  if (Traits.PacksWorkItemIds) {
    Code.readLane(Item, Code.vgpr(0), 0);
    return Code.awaitALU();
  }
  Code.readLane(Item, Code.vgpr(2), 0);
  for (unsigned Axis : {1, 0}) {
    Code.readLane(Id, Code.vgpr(Axis), 0);
    Code.awaitALU();
    Code.op(AMDGPU::S_LSHL_B32,
            {C::reg(Item), C::reg(Item), C::imm(WorkItemIdBits)});
    Code.op(AMDGPU::S_OR_B32, {C::reg(Item), C::reg(Item), C::reg(Id)});
  }
}

/// Those that have no scalar registers.
void Prologue::captureNumbers(CallSiteCode &Code) const {
  const unsigned NumScalar = Needs.CounterStarts.size();
  for (KeptNumber N : AllKeptNumbers) {
    if (!Needs.Numbers.has(N) || Needs.Numbers.counterOf(N) < NumScalar)
      continue;
    const unsigned Lane = lanesOf(StateValue::Accumulators).First +
                          2 * (Needs.Numbers.counterOf(N) - NumScalar);
    Code.awaitALU();
    Code.writeLane(stateRegister(Code), Lane,
                   CallSiteCode::reg(numberRegister(Code, N)));
  }
}

} // namespace luthier
