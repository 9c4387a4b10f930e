// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Overwrites, at every place in every kernel, all registers that Luthier calls
// free there, and at many the stack of hooks. A program that notices has found
// a fault in Luthier; see README.md.
#include "luthier/luthier.h"
#include "llvm/Support/Regex.h"
#include <cstdlib>

using namespace luthier;

MARK_LUTHIER_DEVICE_MODULE

class Poison : public Tool {
  /// By LUTHIER_POISON_KERNEL; without it, all are.
  llvm::Expected<bool> isWanted(llvm::StringRef Kernel) {
    const char *Text = std::getenv("LUTHIER_POISON_KERNEL");
    if (!Text)
      return true;
    const llvm::Regex Pattern(Text);
    std::string Wrong;
    if (!Pattern.isValid(Wrong))
      return llvm::createStringError("LUTHIER_POISON_KERNEL=%s: %s", Text,
                                     Wrong.c_str());
    return Pattern.match(Kernel);
  }

  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    llvm::Expected<bool> Wanted = isWanted(LR.kernel().getName());
    if (!Wanted || !*Wanted)
      return Wanted.takeError();
    const char *Seed = std::getenv("LUTHIER_POISON_SEED");
    uint64_t Number = 0;
    if (Seed && llvm::StringRef(Seed).getAsInteger(0, Number))
      return llvm::createStringError("LUTHIER_POISON_SEED=%s is no number",
                                     Seed);
    Task.overwriteFreeRegisters(Number);
    const char *Stack = std::getenv("LUTHIER_POISON_STACK");
    if (llvm::StringRef(Stack) != "0")
      Task.overwriteFreeStack(Number, /*WhereHooksFit=*/!Stack);
    return llvm::Error::success();
  }
};
LUTHIER_TOOL(Poison)
