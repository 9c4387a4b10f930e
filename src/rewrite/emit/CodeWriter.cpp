// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/emit/CodeWriter.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "analysis/Clause.h"
#include "lift/LiftedImpl.h"
#include "luthier/Refusal.h"
#include "rewrite/emit/OriginalPC.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <utility>

using namespace llvm;

namespace luthier {
namespace {

class CodeWriter {
public:
  CodeWriter(const LiftedRepresentation &LR, amdgpu::MachineEncoder &Encoder,
             const CodeWriterOptions &Options)
      : LR(LR), Encoder(Encoder), Options(Options),
        Layout(Encoder.createLayout()) {}

  Expected<WrittenCode> run();

private:
  using Label = amdgpu::CodeLayout::Label;
  using Edge = std::pair<const MachineBasicBlock *, const MachineBasicBlock *>;

  bool isMoved() const { return Options.LoadBias || Options.LinkedAt; }
  Error writeFunction(const MachineFunction &MF);
  Error writeBlock(const MachineBasicBlock &MBB);
  Error writeKept(const MachineInstr &MI, const Origin *Source);
  bool writeTransfer(const ControlTransfer &Transfer);
  void writeCall(const MachineInstr &Call, Label To);
  void writeDispatches();
  bool writeLeaving(const MachineInstr &Transfer, Label Leave);
  void writeTakenEdges();
  Label targetOf(const MachineInstr &Branch, const MachineBasicBlock &To);
  void insert(const InsertionPoint &Where);
  WrittenCode place(std::vector<uint8_t> Code);

