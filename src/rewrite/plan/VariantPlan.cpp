// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/plan/VariantPlan.h"
#include "lift/LiftedImpl.h"
#include "luthier/Refusal.h"
#include "rewrite/resolve/ArgumentResolver.h"
#include "rewrite/resolve/ArgumentSpreader.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <set>
#include <tuple>

using namespace llvm;

namespace luthier {
namespace {

/// A constant that is part of an argument: parameter, form of the argument (0
/// for a plain one) and its detail, number of the input.
using ConstantPlace = std::tuple<unsigned, unsigned, uint32_t, unsigned>;

/// A hook as the task uses it.
struct UsedHook {
  HookReference Reference;
  SmallVector<HookParameter, 4> Parameters;
  std::map<ConstantPlace, std::set<uint64_t>> Constants;
};

/// An insertion at one of its places.
struct ResolvedPoint {
  const void *Handle;
  UsedHook *Hook;
  PlacedPoint At;
  SmallVector<ArgumentValue, 2> Arguments;
};

class VariantPlanner {
public:
  VariantPlanner(const LiftedRepresentation &LR, const RegisterUse &Use,
                 const InstrumentationTask &Task, HookResolver Resolve,
                 uint64_t LoadBias)
      : Target(*LR.impl().Target),
        WaveSize(LR.impl().Kernel->Descriptor.usesWave32() ? 32 : 64),
        Task(Task), Resolve(Resolve), Places(LR), Arguments(LR, Use, LoadBias) {
  }

  Expected<VariantPlan> run() {
    // Hooks of points that fall on one place run in the order of their kinds.
    std::map<PointKind, SmallVector<const InstrumentationTask::Insertion *, 0>>
        ByKind;
    for (const InstrumentationTask::Insertion &I : Task.insertions())
      ByKind[I.Kind].push_back(&I);
    for (const auto &[Kind, Insertions] : ByKind)
      for (const InstrumentationTask::Insertion *I : Insertions)
        if (Error E = resolve(*I))
          return std::move(E);
    for (const ResolvedPoint &Point : Points)
      plan(Point);
    return std::move(Plan);
  }

private:
  /// An argument for each of \p Hook's parameters, or 64 bits of them.
  Expected<SmallVector<HookArgument, 2>> spread(ArrayRef<HookArgument> Given,
                                                const UsedHook &Hook,
                                                const PlacedPoint &At) const;
  /// Finds the places and arguments of \p I and notes its constants.
  Error resolve(const InstrumentationTask::Insertion &I);
  void plan(const ResolvedPoint &Point);
  Expected<UsedHook *> find(const void *Handle);
  static ConstantPlace placeOf(unsigned Parameter, const ArgumentValue &Value,
                               unsigned Input) {
    return {Parameter, Value.Form ? 1 + unsigned(*Value.Form) : 0, Value.Detail,
            Input};
  }

