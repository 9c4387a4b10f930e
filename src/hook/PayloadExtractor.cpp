// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/PayloadExtractor.h"
#include "SIInstrInfo.h"
#include "amdgpu/RegisterFiles.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier {
namespace {

/// Reads something whose writer, just before the payload, hardware does not
/// wait for.
bool needsDistance(const MachineInstr &MI) {
  switch (MI.getOpcode()) {
  case AMDGPU::S_GETREG_B32:
  case AMDGPU::V_READLANE_B32:
  case AMDGPU::V_WRITELANE_B32:
    return true;
  default:
    return SIInstrInfo::isDPP(MI);
  }
}

/// Spills and local variables: scratch instructions, or buffer instructions
/// through the stack's descriptor (four scalar registers).
bool accessesStack(const MachineInstr &MI, const amdgpu::RegisterFiles &Files) {
  if (SIInstrInfo::isFLATScratch(MI))
    return true;
  return SIInstrInfo::isMUBUF(MI) &&
         any_of(MI.explicit_operands(), [&](const MachineOperand &MO) {
           return MO.isReg() &&
                  Files.rangeOf(MO.getReg().asMCReg()).Count == 4 &&
                  !Files.rangeOf(MO.getReg().asMCReg()).isVector();
         });
}

class PayloadExtractor {
public:
  PayloadExtractor(const MachineFunction &MF, amdgpu::MachineEncoder &Encoder,
                   const PayloadFrame &Frame, Payload &Result)
      : MF(MF), Encoder(Encoder), Frame(Frame), Result(Result) {}

  Error run();

private:
  Error noteEffects(const MachineInstr &MI);
  Error noteRegister(MCRegister Reg, const MachineOperand &MO);
  void noteClobber(const amdgpu::RegisterRange &Range);
  void dropWritten();
  void noteLoads();
  bool isDroppableWait(const MachineInstr &MI) const;

