// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/codegen/PayloadExtractor.h"
#include "SIInstrInfo.h"
#include "SIMachineFunctionInfo.h"
#include "amdgpu/CompileErrors.h"
#include "amdgpu/MachineEncoder.h"
#include "amdgpu/OpcodeFacts.h"
#include "amdgpu/RegisterFiles.h"
#include "amdgpu/WideStores.h"
#include "analysis/WaitCounters.h"
#include "hook/codegen/ExecWriteLowering.h"
#include "hook/codegen/PayloadRegisters.h"
#include "hook/ir/Placeholders.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace luthier {
namespace {

/// Reads something whose writer, just before the payload, hardware does not
/// wait for.
bool needsDistance(const MachineInstr &MI) {
  switch (MI.getOpcode()) {
  case AMDGPU::S_GETREG_B32:
  case AMDGPU::V_READFIRSTLANE_B32:
  case AMDGPU::V_READLANE_B32:
  case AMDGPU::V_PERMLANE16_SWAP_B32_e32:
  case AMDGPU::V_PERMLANE16_SWAP_B32_e64:
  case AMDGPU::V_PERMLANE32_SWAP_B32_e32:
  case AMDGPU::V_PERMLANE32_SWAP_B32_e64:
    return true;
  case AMDGPU::V_WRITELANE_B32: // Elsewhere, only of a lane that is chosen.
    return targetTraits(MI).Hazards.HasLaneHazard || MI.getOperand(2).isReg();
  default:
    return SIInstrInfo::isDPP(MI);
  }
}

/// Any of the counters that S_WAITCNT has, or had before they were split.
bool isWait(const MachineInstr &MI) {
  return amdgpu::opcodeFacts(MI).has(amdgpu::Waits);
}

/// Its result arrives some time after it.
bool isLoad(const MachineInstr &MI) {
  if (MI.getNumExplicitDefs() == 0)
    return false;
  return SIInstrInfo::isSMRD(MI) || SIInstrInfo::isVMEM(MI) ||
         SIInstrInfo::isFLAT(MI) || SIInstrInfo::isDS(MI) ||
         SIInstrInfo::isLDSDIR(MI) ||
         amdgpu::opcodeFacts(MI).has(amdgpu::SendsForValue);
}

bool isFloatAtomic(const MachineInstr &MI) {
  return MI.mayLoad() && MI.mayStore() &&
         amdgpu::opcodeFacts(MI).has(amdgpu::FloatAtomic);
}

class PayloadExtractor {
public:
  PayloadExtractor(const MachineFunction &MF, amdgpu::MachineEncoder &Encoder,
                   const PayloadABI &ABI, Payload &Result)
      : MF(MF), Encoder(Encoder), ABI(ABI), Result(Result) {}

  Error run();

private:
  Error noteEffects(const MachineInstr &MI);
  Error noteRegister(MCRegister Reg, const MachineOperand &MO);
  void noteClobber(const amdgpu::RegisterRange &Range);
  void noteVectorRead(const MachineInstr &MI, const MachineOperand &MO);
  bool isWritten(const amdgpu::RegisterRange &Range) const;
  bool isCounter(const amdgpu::RegisterRange &Range) const;
  bool isOnStack(const amdgpu::RegisterRange &Range) const;
  void dropWritten();
  void noteLoads();
  void noteFences();
  void noteMode(const MachineInstr &MI);
  bool isDroppableWait(const MachineInstr &MI) const;
  bool isNeededAtTheEnd(const MachineInstr &Wait) const;
  Error noteStack();
  void noteLine(const MachineInstr &MI, unsigned Offset);
  Error appendWithFixup(const MachineInstr &MI, const MachineOperand &Symbol,
                        amdgpu::CodeLayout &Layout);

