// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/VariantPlan.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/RegisterFiles.h"
#include "lift/LiftedImpl.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <set>

using namespace llvm;

namespace luthier {
namespace {

/// A hook as the task uses it.
struct UsedHook {
  HookReference Reference;
  SmallVector<HookParameter, 4> Parameters;
  /// Distinct constants seen for each parameter.
  SmallVector<std::set<uint64_t>, 4> Constants;
};

class VariantPlanner {
public:
  VariantPlanner(const LiftedRepresentation &LR, const RegisterUse &Use,
                 const InstrumentationTask &Task, HookResolver Resolve)
      : Target(*LR.impl().Target), Use(Use), Task(Task), Resolve(Resolve),
        Places(LR) {}

  Expected<VariantPlan> run() {
    for (const InstrumentationTask::Insertion &I : Task.insertions())
      if (Error E = noteUse(I))
        return std::move(E);
    // Hooks of points that fall on one place run in the order of their kinds.
    std::map<PointKind, SmallVector<const InstrumentationTask::Insertion *, 0>>
        ByKind;
    for (const InstrumentationTask::Insertion &I : Task.insertions())
      ByKind[I.Kind].push_back(&I);
    for (const auto &[Kind, Insertions] : ByKind)
      for (const InstrumentationTask::Insertion *I : Insertions)
        if (Error E = plan(*I))
          return std::move(E);
    return std::move(Plan);
  }

private:
  Error noteUse(const InstrumentationTask::Insertion &I);
  Error plan(const InstrumentationTask::Insertion &I);
  Error plan(const InstrumentationTask::Insertion &I, UsedHook &Hook,
             const PlacedPoint &At);
  Expected<UsedHook &> find(const void *Handle);
  /// Dwords of an argument register and whether it holds a value per lane.
  Expected<ArgumentSlot> slotFor(MCRegister Reg) const;
  /// The next free argument registers of \p Slot's kind.
  static ArgumentSlot allocate(ArgumentSlot Slot, unsigned &SGPRs,
                               unsigned &VGPRs);

