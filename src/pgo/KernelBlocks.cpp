// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/KernelBlocks.h"
#include "lift/Lifter.h"
#include "pgo/BranchFlow.h"
#include "pgo/Problem.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace llvm;
using namespace luthier;
using namespace luthier::pgo;

Uniformity CountedBranch::classify() const {
  if (!Executed)
    return Uniformity::NotExecuted;
  if (StringRef(Instruction).starts_with("s_cbranch_scc"))
    return Uniformity::Always;
  return Agreed == Executed ? Uniformity::SoFar : Uniformity::Divergent;
}

StringRef pgo::toString(Uniformity U) {
  switch (U) {
  case Uniformity::NotExecuted:
    return "not executed";
  case Uniformity::Always:
    return "always uniform";
  case Uniformity::SoFar:
    return "uniform so far";
  case Uniformity::Divergent:
    return "divergent";
  case Uniformity::Unknown:
    return "not counted";
  }
  llvm_unreachable("no other class");
}

size_t KernelBlocks::unused() const {
  return count_if(Blocks, [](const CountedBlock &B) { return !B.Count.Waves; });
}

double KernelBlocks::unusedPercent() const {
  uint64_t All = 0, Unused = 0;
  for (const CountedBlock &B : Blocks) {
    All += B.Instructions;
    Unused += B.Count.Waves ? 0 : B.Instructions;
  }
  return All ? 100.0 * double(Unused) / double(All) : 0;
}

double KernelBlocks::linePercent() const {
  uint64_t All = 0, Known = 0;
  for (const CountedBlock &B : Blocks) {
    All += B.Executed;
    Known += B.WithLine;
  }
  return All ? 100.0 * double(Known) / double(All) : 0;
}

double KernelBlocks::probePercent(ArrayRef<uint64_t> Probes) const {
  uint64_t All = 0, Marked = 0;
  for (const CountedBlock &B : Blocks) {
    All += B.Executed;
    const auto *Next = lower_bound(Probes, B.Address);
    if (Next != Probes.end() && *Next <= B.Last)
      Marked += B.Executed;
  }
  return All ? 100.0 * double(Marked) / double(All) : 0;
}

CodeLayout KernelBlocks::layout() const {
  CodeLayout Result;
  std::set<uint64_t> Lines;
  uint64_t Bytes = 0;
  for (const CountedBlock &B : Blocks) {
    Result.Executed += B.Executed;
    if (!B.Count.Waves)
      continue;
    Result.Jumps += B.EndsInJump ? B.Count.Waves : 0;
    Bytes += B.End - B.Address;
    for (uint64_t Line = B.Address / CodeLayout::LineBytes;
         Line * CodeLayout::LineBytes < B.End; ++Line)
      Lines.insert(Line);
  }
  Result.Lines = Lines.size();
  Result.PackedLines = divideCeil(Bytes, CodeLayout::LineBytes);
  const BranchFlow Flow = branchFlowOf(Blocks);
  Result.Taken = Flow.Taken;
  Result.Avoidable = Flow.Avoidable;
  return Result;
}

static void addInstruction(const MachineInstr &MI,
                           const LiftedRepresentation &LR,
                           const CodeCounts &Counts, CountedBlock &B) {
  const auto Source = LR.sourceLine(MI);
  if (!B.Source)
    B.Source = Source;
  const auto Address = LR.originalAddress(MI);
  if (!Address)
    return;
  B.Last = *Address;
  const auto Found = Counts.find(*Address);
  if (Found == Counts.end())
    return;
  B.Count.Lanes = std::max(B.Count.Lanes, Found->second.Lanes);
  B.Executed += Found->second.Waves;
  B.WithLine += Source ? Found->second.Waves : 0;
}

/// Where \p MBB, whose last instruction stands at \p Last, ends.
static uint64_t endOf(const MachineBasicBlock &MBB, uint64_t Last,
                      const LiftedRepresentation &LR) {
  const MachineBasicBlock *Next = MBB.getNextNode();
  if (Next && !Next->empty() && !MBB.back().isBarrier())
    if (const auto Address = LR.originalAddress(Next->front()))
      return *Address;
  // What ends a wave, a function or a run of code takes four bytes (instruction
  // set architecture manuals, SOPP and SOP1).
  return Last + 4;
}

