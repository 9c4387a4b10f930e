// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/plan/VariantPlan.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "analysis/WaveModes.h"
#include "rewrite/resolve/ArgumentResolver.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace llvm;

namespace luthier {
namespace {

unsigned formNumber(std::optional<ArgumentForm> Form) {
  return Form ? 1 + unsigned(*Form) : 0;
}

ConstantPart partOf(unsigned Parameter, const ArgumentValue &Value,
                    unsigned Input) {
  return {Parameter, formNumber(Value.Form), Value.Detail, Input};
}

class VariantChooser {
public:
  VariantChooser(const ResolvedTask &Task, const amdgpu::MCTarget &Target)
      : Task(Task), Target(Target) {
    for (const ResolvedCall &Call : Task.Calls)
      noteConstants(Call);
    decideOnConstants();
    for (const ResolvedCall &Call : Task.Calls)
      if (!GoingOn.contains(Call.Handle) && !endsWave(Call))
        GoingOn.insert(Call.Handle);
  }

  VariantPlan run() {
    Plan.CallSites.reserve(Task.Calls.size());
    for (const ResolvedCall &Call : Task.Calls)
      choose(Call);
    return std::move(Plan);
  }

private:
  void noteConstants(const ResolvedCall &Call);
  void decideOnConstants();
  bool isCompiledIn(const ResolvedCall &Call, const HookParameter &Parameter,
                    const ConstantPart &Part, uint64_t Bits) const;
  const DenseMap<InsertionPoint::Key, const ResolvedCall *> &lastAt();
  bool endsWave(const ResolvedCall &Call);
  void choose(const ResolvedCall &Call);

