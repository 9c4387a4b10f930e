// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/VariantFacts.h"
#include "hook/PayloadArchive.h"
#include "hook/VariableAddresses.h"
#include "hook/ir/Variables.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {

/// The storage of a managed variable is a symbol that comes up with its use.
static GlobalVariable *variableIn(Module &M, StringRef Name) {
  return Name.starts_with(StoragePrefix) ? &variableNamed(M, Name)
                                         : M.getNamedGlobal(Name);
}

/// The same variable in another copy of its module.
static GlobalVariable *sameIn(Module &M, const GlobalVariable *G) {
  return G ? variableIn(M, G->getName()) : nullptr;
}

/// Whether \p F refers to \p G, if only through constants.
static bool isUsedIn(const Function &F, const Constant &G) {
  return any_of(G.users(), [&](const User *U) {
    if (auto *I = dyn_cast<Instruction>(U))
      return I->getFunction() == &F;
    return isa<Constant>(U) && isUsedIn(F, *cast<Constant>(U));
  });
}

/// Only the lowering of a tool's own intrinsic may have made it.
static Error unknownVariable(const GlobalVariable &G) {
  return refuse(RefusalReason::UnsupportedHook,
                "variable '" + G.getName() + "' is none of the tool's");
}

Expected<VariantFacts> factsOf(Function &F, Module &Parsed) {
  VariantFacts Result;
  Result.Needs = needsOf(F);
  Counters Own;
  if (Error E = collectCounters(F, Own))
    return std::move(E);
  for (const auto &[Counter, Number] : Own) {
    auto *Variable = cast_or_null<GlobalVariable>(Counter.first);
    Result.Counters.push_back({sameIn(Parsed, Variable), Counter.second});
    if (Variable && !Result.Counters.back().first)
      return unknownVariable(*Variable);
  }
  for (const GlobalVariable &G : F.getParent()->globals()) {
    if (!isSharedMemory(G) || !isUsedIn(F, G))
      continue;
    Result.Shared.push_back(sameIn(Parsed, &G));
    if (!Result.Shared.back())
      return unknownVariable(G);
  }
  return Result;
}

SharedMemory CommonLayout::sharedIn(Module &Copy) const {
  SharedMemory Result;
  Result.Bytes = SharedBytes;
  Result.Align = SharedAlign;
  for (auto [G, Offset] : Shared)
    if (GlobalVariable *Here = sameIn(Copy, G))
      Result.Variables.push_back({Here, Offset});
  return Result;
}

Counters CommonLayout::countersIn(Module &Copy) const {
  Counters Result;
  for (const auto &[Counter, Number] : Numbers) {
    const GlobalVariable *Here =
        sameIn(Copy, cast_or_null<GlobalVariable>(Counter.first));
    if (Here || !Counter.first)
      Result.insert({{Here, Counter.second}, Number});
  }
  return Result;
}

Expected<CommonLayout> layOut(ArrayRef<const VariantFacts *> All,
                              Module &Parsed) {
  CommonLayout Result;
  SmallPtrSet<const GlobalVariable *, 4> Shared;
  for (const VariantFacts *Facts : All) {
    for (const CounterKey &Counter : Facts->Counters)
      Result.Numbers.insert({Counter, Result.Numbers.size()});
    Shared.insert(Facts->Shared.begin(), Facts->Shared.end());
  }
  for (GlobalVariable &G : Parsed.globals()) {
    if (!Shared.contains(&G))
      continue;
    Expected<SharedSize> Size = sharedSizeOf(G);
    if (!Size)
      return Size.takeError();
    const unsigned Offset = alignTo(Result.SharedBytes, Size->Align);
    Result.Shared.insert({&G, Offset});
    Result.SharedBytes = Offset + Size->Bytes;
    Result.SharedAlign = std::max(Result.SharedAlign, Size->Align);
  }
  return Result;
}

HookNeeds needsOf(ArrayRef<const VariantFacts *> All,
                  const CommonLayout &Layout) {
  HookNeeds Result;
  unsigned LaneCounters = 0;
  for (const VariantFacts *Facts : All) {
    Result.add(Facts->Needs);
    LaneCounters = std::max(LaneCounters, Facts->Needs.LaneCounters);
  }
  Result.LaneCounters = LaneCounters;
  Result.Accumulators = Layout.Numbers.size();
  Result.LdsBytes = Layout.SharedBytes;
  Result.LdsAlign = Layout.SharedAlign;
  if (Result.LdsBytes) {
    Result.State = true;
    Result.StateValues |= stateBit(StateValue::LdsBase);
  }
  return Result;
}

NamedFacts namesOf(const VariantFacts &Facts) {
  NamedFacts Result;
  Result.Needs = Facts.Needs;
  for (const auto &[Variable, Offset] : Facts.Counters)
    Result.Counters.push_back(
        {Variable ? Variable->getName().str() : "", Offset});
  for (const GlobalVariable *G : Facts.Shared)
    Result.Shared.push_back(G->getName().str());
  return Result;
}

std::optional<VariantFacts> factsIn(Module &Parsed, const NamedFacts &Named) {
  VariantFacts Result;
  Result.Needs = Named.Needs;
  for (const NamedFacts::Counter &Counter : Named.Counters) {
    GlobalVariable *Variable = Counter.Variable.empty()
                                   ? nullptr
                                   : variableIn(Parsed, Counter.Variable);
    if (!Variable && !Counter.Variable.empty())
      return std::nullopt;
    Result.Counters.push_back({Variable, Counter.Offset});
  }
  for (const std::string &Name : Named.Shared) {
    Result.Shared.push_back(Parsed.getNamedGlobal(Name));
    if (!Result.Shared.back())
      return std::nullopt;
  }
  return Result;
}

void addPlace(ArchiveWriter &Key, const PayloadABI &ABI,
              const VariantFacts &Facts, const CommonLayout &Layout) {
  PayloadABI Relevant = ABI;
  // What is named has to be the application's.
  if (Facts.Needs.Named.empty())
    Relevant.ApplicationSGPRs = Relevant.ApplicationVGPRs =
        Relevant.ApplicationAGPRs = 0;
  // Without state, there is no pointer to the kernel's arguments.
  if (!Facts.Needs.State) {
    Relevant.ExplicitKernargSize = 0;
    Relevant.HiddenArguments.clear();
  }
  if (Facts.Needs.Numbers.empty())
    Relevant.Numbers = {};
  if (Facts.Counters.empty() && Facts.Needs.Numbers.empty()) {
    Relevant.FirstCounterSGPR = Relevant.NumScalarCounters =
        Relevant.FirstCounterVGPR = Relevant.NumCounterVGPRs = 0;
    Relevant.CountersOnStack = false;
  }
  // Only where its own counters, memory and arguments are.
  Relevant.Module = {};
  if (Facts.Needs.LaneCounters)
    Relevant.Module.FirstLaneCounter = ABI.Module.FirstLaneCounter;
  else
    Relevant.FirstLaneVGPR = Relevant.NumLaneCounters = 0;
  if (Facts.Needs.HiddenArguments & launchArguments())
    Relevant.Module.LaunchArguments = ABI.Module.LaunchArguments;
  Key(Relevant);
  for (const CounterKey &Counter : Facts.Counters)
    Key(ABI.Module.FirstAccumulator + Layout.Numbers.lookup(Counter));
  for (const GlobalVariable *G : Facts.Shared)
    Key(ABI.Module.LdsOffset + Layout.Shared.lookup(G));
}

} // namespace luthier
