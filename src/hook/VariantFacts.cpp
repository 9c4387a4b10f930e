// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/VariantFacts.h"
#include "hook/PayloadKey.h"
#include "hook/ir/Variables.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {

/// The same variable in another copy of its module.
static GlobalVariable *sameIn(Module &M, const GlobalVariable *G) {
  return G ? M.getNamedGlobal(G->getName()) : nullptr;
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
  for (const VariantFacts *Facts : All)
    Result.add(Facts->Needs);
  Result.Accumulators = Layout.Numbers.size();
  Result.LdsBytes = Layout.SharedBytes;
  Result.LdsAlign = Layout.SharedAlign;
  if (Result.LdsBytes) {
    Result.State = true;
    Result.StateValues |= stateBit(StateValue::LdsBase);
  }
  return Result;
}

std::string keyOf(const PayloadVariant &Variant, const VariantFacts &Facts,
                  const PayloadABI &ABI, const CommonLayout &Layout) {
  std::string Key = keyOf(Variant) + keyOf(ABI, Facts.Needs);
  for (const CounterKey &Counter : Facts.Counters)
    appendToKey(Key,
                ABI.Module.FirstAccumulator + Layout.Numbers.lookup(Counter));
  if (!Facts.Counters.empty()) {
    appendToKey(Key, ABI.FirstCounterSGPR);
    appendToKey(Key, ABI.NumScalarCounters);
  }
  for (const GlobalVariable *G : Facts.Shared)
    appendToKey(Key, ABI.Module.LdsOffset + Layout.Shared.lookup(G));
  return Key;
}

} // namespace luthier