  const ResolvedTask &Task;
  const amdgpu::MCTarget &Target;
  struct ConstantsOfHook {
    FewConstants Here; ///< Over all calls of the hook.
    bool AreFew = false;
  };
  std::map<std::pair<const void *, ConstantPart>, ConstantsOfHook> Constants;
  /// Filled when it is asked for.
  DenseMap<InsertionPoint::Key, const ResolvedCall *> LastAt;
  /// Hooks that some call has before other code: they are compiled for that,
  /// once.
  DenseSet<const void *> GoingOn;
  const ResolvedCall *Chosen = nullptr; ///< The last one.
  /// Hook and arguments, spelled out, to the index of the variant.
  std::map<std::vector<uint64_t>, unsigned> VariantOf;
  VariantPlan Plan;
};

void VariantChooser::noteConstants(const ResolvedCall &Call) {
  for (const auto &[Number, Value] : enumerate(Call.Arguments))
    for (const auto &[Input, Given] : enumerate(Value.Inputs))
      if (const auto *Bits = std::get_if<uint64_t>(&Given))
        Constants[{Call.Handle, partOf(Number, Value, Input)}].Here.add(*Bits);
}

void VariantChooser::decideOnConstants() {
  for (auto &[Of, Those] : Constants) {
    const HookReference &Hook = Task.Hooks.find(Of.first)->second.Reference;
    PayloadCompiler &Compiler = *Task.Compilers.find(Hook.Module)->second;
    Those.AreFew = Compiler.seenConstants().areFewWith(Hook.Function, Of.second,
                                                       Those.Here);
  }
}

/// Hands out argument registers of one call site.
class SlotAllocator {
public:
  ArgumentSlot allocate(ArgumentSlot Slot) {
    unsigned &Next = Slot.IsVector ? VGPRs : SGPRs;
    // Register pairs of both files must be aligned for some instructions.
    Slot.Index = alignTo(Next, Slot.Dwords);
    Next = Slot.Index + Slot.Dwords;
    return Slot;
  }
  unsigned SGPRs = 0, VGPRs = 0;
};

/// Where a literal takes no more code than what is compiled in, one payload
/// serves all call sites, and all kernels.
bool VariantChooser::isCompiledIn(const ResolvedCall &Call,
                                  const HookParameter &Parameter,
                                  const ConstantPart &Part,
                                  uint64_t Bits) const {
  const auto [Number, Form, Detail, Input] = Part;
  const bool IsStandIn =
      Form == formNumber(ArgumentForm::Variable) && Input == 0;
  if (Parameter.MustBeConstant || IsStandIn)
    return true;
  // Parts of computed arguments are not what the hook is given.
  const bool IsPlain = !Form;
  switch (IsPlain ? Parameter.Use : ConstantUse::Any) {
  case ConstantUse::Address:
    return false;
  case ConstantUse::Addend:
    return !Bits;
  case ConstantUse::Any:
    return Constants.at({Call.Handle, Part}).AreFew;
  }
  llvm_unreachable("every use is handled");
}

const DenseMap<InsertionPoint::Key, const ResolvedCall *> &
VariantChooser::lastAt() {
  if (LastAt.empty())
    for (const ResolvedCall &Call : Task.Calls)
      LastAt[Call.Where.key()] = &Call;
  return LastAt;
}

/// Behind it there is nothing but the end, without hooks, and without vector
/// instructions in particular.
bool VariantChooser::endsWave(const ResolvedCall &Call) {
  const MachineInstr *const First = Call.Where.instruction();
  const MachineInstr *Last = First;
  while (Last && Last->getOpcode() != AMDGPU::S_ENDPGM) {
    if (!deallocatesVGPRs(*Last) && Last->getOpcode() != AMDGPU::S_NOP)
      return false;
    Last = Last->getNextNode();
  }
  if (!Last || lastAt().lookup(Call.Where.key()) != &Call)
    return false;
  for (const MachineInstr *MI = First; MI != Last;) {
    MI = MI->getNextNode();
    if (lastAt().contains(InsertionPoint::before(*MI).key()))
      return false;
  }
  return true;
}

/// Like \p Other but for the place.
static bool isRepetition(const ResolvedCall &Call, const ResolvedCall &Other) {
  return Call.Handle == Other.Handle && Call.Tool == Other.Tool &&
         Call.Workgroups == Other.Workgroups &&
         Call.Arguments == Other.Arguments;
}

void VariantChooser::choose(const ResolvedCall &Call) {
  const ResolvedCall *const Before = std::exchange(Chosen, &Call);
  if (Before && isRepetition(Call, *Before)) {
    CallSite Repeated = Plan.CallSites.back();
    Repeated.Where = Call.Where;
    Plan.CallSites.push_back(std::move(Repeated));
    return;
  }
  const UsedHook &Hook = Task.Hooks.find(Call.Handle)->second;
  CallSite Site;
  Site.Where = Call.Where;
  decltype(PayloadVariant::Arguments) Arguments;
  const bool EndsWave = !GoingOn.contains(Call.Handle);
  std::vector<uint64_t> Key{reinterpret_cast<uint64_t>(Call.Handle), EndsWave,
                            Call.Workgroups.First, Call.Workgroups.Last,
                            Call.Tool};
  SlotAllocator Slots;
  for (const auto &[Number, Value] : enumerate(Call.Arguments)) {
    const HookParameter &Parameter = Hook.Parameters[Number];
    ComputedArgument Computed{
        Value.Form.value_or(ArgumentForm()), Value.Detail, {}};
    Key.insert(Key.end(), {Value.Form ? 1 + uint64_t(*Value.Form) : 0,
                           Value.Detail, Value.Inputs.size()});
    for (const auto &[Input, Given] : enumerate(Value.Inputs)) {
      const auto *Bits = std::get_if<uint64_t>(&Given);
      if (Bits &&
          isCompiledIn(Call, Parameter, partOf(Number, Value, Input), *Bits)) {
        Computed.Inputs.push_back(*Bits);
        Key.insert(Key.end(), {0, *Bits});
        continue;
      }
      // Constant parts of an address have 32 bits.
      ArgumentSlot Slot{false, 0, !Value.Form && Parameter.Bits > 32 ? 2u : 1u};
      if (Bits) {
        Slot.IsLiteral = true;
        Slot.Index = Site.Literals.size();
        for (unsigned I = 0; I < Slot.Dwords; ++I)
          Site.Literals.push_back(uint32_t(*Bits >> (32 * I)));
      } else {
        const MCRegister From = std::get<MCRegister>(Given);
        Slot = Slots.allocate(argumentSlotFor(From, Target));
        Site.Moves.push_back({Slot, From});
      }
      Computed.Inputs.push_back(Slot);
      Key.insert(Key.end(), {1u + Slot.IsVector + 2 * Slot.IsLiteral,
                             Slot.Index, Slot.Dwords});
    }
    if (Value.Form)
      Arguments.push_back(std::move(Computed));
    else
      std::visit([&](auto Plain) { Arguments.push_back(Plain); },
                 Computed.Inputs.front());
  }
  Plan.ArgumentSGPRs = std::max(Plan.ArgumentSGPRs, Slots.SGPRs);
  Plan.ArgumentVGPRs = std::max(Plan.ArgumentVGPRs, Slots.VGPRs);
  auto [It, New] = VariantOf.try_emplace(std::move(Key), Plan.Variants.size());
  if (New)
    Plan.Variants.push_back(
        {{Hook.Reference.Module, Hook.Reference.Function, Call.Tool},
         std::move(Arguments),
         EndsWave,
         Call.Workgroups});
  Site.Variant = It->second;
  Plan.CallSites.push_back(std::move(Site));
}

} // namespace

VariantPlan chooseVariants(const ResolvedTask &Task,
                           const amdgpu::MCTarget &Target) {
  return VariantChooser(Task, Target).run();
}

} // namespace luthier