  const MachineFunction &MF;
  amdgpu::MachineEncoder &Encoder;
  const PayloadABI &ABI;
  Payload &Result;
  /// Counters of operations whose result lands in a register, a bit for each.
  unsigned LoadCounters = 0;
  bool HasReleaseFence = false;
  bool UsesStack = false;
  bool HasLoops = false;
};

/// Memory operations whose result lands in a register: they must have landed
/// before the application goes on, since the register is used again.
void PayloadExtractor::noteLoads() {
  const WaitTraits &Traits = waitTraits(MF.getSubtarget());
  for (const MachineBasicBlock &MBB : MF)
    for (const MachineInstr &MI : MBB) {
      if (!isLoad(MI))
        continue;
      const auto Counters = countedOperation(MI, Traits).Counters;
      for (WaitCounter Counter : Counters)
        LoadCounters |= 1u << unsigned(Counter);
      if (Counters.empty()) // Not known of which.
        LoadCounters = ~0u;
    }
}

/// What is stored before a fence is to be seen before what later hooks store:
/// the fence may be nothing but the wait.
void PayloadExtractor::noteFences() {
  for (const Instruction &I : instructions(MF.getFunction()))
    if (auto *Fence = dyn_cast<FenceInst>(&I))
      HasReleaseFence |= isReleaseOrStronger(Fence->getOrdering());
}

/// Operations without a result, such as stores and most atomics, may go on
/// behind the payload as they may behind the application's code.
bool PayloadExtractor::isNeededAtTheEnd(const MachineInstr &Wait) const {
  return HasReleaseFence ||
         any_of(waitsOf(Wait, waitTraits(MF.getSubtarget())),
                [&](const CounterWait &W) {
                  return LoadCounters >> unsigned(W.Counter) & 1;
                });
}

/// LLVM makes every function wait for all outstanding operations at its entry
/// and before it returns, for callers' sake. A payload needs the first wait
/// only if it touches registers that an operation of the application may still
/// write, the second only for its own loads.
bool PayloadExtractor::isDroppableWait(const MachineInstr &MI) const {
  if (!isWait(MI))
    return false;
  const MachineBasicBlock &MBB = *MI.getParent();
  auto isWaitOrNothing = [](const MachineInstr &MI) {
    return isWait(MI) || MI.isMetaInstruction() || MI.isInlineAsm();
  };
  if (&MBB == &MF.front() && MBB.pred_empty() &&
      std::all_of(MBB.begin(), MachineBasicBlock::const_iterator(MI),
                  isWaitOrNothing))
    return !Result.ReadsApplication;
  auto Next = std::find_if_not(MachineBasicBlock::const_iterator(MI), MBB.end(),
                               isWaitOrNothing);
  return Next != MBB.end() && Next->isReturn() && !isNeededAtTheEnd(MI);
}

static void setBits(BitVector &Bits, const amdgpu::RegisterRange &Range) {
  if (Bits.size() < Range.end())
    Bits.resize(Range.end());
  Bits.set(Range.First, Range.end());
}

void PayloadExtractor::noteVectorRead(const MachineInstr &MI,
                                      const MachineOperand &MO) {
  if (!SIInstrInfo::isVALU(MI) || !MO.isUse())
    return;
  const MCRegister Reg = MO.getReg().asMCReg();
  Result.VectorsReadVCC |=
      Encoder.target().registers().regsOverlap(Reg, AMDGPU::VCC);
  const amdgpu::RegisterRange Range =
      Encoder.target().registerFiles().rangeOf(Reg);
  if (Range.File != amdgpu::RegisterFile::SGPR)
    return;
  setBits(Result.ReadByVectors, Range);
  // Pairs of other meaning do no harm.
  if (Range.Count == 2)
    setBits(Result.Masks, Range);
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
    // In waves of 32 lanes a register like any other.
    if (ABI.WaveSize == 32 && Reg == AMDGPU::VCC_HI &&
        is_contained(Result.Writes, Reg))
      return Error::success();
    Result.ClobbersVCC |= MO.isDef();
    if (MO.isDef() && ABI.WaveSize == 32 && Reg != AMDGPU::VCC_LO)
      return refuse(RefusalReason::UnsupportedHook,
                    "a hook for waves of 32 lanes overwrites VCC_HI");
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
  case AMDGPU::MODE: // See noteMode().
    return Error::success();
  default:
    break;
  }
  amdgpu::RegisterRange Range = Encoder.target().registerFiles().rangeOf(Reg);
  if (Range.File == amdgpu::RegisterFile::AGPR && MO.isDef() &&
      !isWritten(Range))
    return refuse(RefusalReason::RegisterBudget,
                  "a hook needs accumulation registers");
  if (ABI.State && Reg == ABI.State)
    return Error::success(); // Noted when it was lowered.
  if (Range.File == amdgpu::RegisterFile::VGPR && isCounter(Range)) {
    // Else they are nobody else's. Those that are read are loaded before.
    if (isOnStack(Range))
      noteClobber(Range);
    return Error::success();
  }
  if (MO.isDef())
    noteClobber(Range);
  const bool IsVector = Range.File == amdgpu::RegisterFile::VGPR;
  if (!IsVector && Range.File != amdgpu::RegisterFile::SGPR)
    return Error::success();
  const unsigned First = Range.First, End = Range.end();
  const unsigned Begin = IsVector ? ABI.FirstVGPR : ABI.FirstSGPR;
  const unsigned Limit = IsVector ? ABI.VGPRLimit : ABI.SGPRLimit;
  // Outside of the window lie the ABI's registers and what readReg and writeReg
  // name.
  if (First >= Begin && End <= Limit) {
    unsigned &Highest = IsVector ? Result.VGPREnd : Result.SGPREnd;
    Highest = std::max(Highest, End);
  } else if (MO.isDef() && !isWritten(Range)) {
    return refuse(RefusalReason::RegisterBudget,
                  Twine("a hook overwrites ") + (IsVector ? "v" : "s") +
                      Twine(First) + ", which is not in its budget");
  }
  return Error::success();
}

