// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CounterUse.h"
#include "HookChecks.h"
#include "Variables.h"
#include "luthier/detail/ScalarAnalysis.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace luthier {

void warnOfUnreadCounters(ArrayRef<Function *> Hooks) {
  MapVector<const GlobalVariable *, const Function *> Added;
  SmallPtrSet<const GlobalVariable *, 8> Read;
  for (const Function *Hook : Hooks)
    for (const Instruction &I : instructions(*Hook)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const StringRef Name = Call ? calledIntrinsic(*Call) : "";
      if (Name == "luthier::waveCounter")
        Read.insert(variableAt(Call->getArgOperand(0)));
      else if (Name == "luthier::waveAdd" ||
               Name.starts_with("luthier::detail::waveAdd"))
        Added.insert({variableAt(Call->getArgOperand(0)), Hook});
    }
  for (const auto &[Counter, Hook] : Added)
    if (Counter && !Read.contains(Counter))
      reportWarning(*Hook,
                    "no hook of this file reads counter '" +
                        demangle(Counter->getName()) +
                        "' of luthier::waveAdd, so that it is lost: call "
                        "luthier::waveFlush in a hook at the wave's end");
}

} // namespace luthier
