// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/PayloadKey.h"

using namespace llvm;

namespace luthier {

void appendToKey(std::string &Key, uint64_t Number) {
  // Seven bits each, the lowest first; most numbers are small.
  for (; Number >= 0x80; Number >>= 7)
    Key += char(Number | 0x80);
  Key += char(Number);
}

namespace {

class KeyWriter {
public:
  template <typename... Numbers> KeyWriter &add(Numbers... All) {
    (appendToKey(Key, uint64_t(All)), ...);
    return *this;
  }
  void add(const ArgumentSlot &Slot) {
    add(Slot.IsVector, Slot.Index, Slot.Dwords, Slot.IsLiteral);
  }
  void add(const std::variant<uint64_t, ArgumentSlot> &Input) {
    add(Input.index());
    std::visit([&](const auto &Given) { add(Given); }, Input);
  }
  void add(const ComputedArgument &A) {
    add(A.Form, A.Detail, A.Inputs.size());
    for (const auto &Input : A.Inputs)
      add(Input);
  }
  void add(StringRef Text) {
    add(Text.size());
    Key += Text;
  }
  void add(MCRegister Reg) { add(Reg.id()); }

  std::string Key;
};

} // namespace

std::string keyOf(const PayloadVariant &Variant) {
  KeyWriter W;
  W.add(StringRef(Variant.Hook.Function));
  W.add(Variant.Arguments.size());
  for (const auto &Argument : Variant.Arguments) {
    W.add(Argument.index());
    std::visit([&](const auto &Given) { W.add(Given); }, Argument);
  }
  return W.Key;
}

std::string keyOf(const PayloadABI &ABI, const HookNeeds &Needs) {
  KeyWriter W;
  for (MCRegister Reg : {ABI.VccSave, ABI.ExecSave, ABI.SccSave, ABI.M0Save,
                         ABI.ModeSave, ABI.StackPointer, ABI.State})
    W.add(Reg);
  W.add(ABI.FirstArgumentSGPR, ABI.FirstArgumentVGPR, ABI.FirstSGPR,
        ABI.SGPRLimit, ABI.FirstVGPR, ABI.VGPRLimit, ABI.WaveSize);
  W.add(ABI.WorkItemIds);
  W.add(ABI.Kept.size());
  for (MCRegister Reg : ABI.Kept)
    W.add(Reg);
  // What is named has to be the application's.
  if (!Needs.Named.empty())
    W.add(1, ABI.ApplicationSGPRs, ABI.ApplicationVGPRs, ABI.ApplicationAGPRs);
  else
    W.add(0);
  // Without state, there is no pointer to the kernel's arguments.
  if (!Needs.State)
    return std::move(W.Key);
  W.add(ABI.ExplicitKernargSize, ABI.HiddenArguments.size());
  for (auto [Kind, Offset] : ABI.HiddenArguments)
    W.add(Kind, Offset);
  return std::move(W.Key);
}

} // namespace luthier
