// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/HookClone.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace luthier {
namespace {

/// Collects functions that others, or variables that they name, refer to.
class ReachedFunctions {
public:
  void add(const Function &First) {
    add(static_cast<const Constant &>(First));
    while (!Pending.empty())
      for (const Instruction &I : instructions(*Pending.pop_back_val()))
        for (const Use &Operand : I.operands())
          if (const auto *C = dyn_cast<Constant>(Operand))
            add(*C);
  }
  bool contains(const GlobalValue &V) const { return Seen.contains(&V); }

private:
  void add(const Constant &C) {
    if (isa<ConstantData>(C) || !Seen.insert(&C).second)
      return;
    if (const auto *F = dyn_cast<Function>(&C)) {
      Pending.push_back(F);
      return;
    }
    for (const Use &Operand : C.operands())
      if (const auto *Part = dyn_cast<Constant>(Operand))
        add(*Part);
  }

  SmallPtrSet<const Constant *, 32> Seen;
  SmallVector<const Function *> Pending;
};

} // namespace

std::unique_ptr<Module> cloneWith(ArrayRef<StringRef> Hooks, const Module &M) {
  ReachedFunctions Needed;
  for (StringRef Hook : Hooks)
    if (const Function *F = M.getFunction(Hook))
      Needed.add(*F);
  ValueToValueMapTy Map;
  return CloneModule(M, Map, [&](const GlobalValue *V) {
    return !isa<Function>(V) || Needed.contains(*V);
  });
}

} // namespace luthier
