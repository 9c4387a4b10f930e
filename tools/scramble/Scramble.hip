// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Overwrites, at every insertion point of every kernel, all registers that
// Luthier calls free there, and at many the stack of hooks. If that changes a
// program's results, Luthier has a fault; see README.md.
#include "luthier/luthier.h"
#include "llvm/Support/Regex.h"
#include <cstdlib>
#include <string>
#ifndef __HIP_DEVICE_COMPILE__
#include "luthier/MachineIR.h"
#endif

using namespace luthier;

MARK_LUTHIER_DEVICE_MODULE

#ifndef __HIP_DEVICE_COMPILE__
static Option<uint64_t> Seed("seed", 0, "other garbage");
static Option<std::string>
    Stack("stack", "auto",
          "leave the stack of hooks alone (0); where there is no room for it, "
          "keep the kernel as it is (1) or the stack out (auto)",
          {"auto", "0", "1"});
static Option<std::string>
    OfKernels("kernel", "",
              "a regular expression: only kernels whose mangled name matches");

class Scramble : public Tool {
  struct Setting {
    std::string Name, Text;
    bool IsGiven;
  };
  /// \p Variables are how the option was set before there were options, now and
  /// by the tool's name of before. `luthier verify` changes one between runs.
  template <typename T>
  static Setting setting(const Option<T> &O,
                         std::initializer_list<const char *> Variables) {
    if (O.isGiven())
      return {O.name().str(), O.text(), true};
    for (const char *Name : Variables)
      if (const char *Text = std::getenv(Name))
        return {Name, Text, true};
    return {O.name().str(), O.text(), false};
  }

  /// Without a choice, all kernels are.
  llvm::Expected<bool> isWanted(llvm::StringRef Kernel) {
    const Setting S = setting(
        OfKernels, {"LUTHIER_SCRAMBLE_KERNEL", "LUTHIER_POISON_KERNEL"});
    const llvm::Regex Pattern(S.Text);
    std::string Wrong;
    if (S.IsGiven && !Pattern.isValid(Wrong))
      return llvm::createStringError(S.Name + "=" + S.Text + ": " + Wrong);
    return !S.IsGiven || Pattern.match(Kernel);
  }

  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    llvm::Expected<bool> Wanted = isWanted(LR.kernel().getName());
    if (!Wanted || !*Wanted)
      return Wanted.takeError();
    const Setting Given =
        setting(Seed, {"LUTHIER_SCRAMBLE_SEED", "LUTHIER_POISON_SEED"});
    uint64_t Number = 0;
    if (llvm::StringRef(Given.Text).getAsInteger(0, Number))
      return llvm::createStringError(Given.Name + "=" + Given.Text +
                                     " is not a number");
    luthier::detail::SelfTest &Test = luthier::detail::contentsOf(Task).Test;
    Test.RegisterSeed = Number;
    if (const Setting S =
            setting(Stack, {"LUTHIER_SCRAMBLE_STACK", "LUTHIER_POISON_STACK"});
        S.Text != "0") {
      Test.StackSeed = Number;
      Test.IsStackOptional = !S.IsGiven || S.Text == "auto";
    }
    return llvm::Error::success();
  }
};
LUTHIER_TOOL(Scramble)
#endif // __HIP_DEVICE_COMPILE__
