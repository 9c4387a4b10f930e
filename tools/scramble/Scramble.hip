// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Overwrites, at every insertion point of every kernel, all registers that
// Luthier calls free there, and at many the stack of hooks. If that changes a
// program's results, Luthier has a fault; see README.md.
#include "luthier/luthier.h"
#include "llvm/Support/Regex.h"
#include <cstdlib>

using namespace luthier;

MARK_LUTHIER_DEVICE_MODULE

class Scramble : public Tool {
  struct Setting {
    const char *Name;
    const char *Text; ///< Null if it is not set.
  };
  /// \p Old is the variable's name of before.
  static Setting setting(const char *Name, const char *Old) {
    const char *Text = std::getenv(Name);
    return Text ? Setting{Name, Text} : Setting{Old, std::getenv(Old)};
  }

  /// Without a choice, all kernels are.
  llvm::Expected<bool> isWanted(llvm::StringRef Kernel) {
    const Setting S =
        setting("LUTHIER_SCRAMBLE_KERNEL", "LUTHIER_POISON_KERNEL");
    if (!S.Text)
      return true;
    const llvm::Regex Pattern(S.Text);
    std::string Wrong;
    if (!Pattern.isValid(Wrong))
      return llvm::createStringError("%s=%s: %s", S.Name, S.Text,
                                     Wrong.c_str());
    return Pattern.match(Kernel);
  }

  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    llvm::Expected<bool> Wanted = isWanted(LR.kernel().getName());
    if (!Wanted || !*Wanted)
      return Wanted.takeError();
    const Setting Seed =
        setting("LUTHIER_SCRAMBLE_SEED", "LUTHIER_POISON_SEED");
    uint64_t Number = 0;
    if (Seed.Text && llvm::StringRef(Seed.Text).getAsInteger(0, Number))
      return llvm::createStringError("%s=%s is not a number", Seed.Name,
                                     Seed.Text);
    luthier::detail::SelfTest &Test = luthier::detail::contentsOf(Task).Test;
    Test.RegisterSeed = Number;
    const char *Stack =
        setting("LUTHIER_SCRAMBLE_STACK", "LUTHIER_POISON_STACK").Text;
    if (llvm::StringRef(Stack) != "0") {
      Test.StackSeed = Number;
      Test.IsStackOptional = !Stack;
    }
    return llvm::Error::success();
  }
};
LUTHIER_TOOL(Scramble)