/// Is it part of what the hook writes for the application to see, or a copy of
/// a flag that it may write?
bool PayloadExtractor::isWritten(const amdgpu::RegisterRange &Range) const {
  const amdgpu::RegisterFiles &Files = Encoder.target().registerFiles();
  auto covers = [&](MCRegister Reg) {
    if (!Reg)
      return false;
    const amdgpu::RegisterRange Named = Files.rangeOf(Reg);
    return Named.File == Range.File && Named.First <= Range.First &&
           Range.end() <= Named.end();
  };
  return any_of(Result.Writes, covers) || covers(ABI.VccSave) ||
         covers(ABI.ExecSave) || covers(ABI.SccSave) || covers(ABI.M0Save) ||
         covers(ABI.ModeSave) || isCounter(Range);
}

static bool isAmong(const amdgpu::RegisterRange &Range, unsigned First,
                    unsigned Count) {
  return First <= Range.First && Range.end() <= First + Count;
}

/// Is \p Range, of VGPRs, a counter's that is on the stack between payloads?
bool PayloadExtractor::isOnStack(const amdgpu::RegisterRange &Range) const {
  return ABI.CountersOnStack &&
         isAmong(Range, ABI.FirstCounterVGPR, ABI.NumCounterVGPRs);
}

bool PayloadExtractor::isCounter(const amdgpu::RegisterRange &Range) const {
  return Range.File == amdgpu::RegisterFile::SGPR
             ? isAmong(Range, ABI.FirstCounterSGPR, 2 * ABI.NumScalarCounters)
             : Range.File == amdgpu::RegisterFile::VGPR &&
                   (isAmong(Range, ABI.FirstCounterVGPR, ABI.NumCounterVGPRs) ||
                    isAmong(Range, ABI.FirstLaneVGPR, 2 * ABI.NumLaneCounters));
}

/// MODE is read by everything that computes with floating point numbers; a
/// payload that changes it must have it put back.
void PayloadExtractor::noteMode(const MachineInstr &MI) {
  const TargetSubtargetInfo &ST = MF.getSubtarget();
  if (MI.readsRegister(AMDGPU::MODE, ST.getRegisterInfo()) ||
      MI.modifiesRegister(AMDGPU::MODE, ST.getRegisterInfo()) ||
      isFloatAtomic(MI))
    Result.UsesFloat = true;
}

