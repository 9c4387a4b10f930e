// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/emit/Prologue.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIDefines.h"
#include "rewrite/emit/ParallelMove.h"
#include "rewrite/emit/WaveInGroup.h"

using namespace llvm;
using namespace llvm::amdhsa;

namespace luthier {
namespace {

/// Values that hardware has in registers, as it lays them out.
struct Captured {
  StateValue State;
  LaunchValue Launch;
};
constexpr Captured Direct[] = {
    {StateValue::KernargPtr, LaunchValue::KernargPtr},
    {StateValue::DispatchPtr, LaunchValue::DispatchPtr},
    {StateValue::QueuePtr, LaunchValue::QueuePtr},
    {StateValue::DispatchId, LaunchValue::DispatchId},
};
constexpr Captured WorkgroupIds[] = {
    {StateValue::WorkgroupIdX, LaunchValue::WorkgroupIdX},
    {StateValue::WorkgroupIdY, LaunchValue::WorkgroupIdY},
    {StateValue::WorkgroupIdZ, LaunchValue::WorkgroupIdZ},
};
constexpr unsigned AllIds = 2;
/// Of group_segment_size in the dispatch packet.
constexpr unsigned GroupSegmentOffset = 28;

unsigned workItemIds(const KernelDescriptor &D) {
  return AMDHSA_BITS_GET(D.raw().compute_pgm_rsrc2,
                         COMPUTE_PGM_RSRC2_ENABLE_VGPR_WORKITEM_ID);
}

/// Asks for all that \p Needs takes; returns what the layout was.
LaunchLayout extend(const PrologueNeeds &Needs, KernelDescriptor &D,
                    const LaunchTraits &Traits) {
  LaunchLayout Before(D, Traits);
  // Hooks may need the registers, of which there are few.
  disablePreload(D);
  if (Needs.PreloadsArguments)
    enable(D, LaunchValue::KernargPtr, Traits);
  if (!Needs.any())
    return Before;
  if (Needs.Guard || !Needs.Numbers.empty())
    enable(D, LaunchValue::KernargPtr, Traits);
  if (Needs.Guard || Needs.Numbers.needsBlock())
    for (const Captured &C : WorkgroupIds)
      enable(D, C.Launch, Traits);
  auto wants = [&](StateValue Value) {
    return Needs.StateValues & stateBit(Value);
  };
  for (const Captured &C : Direct)
    if (wants(C.State))
      enable(D, C.Launch, Traits);
  for (const Captured &C : WorkgroupIds)
    if (wants(C.State))
      enable(D, C.Launch, Traits);
  if (wants(StateValue::LdsBase))
    enable(D, LaunchValue::DispatchPtr, Traits);
  if (Needs.Stack.IsUsed) {
    enable(D, LaunchValue::WaveOffset, Traits);
    enable(D, LaunchValue::FlatScratchInit, Traits);
  }
  if (Needs.readsIds())
    AMDHSA_BITS_SET(D.raw().compute_pgm_rsrc2,
                    COMPUTE_PGM_RSRC2_ENABLE_VGPR_WORKITEM_ID, AllIds);
  return Before;
}

} // namespace

Prologue::Prologue(const PrologueNeeds &Needs, KernelDescriptor &D,
                   const LaunchTraits &Traits)
    : Needs(Needs), Traits(Traits), Before(D, Traits), After(D, Traits),
      Preloaded(D.preloadedDwords()), PreloadOffset(D.preloadOffset()),
      IdsBefore(workItemIds(D)) {
  Before = extend(Needs, D, Traits);
  After = LaunchLayout(D, Traits);
  const unsigned LaunchEnd = alignTo(std::max(Before.end(), After.end()), 2);
  Temporary = LaunchEnd;
  if (avoidsReads())
    Temporary = std::max<unsigned>(Temporary, alignTo(Needs.OwnSGPR, 2));
  const unsigned CountersEnd =
      Needs.FirstCounterSGPR + 2 * Needs.CounterStarts.size();
  ComputesInCounters =
      !Needs.Numbers.empty() && Needs.FirstCounterSGPR >= LaunchEnd &&
      std::max(Temporary, CountersEnd) + Needs.temporaries() <= Needs.SGPRLimit;
  if (ComputesInCounters)
    Temporary = std::max(Temporary, CountersEnd);
}

void Prologue::write(CallSiteCode &Code) const {
  if (!Needs.any() && !Needs.PreloadsArguments && !Needs.DefinesSCC &&
      Needs.CounterStarts.empty() && !Needs.NumLaneCounters)
    return;
  if (Needs.Stack.IsUsed)
    setUpScratch(Code);
  if (Needs.NumbersAreLate)
    keepFirstItem(Code);
  else if (!Needs.Numbers.empty())
    computeNumbers(Code);
  if (Needs.WorkItemIds)
    captureIds(Code);
  if (Needs.readsIds())
    maskIds(Code);
  if (Needs.State)
    captureState(Code);
  if (Needs.Guard)
    findWorkgroup(Code);
  moveToOriginal(Code);
  if (Needs.PreloadsArguments)
    loadArguments(Code);
  if (Needs.Guard)
    leaveOthers(Code);
  setCounters(Code);
  clearLaneCounters(Code);
  // Points may branch on SCC, to keep it, before the application has set it.
  if (Needs.DefinesSCC || (Needs.State && !Needs.State->Exec))
    Code.setSCC(false);
  Code.awaitALU();
  // Lanes of the state have been written from scalar registers.
  Code.forgetReads();
  if (leavesHazards())
    Code.waitStates(Code.waits().LeaveStates);
}

/// For what s_mov writes, hardware waits, and the application reads no register
/// that only holds the state.
bool Prologue::leavesHazards() const {
  const bool HasOwnRegister =
      !Needs.State || Needs.State->Form == StateValueArrayForm::Vgpr;
  return !HasOwnRegister || Needs.readsIds() || Needs.Stack.IsUsed ||
         Needs.PreloadsArguments;
}

/// The wave's base for flat scratch instructions: the same value that the
/// application's own set-up, if any, computes.
///   s_add_u32 flat_scratch_lo, s4, s9
///   s_addc_u32 flat_scratch_hi, s5, 0
void Prologue::setUpScratch(CallSiteCode &Code) const {
  if (Traits.Scratch == ScratchSetup::Architected)
    return;
  const unsigned Init = *After.at(LaunchValue::FlatScratchInit);
  const unsigned Offset = *After.at(LaunchValue::WaveOffset);
  const bool IsPair = Traits.Scratch == ScratchSetup::RegisterPair;
  const MCRegister Low =
      IsPair ? MCRegister(AMDGPU::FLAT_SCR_LO) : Code.sgpr(Temporary);
  const MCRegister High =
      IsPair ? MCRegister(AMDGPU::FLAT_SCR_HI) : Code.sgpr(Temporary + 1);
  using C = CallSiteCode;
  Code.op(AMDGPU::S_ADD_U32,
          {C::reg(Low), C::reg(Code.sgpr(Init)), C::reg(Code.sgpr(Offset))});
  Code.op(AMDGPU::S_ADDC_U32,
          {C::reg(High), C::reg(Code.sgpr(Init + 1)), C::imm(0)});
  if (IsPair)
    return;
  constexpr unsigned AllBits = 31 << 11;
  Code.op(AMDGPU::S_SETREG_B32,
          {C::reg(Low), C::imm(AMDGPU::Hwreg::ID_FLAT_SCR_LO | AllBits)});
  Code.op(AMDGPU::S_SETREG_B32,
          {C::reg(High), C::imm(AMDGPU::Hwreg::ID_FLAT_SCR_HI | AllBits)});
}

MCRegister Prologue::atEntry(CallSiteCode &Code, MCRegister Wanted) const {
  for (unsigned N = 0; N < MaxLaunchVGPRs; ++N)
    if (Wanted == Code.vgpr(N))
      return Needs.Entry;
  return Wanted;
}

/// Lanes that are not active now do not exist.
void Prologue::captureIds(CallSiteCode &Code) const {
  using C = CallSiteCode;
  const MCRegister Ids = atEntry(Code, Needs.WorkItemIds), X = Code.vgpr(0);
  if (Traits.PacksWorkItemIds) {
    Code.moveVector(Ids, X);
  } else {
    Code.op(AMDGPU::V_LSHL_OR_B32_e64, {C::reg(Ids), C::reg(Code.vgpr(1)),
                                        C::imm(WorkItemIdBits), C::reg(X)});
    Code.op(AMDGPU::V_LSHL_OR_B32_e64,
            {C::reg(Ids), C::reg(Code.vgpr(2)), C::imm(2 * WorkItemIdBits),
             C::reg(Ids)});
  }
  if (!Needs.SpillWorkItemIds)
    return;
  const MCRegister Address = Code.sgpr(Temporary + 1);
  Code.set(Address, Needs.Stack.Base);
  Code.awaitALU();
  Code.store(Ids, Address, StackPlan::WorkItemIds);
}

/// The application does not mask what it knows to be zero.
void Prologue::maskIds(CallSiteCode &Code) const {
  using C = CallSiteCode;
  if (!Traits.PacksWorkItemIds || IdsBefore == AllIds)
    return;
  const MCOperand X = C::reg(Code.vgpr(0));
  const unsigned Mask = (1u << (WorkItemIdBits * (IdsBefore + 1))) - 1;
  Code.op(AMDGPU::V_AND_B32_e32, {X, C::imm(Mask), X});
}

/// Launch state that the application does not read may have been in them.
void Prologue::setCounters(CallSiteCode &Code) const {
  SmallVector<RegisterMove, 4> Moves;
  for (KeptNumber N : AllKeptNumbers)
    if (const unsigned Counter = Needs.Numbers.counterOf(N);
        Needs.Numbers.has(N) && Counter < Needs.CounterStarts.size() &&
        !ComputesInCounters)
      Moves.push_back({counterPlace(Counter), numberPlace(N)});
  for (const RegisterMove &M : sequentialize(Moves, Temporary))
    Code.move(Code.sgpr(M.To), Code.sgpr(M.From));
  for (const auto &[N, Start] : enumerate(Needs.CounterStarts))
    if (N >= Needs.Numbers.size())
      Code.setPair(Code.sgprPair(counterPlace(N)), Start);
}

/// Lanes that do not exist are added up with the others, in the end. Their
/// registers are not the application's, nor do they hold launch state: what
/// reads that comes first.
void Prologue::clearLaneCounters(CallSiteCode &Code) const {
  using C = CallSiteCode;
  if (!Needs.NumLaneCounters)
    return;
  const MCRegister Exec = AMDGPU::VCC; // Holds nothing at entry.
  Code.moveMask(Exec, AMDGPU::EXEC);
  Code.activateAll();
  for (unsigned N = 0; N < 2 * Needs.NumLaneCounters; ++N)
    Code.op(AMDGPU::V_MOV_B32_e32,
            {C::reg(Code.vgpr(Needs.FirstLaneVGPR + N)), C::imm(0)});
  Code.moveMask(AMDGPU::EXEC, Exec);
}

/// \p Zero is 0 in all lanes, which are active.
void Prologue::clearStackCounters(CallSiteCode &Code, MCRegister Zero) const {
  if (!Needs.Stack.IsUsed || !Needs.Stack.NumCounters)
    return;
  const MCRegister Address = Code.sgpr(Temporary + 3);
  Code.set(Address, Needs.Stack.Base);
  Code.awaitALU();
  for (unsigned N = 0; N < Needs.Stack.NumCounters; ++N)
    Code.store(Zero, Address, StackPlan::counterSlot(N));
}

void Prologue::captureState(CallSiteCode &Code) const {
  using C = CallSiteCode;
  const MCRegister State = stateRegister(Code);
  const MCRegister Exec = AMDGPU::VCC; // Holds nothing at entry.
  Code.moveMask(Exec, AMDGPU::EXEC);
  Code.activateAll();
  Code.op(AMDGPU::V_MOV_B32_e32, {C::reg(State), C::imm(0)});
  clearStackCounters(Code, State);
  for (const Captured &V : Direct)
    if (wants(V.State))
      for (unsigned I = 0; I < lanesOf(V.State).Count; ++I)
        captureLane(Code, lanesOf(V.State).First + I, *After.at(V.Launch) + I);
  captureWorkgroupIds(Code);
  if (wants(StateValue::LdsBase))
    captureLdsBase(Code);
  captureNumbers(Code);
  Code.awaitALU();
  Needs.State->store(Code, Needs.Stack, State, Code.sgpr(Temporary + 3));
  // None holds launch state any more: ids are where hooks want them.
  for (unsigned N = 0; N < Needs.NumCounterVGPRs; ++N)
    Code.op(AMDGPU::V_MOV_B32_e32,
            {C::reg(Code.vgpr(Needs.FirstCounterVGPR + N)), C::imm(0)});
  Code.moveMask(AMDGPU::EXEC, Exec);
}

void Prologue::captureLane(CallSiteCode &Code, unsigned Lane,
                           unsigned SGPR) const {
  MCRegister From = Code.sgpr(SGPR);
  if (avoidsReads()) {
    From = Code.sgpr(Temporary);
    Code.move(From, Code.sgpr(SGPR));
    Code.awaitALU();
  }
  Code.writeLane(stateRegister(Code), Lane, CallSiteCode::reg(From));
}

void Prologue::captureWorkgroupIds(CallSiteCode &Code) const {
  using C = CallSiteCode;
  const MCOperand Field = C::reg(Code.sgpr(Temporary));
  for (const Captured &V : WorkgroupIds) {
    if (!wants(V.State))
      continue;
    MCOperand Source = Field;
    if (!Traits.HasTtmpIds)
      Source = C::reg(Code.sgpr(*After.at(V.Launch)));
    else if (V.State == StateValue::WorkgroupIdX)
      Code.op(AMDGPU::S_MOV_B32, {Field, C::reg(AMDGPU::TTMP9)});
    else if (V.State == StateValue::WorkgroupIdY)
      Code.op(AMDGPU::S_AND_B32,
              {Field, C::reg(AMDGPU::TTMP7), C::imm(0xffff)});
    else
      Code.op(AMDGPU::S_LSHR_B32, {Field, C::reg(AMDGPU::TTMP7), C::imm(16)});
    Code.awaitALU();
    Code.writeLane(stateRegister(Code), lanesOf(V.State).First, Source);
  }
}

/// The hooks' shared memory lies at the end of the workgroup's:
///   s_load_dword s20, s[4:5], 28     the packet's group_segment_size
///   s_sub_u32 s20, s20, <bytes>
///   s_and_b32 s20, s20, -<alignment>
void Prologue::captureLdsBase(CallSiteCode &Code) const {
  using C = CallSiteCode;
  const MCRegister Base = Code.sgpr(Temporary + 2);
  Code.op(AMDGPU::S_LOAD_DWORD_IMM,
          {C::reg(Base),
           C::reg(Code.sgprPair(*After.at(LaunchValue::DispatchPtr))),
           C::imm(GroupSegmentOffset), C::imm(0)});
  Code.awaitMemory();
  Code.op(AMDGPU::S_SUB_U32,
          {C::reg(Base), C::reg(Base), C::imm(Needs.LdsBytes)});
  Code.op(AMDGPU::S_AND_B32,
          {C::reg(Base), C::reg(Base), C::imm(-int64_t(Needs.LdsAlign))});
  Code.awaitALU();
  Code.writeLane(stateRegister(Code), lanesOf(StateValue::LdsBase).First,
                 C::reg(Base));
}

MCRegister Prologue::workgroupId(CallSiteCode &Code, StateValue Axis,
                                 MCRegister Temporary) const {
  using C = CallSiteCode;
  if (!Traits.HasTtmpIds) {
    for (const Captured &V : WorkgroupIds)
      if (V.State == Axis)
        return Code.sgpr(*After.at(V.Launch));
    llvm_unreachable("no axis");
  }
  if (Axis == StateValue::WorkgroupIdX)
    return AMDGPU::TTMP9;
  if (Axis == StateValue::WorkgroupIdY)
    Code.op(AMDGPU::S_AND_B32,
            {C::reg(Temporary), C::reg(AMDGPU::TTMP7), C::imm(0xffff)});
  else
    Code.op(AMDGPU::S_LSHR_B32,
            {C::reg(Temporary), C::reg(AMDGPU::TTMP7), C::imm(16)});
  Code.awaitALU();
  return Temporary;
}

/// The number is x + blocks by x * (y + blocks by y * z):
///   s_load_dword s20, s[4:5], <BlocksX>
///   s_load_dword s21, s[4:5], <BlocksY>
///   s_mul_i32 s21, s21, s8
///   s_add_u32 s21, s21, s7
///   s_mul_i32 s20, s20, s21
///   s_add_u32 s20, s20, s6
///   s_sub_u32 s20, s20, <First>
///   s_cmp_le_u32 s20, <Last - First>
void Prologue::findWorkgroup(CallSiteCode &Code) const {
  using C = CallSiteCode;
  const MCOperand Number = C::reg(Code.sgpr(Temporary)),
                  Rows = C::reg(Code.sgpr(Temporary + 1)),
                  Arguments =
                      C::reg(Code.sgprPair(*After.at(LaunchValue::KernargPtr)));
  const MCRegister Id = Code.sgpr(Temporary + 2);
  auto idOf = [&](StateValue Axis) {
    return C::reg(workgroupId(Code, Axis, Id));
  };
  auto op = [&](unsigned Opcode, MCOperand To, MCOperand By) {
    Code.op(Opcode, {To, To, By});
  };
  Code.awaitALU();
  Code.op(AMDGPU::S_LOAD_DWORD_IMM,
          {Number, Arguments,
           C::imm(Needs.HiddenArguments.at(HiddenArgument::BlocksX)),
           C::imm(0)});
  Code.op(AMDGPU::S_LOAD_DWORD_IMM,
          {Rows, Arguments,
           C::imm(Needs.HiddenArguments.at(HiddenArgument::BlocksY)),
           C::imm(0)});
  Code.awaitMemory();
  op(AMDGPU::S_MUL_I32, Rows, idOf(StateValue::WorkgroupIdZ));
  op(AMDGPU::S_ADD_U32, Rows, idOf(StateValue::WorkgroupIdY));
  op(AMDGPU::S_MUL_I32, Number, Rows);
  op(AMDGPU::S_ADD_U32, Number, idOf(StateValue::WorkgroupIdX));
  const detail::WorkgroupRange Inside = Needs.Guard->Inside;
  op(AMDGPU::S_SUB_U32, Number, C::imm(int32_t(Inside.First)));
  Code.op(AMDGPU::S_CMP_LE_U32,
          {Number, C::imm(int32_t(Inside.Last - Inside.First))});
}

/// Every register is as the application expects it, which has nothing above.
void Prologue::leaveOthers(CallSiteCode &Code) const {
  const MCRegister To = Code.sgprPair(Temporary);
  Code.unlessSCC([&] {
    // What it does not wait for, the original may read at once.
    Code.awaitALU();
    Code.waitStates(Code.waits().LeaveStates);
    Code.set(Code.half(To, 0), Lo_32(Needs.Guard->Original));
    Code.set(Code.half(To, 1), Hi_32(Needs.Guard->Original));
    Code.awaitALU();
    Code.op(AMDGPU::S_SETPC_B64, {CallSiteCode::reg(To)});
  });
}

void Prologue::moveToOriginal(CallSiteCode &Code) const {
  SmallVector<RegisterMove, 16> Moves;
  if (copiesKernargPtr())
    for (unsigned Part = 0; Part < dwordsOf(LaunchValue::KernargPtr); ++Part)
      Code.move(Code.sgpr(kernargCopy() + Part),
                Code.sgpr(*After.at(LaunchValue::KernargPtr) + Part));
  // Not the size that hardware takes from the packet, which has grown.
  const std::optional<unsigned> Size =
      Needs.Stack.IsUsed ? Before.at(LaunchValue::PrivateSegmentSize)
                         : std::nullopt;
  for (unsigned I = 0; I < NumLaunchValues; ++I) {
    const auto Value = LaunchValue(I);
    if (std::optional<unsigned> To = Before.at(Value); To && To != Size)
      for (unsigned Part = 0; Part < dwordsOf(Value); ++Part)
        Moves.push_back({*To + Part, *After.at(Value) + Part});
  }
  // A kernel without a stack may yet set FLAT_SCRATCH for what it calls, from
  // the register behind its own, where it expects the offset that it has not
  // asked for. The stack of hooks is reached through that.
  if (Needs.Stack.IsUsed && !Before.at(LaunchValue::WaveOffset))
    if (std::optional<unsigned> Offset = After.at(LaunchValue::WaveOffset))
      Moves.push_back({Before.end(), *Offset});
  for (const RegisterMove &M : sequentialize(Moves, Temporary))
    Code.move(Code.sgpr(M.To), Code.sgpr(M.From));
  if (Size)
    Code.set(Code.sgpr(*Size), alignTo(Needs.ApplicationStack, 4));
}

/// As hardware would have done it.
void Prologue::loadArguments(CallSiteCode &Code) const {
  using C = CallSiteCode;
  const MCRegister Arguments =
      Code.sgprPair(Before.at(LaunchValue::KernargPtr).value_or(kernargCopy()));
  Code.awaitALU();
  for (unsigned I = 0; I < Preloaded;) {
    const unsigned To = Before.preloaded() + I;
    const bool IsPair = To % 2 == 0 && I + 1 < Preloaded;
    Code.op(IsPair ? AMDGPU::S_LOAD_DWORDX2_IMM : AMDGPU::S_LOAD_DWORD_IMM,
            {C::reg(IsPair ? Code.sgprPair(To) : Code.sgpr(To)),
             C::reg(Arguments), C::imm((PreloadOffset + I) * 4), C::imm(0)});
    I += IsPair ? 2 : 1;
  }
  Code.awaitMemory();
}

} // namespace luthier