static void addSuccessors(const MachineBasicBlock &MBB,
                          const LiftedRepresentation &LR, CountedBlock &B) {
  const auto AddressOf = [&](const MachineBasicBlock *Next) {
    return Next->empty() ? std::nullopt : LR.originalAddress(Next->front());
  };
  for (const MachineBasicBlock *Next : MBB.successors())
    B.Successors.push_back(AddressOf(Next).value_or(0));
  const MachineInstr &Last = MBB.back();
  if (Last.isConditionalBranch() && Last.getNumOperands() &&
      Last.getOperand(0).isMBB())
    B.Target = AddressOf(Last.getOperand(0).getMBB());
  B.IsEntry = MBB.isEntryBlock() || MBB.hasAddressTaken() || MBB.pred_empty();
}

Expected<KernelBlocks>
pgo::blocksOf(const std::shared_ptr<const CodeObject> &Object,
              const KernelInfo &Kernel, const CodeCounts &Counts) {
  auto Lifted = liftKernel(Object, Kernel);
  if (!Lifted)
    return Lifted.takeError();
  const LiftedRepresentation &LR = **Lifted;
  KernelBlocks Result;
  Result.CallsThroughPointers = LR.hasUnresolvedTransfers();
  for (const auto &[Symbol, MF] : LR.functions())
    for (const MachineBasicBlock &MBB : *MF) {
      const auto Address =
          MBB.empty() ? std::nullopt : LR.originalAddress(MBB.front());
      if (!Address)
        continue;
      CountedBlock B;
      B.Function = Symbol.Name;
      B.Address = *Address;
      B.Instructions = MBB.size();
      if (const auto Found = Counts.find(*Address); Found != Counts.end())
        B.Count.Waves = Found->second.Waves;
      for (const MachineInstr &MI : MBB)
        addInstruction(MI, LR, Counts, B);
      B.End = endOf(MBB, B.Last, LR);
      B.EndsInJump = MBB.back().isUnconditionalBranch();
      addSuccessors(MBB, LR, B);
      Result.Blocks.push_back(std::move(B));
    }
  return Result;
}

static Error readBranch(const json::Object &Row, BranchCounts &To) {
  uint64_t Numbers[5] = {};
  const char *Keys[] = {"address", "executed", "agreed", "lanes", "taken"};
  for (size_t I = 0; I != std::size(Keys); ++I) {
    const json::Value *Value = Row.get(Keys[I]);
    const auto Number = Value ? Value->getAsUINT64() : std::nullopt;
    if (!Number)
      return problem(ProblemKind::Report,
                     Twine("a branch has no number '") + Keys[I] + "'");
    Numbers[I] = *Number;
  }
  CountedBranch &B = To[Numbers[0]];
  B.Address = Numbers[0];
  B.Executed += Numbers[1];
  B.Agreed += Numbers[2];
  B.Lanes += Numbers[3];
  B.Taken += Numbers[4];
  B.Instruction = Row.getString("instruction").value_or("").str();
  B.Source = Row.getString("source").value_or("").str();
  return Error::success();
}

Error pgo::addBranches(StringRef Json, ExecutedBranches &To) {
  Expected<json::Value> Root = json::parse(Json);
  if (!Root)
    return problem(ProblemKind::Report, llvm::toString(Root.takeError()));
  const json::Object *Object = Root->getAsObject();
  const json::Array *Kernels = Object ? Object->getArray("kernels") : nullptr;
  if (!Kernels)
    return problem(ProblemKind::Report, "there is no list of kernels");
  for (const json::Value &Item : *Kernels) {
    const json::Object *Kernel = Item.getAsObject();
    const auto Name = Kernel ? Kernel->getString("name") : std::nullopt;
    const auto Code = Kernel ? Kernel->getString("code") : std::nullopt;
    const json::Array *Rows = Kernel ? Kernel->getArray("branches") : nullptr;
    if (!Name || !Code || !Rows)
      return problem(ProblemKind::Report,
                     "a kernel has no name, code object or branches");
    for (const json::Value &Row : *Rows)
      if (const json::Object *Branch = Row.getAsObject())
        if (Error E = readBranch(*Branch, To[Code->str()][Name->str()]))
          return E;
  }
  return Error::success();
}