  const amdgpu::MCTarget &Target;
  const unsigned WaveSize;
  const InstrumentationTask &Task;
  HookResolver Resolve;
  PlaceFinder Places;
  ArgumentResolver Arguments;
  std::map<const void *, UsedHook> Hooks;
  std::vector<ResolvedPoint> Points;
  /// Hook and arguments, spelled out, to the index of the variant.
  std::map<std::vector<uint64_t>, unsigned> VariantOf;
  VariantPlan Plan;
};

Expected<UsedHook *> VariantPlanner::find(const void *Handle) {
  if (auto It = Hooks.find(Handle); It != Hooks.end())
    return &It->second;
  Expected<HookReference> Reference = Resolve(Handle);
  if (!Reference)
    return Reference.takeError();
  auto &Compiler = Plan.Compilers[Reference->Module];
  if (!Compiler) {
    auto Created =
        PayloadCompiler::create(Target, *Reference->Module, WaveSize);
    if (!Created)
      return Created.takeError();
    Compiler = std::move(*Created);
  }
  auto Parameters = Compiler->parametersOf(Reference->Function);
  if (!Parameters)
    return Parameters.takeError();
  UsedHook &Hook = Hooks[Handle];
  Hook.Reference = *Reference;
  Hook.Parameters = *Parameters;
  return &Hook;
}

Expected<SmallVector<HookArgument, 2>>
VariantPlanner::spread(ArrayRef<HookArgument> Given, const UsedHook &Hook,
                       const PlacedPoint &At) const {
  ArgumentSpreader Spreader(Hook.Parameters);
  for (const auto &[Number, Argument] : enumerate(Given)) {
    const MCRegister Reg = ArgumentResolver::registerOf(Argument, At);
    const unsigned Dwords = Reg ? Arguments.slotFor(Reg).Dwords : 0;
    if (Error E = Spreader.add(Argument, Dwords, Given.size() - Number - 1))
      return refuse(RefusalReason::HookArguments,
                    Hook.Reference.Function + ": " + toString(std::move(E)));
  }
  if (!Spreader.isComplete()) {
    const auto HasMembers = [](const HookParameter &Parameter) {
      return Parameter.IsContinued;
    };
    const size_t Whole =
        Hook.Parameters.size() - count_if(Hook.Parameters, HasMembers);
    return refuse(RefusalReason::HookArguments,
                  Hook.Reference.Function + " takes " + Twine(Whole) +
                      (Whole == 1 ? " parameter" : " parameters") +
                      (any_of(Hook.Parameters, HasMembers)
                           ? " (a structure takes a tuple of registers, or one "
                             "argument for each member)"
                           : "") +
                      ", but is given " + Twine(Given.size()) +
                      (Given.size() == 1 ? " argument" : " arguments"));
  }
  return Spreader.take();
}

/// Host code names the tool's variables by its own addresses.
static Error translatePointer(HookArgument &Argument, const UsedHook &Hook,
                              size_t Parameter) {
  const std::optional<uint64_t> Pointer = Argument.integer();
  if (!Pointer ||
      !(Argument.isPointer() || Hook.Parameters[Parameter].IsPointer))
    return Error::success();
  Expected<uint64_t> Address = Hook.Reference.Module->deviceAddress(*Pointer);
  if (!Address)
    return Address.takeError();
  Argument = *Address;
  return Error::success();
}

Error VariantPlanner::resolve(const InstrumentationTask::Insertion &I) {
  Expected<UsedHook *> Hook = find(I.Hook);
  if (!Hook)
    return Hook.takeError();
  UsedHook &Used = **Hook;
  Expected<SmallVector<PlacedPoint, 1>> At = Places.find(I);
  if (!At)
    return At.takeError();
  for (const PlacedPoint &Place : *At) {
    auto Given = spread(I.Arguments, Used, Place);
    if (!Given)
      return Given.takeError();
    ResolvedPoint Point{I.Hook, &Used, Place, {}};
    for (auto &&[Number, Argument] : enumerate(*Given)) {
      if (Error E = translatePointer(Argument, Used, Number))
        return E;
      Expected<ArgumentValue> Value = Arguments.resolve(Argument, Place);
      if (!Value)
        return Value.takeError();
      for (const auto &[Input, Given] : enumerate(Value->Inputs))
        if (const auto *Bits = std::get_if<uint64_t>(&Given))
          Used.Constants[placeOf(Number, *Value, Input)].insert(*Bits);
      Point.Arguments.push_back(std::move(*Value));
    }
    Points.push_back(std::move(Point));
  }
  return Error::success();
}

/// Hands out argument registers of one point.
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

void VariantPlanner::plan(const ResolvedPoint &Resolved) {
  UsedHook &Hook = *Resolved.Hook;
  PlannedPoint Point;
  Point.Where = Resolved.At.Where;
  PayloadVariant Variant{Hook.Reference, {}};
  std::vector<uint64_t> Key{reinterpret_cast<uint64_t>(Resolved.Handle)};
  SlotAllocator Slots;
  for (const auto &[Number, Value] : enumerate(Resolved.Arguments)) {
    const HookParameter &Parameter = Hook.Parameters[Number];
    ComputedArgument Computed{
        Value.Form.value_or(ArgumentForm()), Value.Detail, {}};
    Key.insert(Key.end(), {Value.Form ? 1 + uint64_t(*Value.Form) : 0,
                           Value.Detail, Value.Inputs.size()});
    for (const auto &[Input, Given] : enumerate(Value.Inputs)) {
      const auto *Bits = std::get_if<uint64_t>(&Given);
      if (Bits && (Parameter.MustBeConstant ||
                   Hook.Constants[placeOf(Number, Value, Input)].size() <=
                       MaxSpecialised)) {
        Computed.Inputs.push_back(*Bits);
        Key.insert(Key.end(), {0, *Bits});
        continue;
      }
      // Constant parts of an address have 32 bits.
      ArgumentSlot Slot{false, 0, !Value.Form && Parameter.Bits > 32 ? 2u : 1u};
      if (!Bits)
        Slot = Arguments.slotFor(std::get<MCRegister>(Given));
      Slot = Slots.allocate(Slot);
      Computed.Inputs.push_back(Slot);
      Key.insert(Key.end(), {1u + Slot.IsVector, Slot.Index, Slot.Dwords});
      Point.Moves.push_back({Slot, Given});
    }
    if (Value.Form)
      Variant.Arguments.push_back(std::move(Computed));
    else
      std::visit([&](auto Plain) { Variant.Arguments.push_back(Plain); },
                 Computed.Inputs.front());
  }
  Plan.ArgumentSGPRs = std::max(Plan.ArgumentSGPRs, Slots.SGPRs);
  Plan.ArgumentVGPRs = std::max(Plan.ArgumentVGPRs, Slots.VGPRs);
  auto [It, New] = VariantOf.try_emplace(std::move(Key), Plan.Variants.size());
  if (New)
    Plan.Variants.push_back(std::move(Variant));
  Point.Variant = It->second;
  Plan.Points.push_back(std::move(Point));
}

} // namespace

Expected<VariantPlan> planVariants(const LiftedRepresentation &LR,
                                   const RegisterUse &Use,
                                   const InstrumentationTask &Task,
                                   HookResolver Resolve, uint64_t LoadBias) {
  return VariantPlanner(LR, Use, Task, Resolve, LoadBias).run();
}

} // namespace luthier