  const MachineFunction &MF;
  amdgpu::MachineEncoder &Encoder;
  const PayloadFrame &Frame;
  Payload &Result;
  bool HasLoads = false;
};

/// Memory operations whose result lands in a register: they must have landed
/// before the application goes on, since the register is used again.
void PayloadExtractor::noteLoads() {
  for (const MachineBasicBlock &MBB : MF)
    for (const MachineInstr &MI : MBB)
      if (MI.mayLoad() && MI.getNumExplicitDefs() > 0)
        HasLoads = true;
}

/// LLVM makes every function wait for all outstanding operations at its entry
/// and before it returns, for callers' sake. A payload needs the first wait
/// only if it touches registers that an operation of the application may still
/// write, the second only for its own loads.
bool PayloadExtractor::isDroppableWait(const MachineInstr &MI) const {
  if (MI.getOpcode() != AMDGPU::S_WAITCNT)
    return false;
  const MachineBasicBlock &MBB = *MI.getParent();
  if (&MBB == &MF.front() && MI.getIterator() == MBB.begin() &&
      MBB.pred_empty())
    return !Result.ReadsApplication;
  auto Next = std::next(MI.getIterator());
  return Next != MBB.end() && Next->isReturn() && !HasLoads;
}

static void setBits(BitVector &Bits, const amdgpu::RegisterRange &Range) {
  if (Bits.size() < Range.end())
    Bits.resize(Range.end());
  Bits.set(Range.First, Range.end());
}

void PayloadExtractor::noteClobber(const amdgpu::RegisterRange &Range) {
  switch (Range.File) {
  case amdgpu::RegisterFile::SGPR:
    return setBits(Result.SGPRs, Range);
  case amdgpu::RegisterFile::VGPR:
    return setBits(Result.VGPRs, Range);
  case amdgpu::RegisterFile::AGPR:
    return setBits(Result.AGPRs, Range);
  case amdgpu::RegisterFile::None:
    return;
  }
}

Error PayloadExtractor::noteRegister(MCRegister Reg, const MachineOperand &MO) {
  switch (Reg.id()) {
  case AMDGPU::SCC:
    Result.ClobbersSCC |= MO.isDef();
    return Error::success();
  case AMDGPU::VCC:
  case AMDGPU::VCC_LO:
  case AMDGPU::VCC_HI:
    Result.ClobbersVCC |= MO.isDef();
    return Error::success();
  case AMDGPU::EXEC:
  case AMDGPU::EXEC_LO:
  case AMDGPU::EXEC_HI:
    // Structured control flow puts EXEC back; writeExec need not, and was
    // noted when it was lowered.
    return Error::success();
  case AMDGPU::M0:
    Result.ClobbersM0 |= MO.isDef();
    return Error::success();
  case AMDGPU::MODE:
    if (MO.isDef())
      return refuse(RefusalReason::UnsupportedHook,
                    "a hook changes the floating point mode");
    return Error::success();
  default:
    break;
  }
  amdgpu::RegisterRange Range = Encoder.target().registerFiles().rangeOf(Reg);
  if (Range.File == amdgpu::RegisterFile::AGPR && MO.isDef() &&
      Range.end() > (Result.WritesApplication ? Frame.ApplicationAGPRs : 0))
    return refuse(RefusalReason::RegisterBudget,
                  "a hook needs accumulation registers");
  if (MO.isDef())
    noteClobber(Range);
  const bool IsVector = Range.File == amdgpu::RegisterFile::VGPR;
  if (!IsVector && Range.File != amdgpu::RegisterFile::SGPR)
    return Error::success();
  const unsigned First = Range.First, End = Range.end();
  unsigned Limit = IsVector ? Frame.VGPRLimit : Frame.SGPRLimit;
  unsigned Begin = IsVector ? Frame.FirstVGPR : Frame.FirstSGPR;
  unsigned Application =
      IsVector ? Frame.ApplicationVGPRs : Frame.ApplicationSGPRs;
  if (First < Application && MO.isDef() && !Result.WritesApplication)
    return refuse(RefusalReason::RegisterBudget,
                  "code generation left the hook's register budget");
  // Below the budget lie the frame and what readReg and writeReg name.
  if (First < Begin)
    return Error::success();
  if (End > Limit)
    return refuse(RefusalReason::RegisterBudget,
                  "a hook needs " + Twine(IsVector ? "v" : "s") +
                      Twine(End - 1) + ", " + Twine(Limit) + " may be used");
  unsigned &Highest = IsVector ? Result.VGPREnd : Result.SGPREnd;
  Highest = std::max(Highest, End);
  return Error::success();
}

Error PayloadExtractor::noteEffects(const MachineInstr &MI) {
  if (MI.isCall())
    return refuse(RefusalReason::UnsupportedHook, "a hook calls a function");
  if (MI.getOpcode() == AMDGPU::S_ENDPGM)
    return refuse(RefusalReason::UnsupportedHook, "a hook ends the wave");
  Result.NeedsDistance |= needsDistance(MI);
  if (accessesStack(MI, Encoder.target().registerFiles()))
    return refuse(RefusalReason::InstrumentationStack,
                  "a hook needs stack memory");
  for (const MachineOperand &MO : MI.operands()) {
    if (MO.isReg() && MO.getReg().isPhysical())
      if (Error E = noteRegister(MO.getReg().asMCReg(), MO))
        return E;
  }
  return Error::success();
}

/// What the hook itself wrote is not lost.
void PayloadExtractor::dropWritten() {
  for (MCRegister Reg : Result.Writes) {
    amdgpu::RegisterRange Range = Encoder.target().registerFiles().rangeOf(Reg);
    BitVector &Bits = Range.File == amdgpu::RegisterFile::SGPR   ? Result.SGPRs
                      : Range.File == amdgpu::RegisterFile::VGPR ? Result.VGPRs
                                                                 : Result.AGPRs;
    if (Bits.size() >= Range.end())
      Bits.reset(Range.First, Range.end());
  }
}

Error PayloadExtractor::run() {
  Result.SGPREnd = Frame.FirstSGPR;
  Result.VGPREnd = Frame.FirstVGPR;
  noteLoads();

  amdgpu::CodeLayout Layout = Encoder.createLayout();
  DenseMap<const MachineBasicBlock *, amdgpu::CodeLayout::Label> Labels;
  for (const MachineBasicBlock &MBB : MF)
    Labels[&MBB] = Layout.createLabel();
  amdgpu::CodeLayout::Label End = Layout.createLabel();
  auto labelOf = [&](const MachineBasicBlock &MBB) { return Labels[&MBB]; };
  for (const MachineBasicBlock &MBB : MF) {
    Layout.bind(Labels[&MBB]);
    for (const MachineInstr &MI : MBB.instrs()) {
      if (MI.isReturn()) {
        if (&MBB != &MF.back())
          Layout.branch(Encoder.branchWord(AMDGPU::S_BRANCH), End);
        continue;
      }
      if (MI.isMetaInstruction() || MI.isInlineAsm() || isDroppableWait(MI))
        continue;
      if (Error E = noteEffects(MI))
        return E;
      if (Error E = Encoder.encode(MI, Layout, labelOf))
        return refuse(RefusalReason::UnsupportedHook, toString(std::move(E)));
    }
  }
  Layout.bind(End);
  Expected<std::vector<uint8_t>> Code = Layout.finish();
  if (!Code)
    return refuse(RefusalReason::UnsupportedHook, toString(Code.takeError()));
  Result.Code = std::move(*Code);
  dropWritten();
  return Error::success();
}

} // namespace

Error extractPayload(const MachineFunction &MF, amdgpu::MachineEncoder &Encoder,
                     const PayloadFrame &Frame, Payload &Result) {
  return PayloadExtractor(MF, Encoder, Frame, Result).run();
}

} // namespace luthier