  const amdgpu::MCTarget &Target;
  const RegisterUse &Use;
  const InstrumentationTask &Task;
  HookResolver Resolve;
  PlaceFinder Places;
  DenseMap<const void *, UsedHook> Hooks;
  /// Hook and arguments, spelled out, to the index of the variant.
  std::map<std::vector<uint64_t>, unsigned> VariantOf;
  VariantPlan Plan;
};

Expected<UsedHook &> VariantPlanner::find(const void *Handle) {
  if (auto It = Hooks.find(Handle); It != Hooks.end())
    return It->second;
  Expected<HookReference> Reference = Resolve(Handle);
  if (!Reference)
    return Reference.takeError();
  auto &Compiler = Plan.Compilers[Reference->Module];
  if (!Compiler) {
    auto Created = PayloadCompiler::create(Target, *Reference->Module);
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
  Hook.Constants.resize(Parameters->size());
  return Hook;
}

Error VariantPlanner::noteUse(const InstrumentationTask::Insertion &I) {
  Expected<UsedHook &> Hook = find(I.Hook);
  if (!Hook)
    return Hook.takeError();
  if (I.Arguments.size() != Hook->Parameters.size())
    return refuse(RefusalReason::HookArguments,
                  Hook->Reference.Function + " takes " +
                      Twine(Hook->Parameters.size()) + " arguments, " +
                      Twine(I.Arguments.size()) + " were given");
  for (auto [Argument, Constants] : zip(I.Arguments, Hook->Constants)) {
    if (Argument.isRegister())
      continue;
    if (!Argument.isConstant())
      return refuse(RefusalReason::HookArguments,
                    "an argument of " + Hook->Reference.Function +
                        " is of a kind that is not implemented");
    std::optional<uint64_t> Bits = Argument.integer();
    if (!Bits)
      return refuse(RefusalReason::HookArguments,
                    "an argument of " + Hook->Reference.Function +
                        " is not a number of at most 64 bits");
    Constants.insert(*Bits);
  }
  return Error::success();
}

Expected<ArgumentSlot> VariantPlanner::slotFor(MCRegister Reg) const {
  if (Reg == AMDGPU::SCC || Reg == AMDGPU::M0)
    return ArgumentSlot{false, 0, 1};
  if (Reg == AMDGPU::VCC || Reg == AMDGPU::EXEC)
    return ArgumentSlot{false, 0, 2};
  amdgpu::RegisterRange Range = Target.registerFiles().rangeOf(Reg);
  const bool IsUsed =
      Range.end() <= (Range.File == amdgpu::RegisterFile::SGPR   ? Use.SGPRs
                      : Range.File == amdgpu::RegisterFile::VGPR ? Use.VGPRs
                                                                 : Use.AGPRs);
  if ((Range.Count != 1 && Range.Count != 2) || !IsUsed)
    return refuse(RefusalReason::HookArguments,
                  "register " + Twine(Target.registers().getName(Reg)) +
                      " cannot be passed to a hook");
  return ArgumentSlot{Range.isVector(), 0, Range.Count};
}

/// Where a hook does not run right at its instruction, a register it is given
/// must not change between the two.
static Error checkUnchanged(const PlacedPoint &At, MCRegister Reg) {
  if (At.Where.K != Place::Kind::Before || !At.Instruction)
    return Error::success();
  const MachineInstr *MI = At.Where.MI, *End = At.Instruction;
  if (At.IsAfter) {
    std::swap(MI, End);
    MI = MI->getNextNode();
  }
  const TargetRegisterInfo &TRI =
      *End->getMF()->getSubtarget().getRegisterInfo();
  for (; MI != End; MI = MI->getNextNode())
    if (MI->modifiesRegister(Reg, &TRI))
      return refuse(RefusalReason::NoInsertionPoint,
                    Twine(TRI.getName(Reg)) +
                        " changes within a group of instructions that must "
                        "stay together");
  return Error::success();
}

ArgumentSlot VariantPlanner::allocate(ArgumentSlot Slot, unsigned &SGPRs,
                                      unsigned &VGPRs) {
  unsigned &Next = Slot.IsVector ? VGPRs : SGPRs;
  // Register pairs of both files must be aligned for some instructions.
  Slot.Index = alignTo(Next, Slot.Dwords);
  Next = Slot.Index + Slot.Dwords;
  return Slot;
}

Error VariantPlanner::plan(const InstrumentationTask::Insertion &I) {
  Expected<SmallVector<PlacedPoint, 1>> At = Places.find(I);
  if (!At)
    return At.takeError();
  UsedHook &Hook = *find(I.Hook); // noteUse has been here.
  for (const PlacedPoint &Point : *At)
    if (Error E = plan(I, Hook, Point))
      return E;
  return Error::success();
}

Error VariantPlanner::plan(const InstrumentationTask::Insertion &I,
                           UsedHook &Hook, const PlacedPoint &At) {
  PlannedPoint Point;
  Point.Where = At.Where;
  PayloadVariant Variant{Hook.Reference, {}};
  std::vector<uint64_t> Key{reinterpret_cast<uint64_t>(I.Hook)};
  unsigned SGPRs = 0, VGPRs = 0;
  for (auto [Argument, Parameter, Constants] :
       zip(I.Arguments, Hook.Parameters, Hook.Constants)) {
    if (!Argument.isRegister() &&
        (Parameter.MustBeConstant || Constants.size() <= MaxSpecialised)) {
      uint64_t Bits = *Argument.integer();
      Variant.Arguments.push_back(Bits);
      Key.insert(Key.end(), {0, Bits});
      continue;
    }
    ArgumentSlot Slot{false, 0, Parameter.Bits > 32 ? 2u : 1u};
    if (Argument.isRegister()) {
      Expected<ArgumentSlot> Shape = slotFor(Argument.reg());
      if (!Shape)
        return Shape.takeError();
      Slot = *Shape;
    }
    Slot = allocate(Slot, SGPRs, VGPRs);
    Variant.Arguments.push_back(Slot);
    Key.insert(Key.end(), {1u + Slot.IsVector, Slot.Index, Slot.Dwords});
    if (Argument.isRegister())
      if (Error E = checkUnchanged(At, Argument.reg()))
        return E;
    if (Argument.isRegister())
      Point.Moves.push_back({Slot, Argument.reg()});
    else
      Point.Moves.push_back({Slot, *Argument.integer()});
  }
  Plan.ArgumentSGPRs = std::max(Plan.ArgumentSGPRs, SGPRs);
  Plan.ArgumentVGPRs = std::max(Plan.ArgumentVGPRs, VGPRs);
  auto [It, New] = VariantOf.try_emplace(std::move(Key), Plan.Variants.size());
  if (New)
    Plan.Variants.push_back(std::move(Variant));
  Point.Variant = It->second;
  Plan.Points.push_back(std::move(Point));
  return Error::success();
}

} // namespace

Expected<VariantPlan> planVariants(const LiftedRepresentation &LR,
                                   const RegisterUse &Use,
                                   const InstrumentationTask &Task,
                                   HookResolver Resolve) {
  return VariantPlanner(LR, Use, Task, Resolve).run();
}

} // namespace luthier