Error PayloadExtractor::noteEffects(const MachineInstr &MI) {
  if (MI.isCall())
    return refuse(RefusalReason::UnsupportedHook, "a hook calls a function");
  if (MI.getOpcode() == AMDGPU::S_ENDPGM)
    return refuse(RefusalReason::UnsupportedHook, "a hook ends the wave");
  if (amdgpu::lacksFacts(MI, Encoder.target().opcodes()))
    return refuse(
        RefusalReason::UnsupportedHook,
        "nothing is known about " +
            MF.getSubtarget().getInstrInfo()->getName(MI.getOpcode()));
  Result.NeedsDistance |= needsDistance(MI);
  Result.StoresWide |=
      amdgpu::isWideStore(MI, Encoder.target().registerFiles());
  Result.ComparesIntoEXEC |= amdgpu::opcodeFacts(MI).has(amdgpu::Compares) &&
                             MI.getDesc().hasImplicitDefOfPhysReg(AMDGPU::EXEC);
  noteMode(MI);
  for (const MachineOperand &MO : MI.operands()) {
    if (!MO.isReg() || !MO.getReg().isPhysical())
      continue;
    UsesStack |= MO.getReg() == stackPointerOf(ABI);
    noteVectorRead(MI, MO);
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

/// A literal of the right size takes the symbol's place.
Error PayloadExtractor::appendWithFixup(const MachineInstr &MI,
                                        const MachineOperand &Symbol,
                                        amdgpu::CodeLayout &Layout) {
  constexpr int64_t Placeholder = 0x12345678; // No inline constant.
  auto &MutableMF = const_cast<MachineFunction &>(MF);
  MachineInstr *Copy = MutableMF.CloneMachineInstr(&MI);
  // An instruction has room for one literal, which several operands may share.
  for (MachineOperand &MO : Copy->operands())
    if (MO.isIdenticalTo(Symbol))
      MO.ChangeToImmediate(Placeholder);
  // Encoding looks at the function that an instruction belongs to.
  auto Inserted =
      const_cast<MachineBasicBlock *>(MI.getParent())
          ->insertAfter(const_cast<MachineInstr &>(MI).getIterator(), Copy);
  Error E = Encoder.encode(*Inserted, Layout, nullptr);
  Inserted->eraseFromParent();
  if (E)
    return E;
  if (Symbol.getGlobal()->getName() == LiteralsName) {
    Result.Literals.push_back(
        {unsigned(Layout.size() - 4), unsigned(Symbol.getOffset())});
    return Error::success();
  }
  Fixup Fix;
  Fix.Offset = Layout.size() - 4;
  Fix.Kind = Symbol.getTargetFlags() == SIInstrInfo::MO_ABS32_LO
                 ? Fixup::Abs32Lo
                 : Fixup::Abs32Hi;
  Fix.Variable = Symbol.getGlobal()->getName().str();
  Fix.Addend = Symbol.getOffset();
  Result.Fixups.push_back(std::move(Fix));
  return Error::success();
}

static std::string pathOf(const DILocation &Place) {
  StringRef Name = Place.getFilename(), Folder = Place.getDirectory();
  if (sys::path::is_absolute(Name) || Folder.empty())
    return Name.str();
  return (Folder + "/" + Name).str();
}

void PayloadExtractor::noteLine(const MachineInstr &MI, unsigned Offset) {
  const DILocation *Place = MI.getDebugLoc().get();
  if (!Place || !Place->getLine())
    return;
  const DILocation *Outermost = Place;
  while (Outermost->getInlinedAt())
    Outermost = Outermost->getInlinedAt();
  LineEntry Entry{Offset, pathOf(*Place), Place->getLine(), pathOf(*Outermost),
                  Outermost->getLine()};
  if (!Result.Lines.empty() && Result.Lines.back().Line == Entry.Line &&
      Result.Lines.back().File == Entry.File &&
      Result.Lines.back().HookLine == Entry.HookLine)
    return;
  Result.Lines.push_back(std::move(Entry));
}

/// LLVM also makes room for saving each of the registers that PayloadRegisters
/// reserved, which a function without prologue does not do.
static unsigned stackSizeOf(const MachineFunction &MF) {
  const MachineFrameInfo &Frame = MF.getFrameInfo();
  SmallDenseSet<int> Unused;
  for (auto [Reg, Object] : MF.getInfo<SIMachineFunctionInfo>()->getWWMSpills())
    Unused.insert(Object);
  int64_t End = 0;
  for (int I = Frame.getObjectIndexBegin(); I < Frame.getObjectIndexEnd(); ++I)
    if (!Frame.isDeadObjectIndex(I) && !Unused.contains(I))
      End = std::max(End, Frame.getObjectOffset(I) + Frame.getObjectSize(I));
  return alignTo(End, Frame.getMaxAlign());
}

Error PayloadExtractor::noteStack() {
  if (!UsesStack)
    return Error::success();
  if (!ABI.StackPointer)
    return refuse(RefusalReason::InstrumentationStack,
                  "a hook needs stack memory");
  Result.StackSize = stackSizeOf(MF);
  Result.StackAlign = MF.getFrameInfo().getMaxAlign().value();
  return Error::success();
}

Error PayloadExtractor::run() {
  Result.SGPREnd = ABI.FirstSGPR;
  Result.VGPREnd = ABI.FirstVGPR;
  noteLoads();
  noteFences();

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
      // Placeholders are lowered by now. Only bitcode that the plugin has not
      // seen has assembly with text.
      if (MI.isInlineAsm())
        if (const StringRef Text =
                MI.getOperand(InlineAsm::MIOp_AsmString).getSymbolName();
            !Text.empty())
          return refuse(RefusalReason::UnsupportedHook,
                        "inline assembly with text, '" + Text + "'");
      if (MI.isMetaInstruction() || MI.isInlineAsm() || isDroppableWait(MI))
        continue;
      if (Error E = noteEffects(MI))
        return E;
      HasLoops |= any_of(MI.operands(), [&](const MachineOperand &MO) {
        return MO.isMBB() && MO.getMBB()->getNumber() <= MBB.getNumber();
      });
      noteLine(MI, Layout.size());
      auto *Symbol = find_if(MI.operands(), [](const MachineOperand &MO) {
        return MO.isGlobal();
      });
      if (Error E = Symbol != MI.operands_end()
                        ? appendWithFixup(MI, *Symbol, Layout)
                        : Encoder.encode(MI, Layout, labelOf))
        return refuse(RefusalReason::UnsupportedHook, toString(std::move(E)));
    }
  }
  Layout.bind(End);
  Expected<std::vector<uint8_t>> Code = Layout.finish();
  if (!Code)
    return refuse(RefusalReason::UnsupportedHook, toString(Code.takeError()));
  Result.Code = std::move(*Code);
  Result.SkipsWithoutLanes = HasLoops && !Result.ActsOnWave;
  dropWritten();
  if (Error E = noteStack())
    return E;
  return Error::success();
}

} // namespace

namespace {

class PayloadCollection : public MachineFunctionPass {
public:
  static char ID;
  explicit PayloadCollection(PassContext &C)
      : MachineFunctionPass(ID), C(C), Encoder(C.Target) {}
  StringRef getPassName() const override {
    return "Luthier payload collection";
  }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  PassContext &C;
  amdgpu::MachineEncoder Encoder;
};
char PayloadCollection::ID = 0;

bool PayloadCollection::runOnMachineFunction(MachineFunction &MF) {
  auto Result = C.Payloads.find(MF.getName());
  // After errors, the code may be none that can be encoded.
  if (C.hasFailed() || !C.Errors.text().empty() || Result == C.Payloads.end())
    return false;
  Payload &P = Result->second;
  if (MF.getFunction().hasFnAttribute(RestoresExecAttribute))
    P.WritesEXEC = false;
  if (Error E = PayloadExtractor(MF, Encoder, C.ABI, P).run())
    C.fail(handleErrors(std::move(E), [&](const Refusal &R) {
      return refuse(R.reason(), MF.getName() + ": " + R.detail());
    }));
  return false;
}

} // namespace

Pass *createCollectionPass(PassContext &C) { return new PayloadCollection(C); }

} // namespace luthier