  const LiftedRepresentation &LR;
  amdgpu::MachineEncoder &Encoder;
  const CodeWriterOptions &Options;
  amdgpu::CodeLayout Layout;
  DenseMap<const MachineBasicBlock *, Label> Blocks;
  DenseMap<const MachineFunction *, Label> Entries;
  /// Of the function being written.
  MapVector<Edge, Label> TakenEdges;
  /// What calls and jumps through pointers go to.
  MapVector<const MachineInstr *, Label> Dispatches;
  /// Control comes along where the next byte goes.
  bool FallsThrough = true;
  /// With offsets in the layout before islands.
  WrittenCode Result;
};

} // namespace

Expected<WrittenCode> CodeWriter::run() {
  for (const auto &[Symbol, MF] : LR.functions()) {
    Entries[MF] = Layout.createLabel();
    for (const MachineBasicBlock &MBB : *MF)
      Blocks[&MBB] = Layout.createLabel();
  }
  for (const auto &[Symbol, MF] : LR.functions())
    if (Error E = writeFunction(*MF))
      return refuse(RefusalReason::UnsupportedEdit, detailOf(std::move(E)));
  writeDispatches();
  Expected<std::vector<uint8_t>> Code = Layout.finish();
  if (!Code)
    return refuse(RefusalReason::UnsupportedEdit, detailOf(Code.takeError()));
  if (Code->empty())
    return refuse(RefusalReason::UnsupportedEdit,
                  "the tool has erased all of the kernel's instructions");
  return place(std::move(*Code));
}

void CodeWriter::insert(const InsertionPoint &Where) {
  if (!Options.Insert)
    return;
  const size_t Begin = Layout.size();
  Options.Insert(Where, Layout);
  if (Layout.size() != Begin)
    Result.Inserted.push_back({{Begin, Layout.size()}, Begin});
}

uint64_t WrittenCode::offsetOf(uint64_t LayoutOffset) const {
  const auto Behind = llvm::upper_bound(
      Inserted, LayoutOffset, [](uint64_t Offset, const Insertion &Each) {
        return Offset < Each.LayoutBegin;
      });
  assert(Behind != Inserted.begin() && "nothing was inserted there");
  const Insertion &Found = *std::prev(Behind);
  return Found.Begin + (LayoutOffset - Found.LayoutBegin);
}

Error CodeWriter::writeFunction(const MachineFunction &MF) {
  const size_t Begin = Layout.size();
  Layout.bind(Entries[&MF]);
  insert(InsertionPoint::entry(MF));
  // Into a function come calls, which go to its label.
  FallsThrough |= Layout.size() != Begin;
  for (const MachineBasicBlock &MBB : MF)
    if (Error E = writeBlock(MBB))
      return E;
  writeTakenEdges();
  Result.Functions.push_back({Begin, Layout.size()});
  return Error::success();
}

Error CodeWriter::writeBlock(const MachineBasicBlock &MBB) {
  Layout.bind(Blocks[&MBB]);
  unsigned LeftInClause = 0; // Instructions of an s_clause that are to come.
  for (const MachineInstr &MI : MBB) {
    if (LeftInClause)
      --LeftInClause;
    else if (Layout.size())
      Layout.allowIslands(FallsThrough);
    if (const unsigned Length = clauseLength(LR, MI))
      LeftInClause = Length;
    insert(InsertionPoint::before(MI));
    const size_t Begin = Layout.size();
    const auto It = LR.impl().Origins.find(&MI);
    const Origin *Source =
        It == LR.impl().Origins.end() ? nullptr : &It->second;
    if (Error E = writeKept(MI, Source))
      return E;
    if (Source)
      Result.Map.push_back(
          {Begin, unsigned(Layout.size() - Begin), Source->Address});
    if (!MI.isMetaInstruction())
      FallsThrough = !MI.isBarrier();
  }
  auto Next = std::next(MBB.getIterator());
  if (FallsThrough && Next != MBB.getParent()->end())
    insert(InsertionPoint::edge(MBB, *Next));
  return Error::success();
}

/// Goes a distance that the machine IR holds as a number.
static bool isRelative(const MachineInstr &MI) {
  switch (MI.getOpcode()) {
  case AMDGPU::S_CALL_B64:
  case AMDGPU::S_CBRANCH_I_FORK:
  case AMDGPU::S_SUBVECTOR_LOOP_BEGIN:
  case AMDGPU::S_SUBVECTOR_LOOP_END:
    return true;
  default:
    return false;
  }
}

/// A kernel may tell the hardware not to look at dependencies of
/// vector instructions, which it then awaits itself (DEP_MODE, bits 1:0 of
/// SCHED_MODE, as LLVM's -amdgpu-expert-scheduling-mode sets it). Hooks rely on
/// the hardware, and waiting twice harms no kernel.
/// \returns true for what was written so that the field stays zero.
static bool writeWithoutExpertMode(const MachineInstr &MI,
                                   amdgpu::MachineEncoder &Encoder,
                                   amdgpu::CodeLayout &Layout) {
  const bool IsConstant = MI.getOpcode() == AMDGPU::S_SETREG_IMM32_B32;
  if ((!IsConstant && MI.getOpcode() != AMDGPU::S_SETREG_B32) ||
      !Encoder.target().traits().Hazards.HasExpertMode)
    return false;
  constexpr unsigned SchedMode = 26, DependencyBits = 2;
  const int64_t HwReg = MI.getOperand(1).getImm();
  const unsigned First = HwReg >> 6 & 0x1f;
  if ((HwReg & 0x3f) != SchedMode || First >= DependencyBits)
    return false;
  // What a register holds is not known; then it is what waves begin with.
  const int64_t Others =
      IsConstant
          ? MI.getOperand(0).getImm() &
                ~int64_t(maskTrailingOnes<uint64_t>(DependencyBits - First))
          : 0;
  SmallVector<uint8_t, 8> Code;
  Encoder.encode(AMDGPU::S_SETREG_IMM32_B32,
                 {MCOperand::createImm(Others), MCOperand::createImm(HwReg)},
                 Code);
  Layout.append(Code);
  return true;
}

/// \p Source is null for what a tool has added.
Error CodeWriter::writeKept(const MachineInstr &MI, const Origin *Source) {
  if (isMoved()) {
    const ControlTransfer *Transfer = LR.transferOf(MI);
    if (Transfer && !LR.impl().isChanged(MI) && writeTransfer(*Transfer))
      return Error::success();
    if (isRelative(MI))
      return createStringError("a relative call or branch that is not "
                               "understood");
    if (MI.getOpcode() == AMDGPU::S_GETPC_B64) {
      if (!Source)
        return createStringError("s_getpc_b64 of no place in the original");
      const uint64_t PC = Source->Address + 4;
      if (Options.LoadBias)
        writeOriginalPC(MI, PC + *Options.LoadBias, Encoder, Layout);
      else
        writeDistantPC(MI, PC - *Options.LinkedAt, Encoder, Layout);
      return Error::success();
    }
  }
  if (MI.getOpcode() == AMDGPU::S_CLAUSE && !clauseLength(LR, MI)) {
    SmallVector<uint8_t, 4> Nop;
    Encoder.encode(AMDGPU::S_NOP, MCOperand::createImm(0), Nop);
    Layout.append(Nop);
    return Error::success();
  }
  if (writeWithoutExpertMode(MI, Encoder, Layout))
    return Error::success();
  const bool HasDistance = MI.isBranch() && !MI.isIndirectBranch();
  if (!Options.Reencode && !HasDistance && Source &&
      Source->Fingerprint == fingerprint(MI)) {
    Expected<ArrayRef<uint8_t>> Bytes =
        LR.impl().Object->contents(Source->Address, Source->Size);
    if (!Bytes)
      return Bytes.takeError();
    Layout.append(*Bytes);
    return Error::success();
  }
  return Encoder.encode(MI, Layout, [&](const MachineBasicBlock &To) {
    return targetOf(MI, To);
  });
}

/// The function's address stays what it was for whoever else uses it; only
/// control goes to the copy:
///   s_swappc_b64 s[30:31], s[4:5]   ->   s_call_b64 s[30:31], <copy>
///   s_setpc_b64 s[4:5]              ->   s_branch <copy>
/// Where the function is not known, they go to code that finds the copy.
/// False for what is written as it is.
bool CodeWriter::writeTransfer(const ControlTransfer &Transfer) {
  switch (Transfer.Kind) {
  case ControlTransfer::Call:
    writeCall(*Transfer.MI, Entries[Transfer.Callee]);
    return true;
  case ControlTransfer::TailCall:
    Layout.branch(Encoder.branchWord(AMDGPU::S_BRANCH),
                  Entries[Transfer.Callee]);
    return true;
  case ControlTransfer::Jump:
    Layout.branch(Encoder.branchWord(AMDGPU::S_BRANCH),
                  targetOf(*Transfer.MI, *Transfer.Target));
    return true;
  default:
    break;
  }
  if (!Transfer.FollowsPointer)
    return false;
  const Label Dispatch = Layout.createLabel();
  Dispatches[Transfer.MI] = Dispatch;
  if (Transfer.Kind == ControlTransfer::UnresolvedCall)
    writeCall(*Transfer.MI, Dispatch);
  else
    Layout.branch(Encoder.branchWord(AMDGPU::S_BRANCH), Dispatch);
  return true;
}

/// \p Call names where the return address goes.
void CodeWriter::writeCall(const MachineInstr &Call, Label To) {
  SmallVector<uint8_t, 4> Code;
  Encoder.encode(AMDGPU::S_CALL_B64,
                 {MCOperand::createReg(Call.getOperand(0).getReg().asMCReg()),
                  MCOperand::createImm(0)},
                 Code);
  Layout.branch(support::endian::read32le(Code.data()), To);
}

/// The registers in which a call or jump finds where it goes.
static MCRegister pointerOf(const MachineInstr &Transfer) {
  return Transfer.getOperand(Transfer.isCall()).getReg().asMCReg();
}

/// False if nothing is to run where \p Transfer leaves.
bool CodeWriter::writeLeaving(const MachineInstr &Transfer, Label Leave) {
  const size_t Begin = Layout.size();
  insert(InsertionPoint::leaving(Transfer));
  if (Layout.size() == Begin)
    return false;
  Layout.bindAt(Leave, Begin);
  return true;
}

/// Those with the same pointer share one, unless something is to run where they
/// leave.
void CodeWriter::writeDispatches() {
  SmallVector<PointerTarget, 8> Targets;
  for (const auto &[Symbol, MF] : LR.functions())
    if (Symbol.IsAddressTaken)
      Targets.push_back({Symbol.Address, Entries[MF]});
  const PointerDispatch Dispatch(Targets, Options.LoadBias, Encoder, Layout);
  DenseMap<unsigned, Label> Shared;
  for (auto [Transfer, Start] : Dispatches) {
    const MCRegister Pointer = pointerOf(*Transfer);
    Layout.allowIslands(FallsThrough);
    FallsThrough = false;
    const Label Leave = Layout.createLabel();
    if (writeLeaving(*Transfer, Leave)) {
      Dispatch.leave(Pointer);
      Layout.allowIslands(FallsThrough);
      Dispatch.write(Pointer, Start, Leave, Result.Addresses);
    } else if (auto [It, IsNew] = Shared.insert({Pointer.id(), Start}); IsNew) {
      Dispatch.write(Pointer, Start, std::nullopt, Result.Addresses);
    } else {
      Layout.alias(Start, It->second);
    }
  }
}

/// Where \p Branch has to go so that the edge's code is passed.
CodeWriter::Label CodeWriter::targetOf(const MachineInstr &Branch,
                                       const MachineBasicBlock &To) {
  if (!Options.Insert)
    return Blocks[&To];
  auto [It, IsNew] = TakenEdges.insert({{Branch.getParent(), &To}, 0});
  if (IsNew)
    It->second = Layout.createLabel();
  return It->second;
}

void CodeWriter::writeTakenEdges() {
  for (auto [Edge, Stub] : TakenEdges) {
    const auto [From, To] = Edge;
    const size_t Begin = Layout.size();
    insert(InsertionPoint::edge(*From, *To));
    if (Layout.size() == Begin) {
      Layout.alias(Stub, Blocks[To]);
      continue;
    }
    Layout.bindAt(Stub, Begin);
    Layout.branch(Encoder.branchWord(AMDGPU::S_BRANCH), Blocks[To]);
    FallsThrough = false;
    Layout.allowIslands(FallsThrough);
  }
  TakenEdges.clear();
}

/// From offsets before islands to those in the code.
WrittenCode CodeWriter::place(std::vector<uint8_t> Code) {
  WrittenCode Placed = std::move(Result);
  Placed.Code = std::move(Code);
  for (KeptInstruction &Kept : Placed.Map)
    Kept.Offset = Layout.place(Kept.Offset);
  for (OriginalAddress &Literal : Placed.Addresses)
    Literal.Offset = Layout.place(Literal.Offset);
  for (WrittenCode::Insertion &Extent : Placed.Inserted) {
    const uint64_t Size = Extent.End - Extent.Begin;
    Extent.Begin = Layout.place(Extent.Begin);
    Extent.End = Extent.Begin + Size;
  }
  uint64_t End = Placed.Code.size();
  for (auto &Extent : reverse(Placed.Functions)) {
    Extent.Begin = Layout.place(Extent.Begin);
    Extent.End = std::exchange(End, Extent.Begin);
  }
  return Placed;
}

Expected<WrittenCode> writeCode(const LiftedRepresentation &LR,
                                amdgpu::MachineEncoder &Encoder,
                                const CodeWriterOptions &Options) {
  return CodeWriter(LR, Encoder, Options).run();
}

} // namespace luthier
