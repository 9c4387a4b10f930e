// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/TaskRecipe.h"
#include "lift/LiftedImpl.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier::runtime {
namespace {

/// All parts of a lifted kernel, in their order.
struct Parts {
  std::vector<const MachineInstr *> Instructions;
  std::vector<const MachineBasicBlock *> Blocks;
  std::vector<const MachineFunction *> Functions;

  explicit Parts(const LiftedRepresentation &LR) {
    for (const auto &[Symbol, MF] : LR.functions()) {
      Functions.push_back(MF);
      for (const MachineBasicBlock &MBB : *MF) {
        Blocks.push_back(&MBB);
        for (const MachineInstr &MI : MBB.instrs())
          Instructions.push_back(&MI);
      }
    }
  }
};

/// Numbers of parts, which most tools ask about in their order.
template <typename T> class Numbers {
public:
  explicit Numbers(const std::vector<const T *> &List) : List(List) {}

  unsigned of(const T *Part, unsigned None) {
    if (!Part)
      return None;
    for (size_t Near : {Last, Last + 1})
      if (Near < List.size() && List[Near] == Part)
        return Last = Near;
    if (All.empty())
      for (const T *Each : List)
        All.try_emplace(Each, All.size());
    auto It = All.find(Part);
    return It == All.end() ? None : Last = It->second;
  }

private:
  const std::vector<const T *> &List;
  size_t Last = 0;
  DenseMap<const T *, unsigned> All; ///< Filled when it takes that.
};

/// LLVM's constants end with the lifted kernel's context; what the engine makes
/// of them does not. False if there is no such thing.
bool detach(HookArgument &Argument) {
  if (!Argument.isConstant() || Argument.bytes() || Argument.floating() ||
      Argument.isPointer())
    return true;
  const std::optional<uint64_t> Bits = Argument.integer();
  if (Bits)
    Argument = *Bits;
  return Bits.has_value();
}

/// Those of \p More join those of \p Contents, whose hooks stay where they are.
void widen(detail::TaskContents &Contents, const detail::WorkgroupRange &More) {
  const detail::WorkgroupRange Before = Contents.Workgroups;
  for (detail::InsertionRequest &R : Contents.Insertions)
    R.Workgroups = R.Workgroups.within(Before);
  Contents.Workgroups = Before.with(More);
}

} // namespace

TaskRecipe TaskRecipe::of(const InstrumentationTask &Task,
                          const LiftedRepresentation &LR) {
  TaskRecipe Result;
  const detail::TaskContents &Contents = detail::contentsOf(Task);
  Result.Test = Contents.Test;
  Result.Workgroups = Contents.Workgroups;
  Result.IsEdited = isEdited(LR);
  if (Result.IsEdited)
    return Result;
  const Parts All(LR);
  Numbers Instructions(All.Instructions);
  Numbers Blocks(All.Blocks);
  Numbers Functions(All.Functions);
  Result.Requests.reserve(Contents.Insertions.size());
  Result.Arguments.reserve(Contents.Insertions.size()); // Most have one.
  for (const detail::InsertionRequest &R : Contents.Insertions) {
    Result.Requests.push_back(
        {R.Kind, Instructions.of(R.MI, None), Blocks.of(R.Block, None),
         Blocks.of(R.To, None), Functions.of(R.MF, None), R.Hook,
         unsigned(Result.Arguments.size()), unsigned(R.Arguments.size())});
    append_range(Result.Arguments, R.Arguments);
  }
  for (HookArgument &Argument : Result.Arguments)
    Result.HasForeignArguments |= !detach(Argument);
  return Result;
}

bool TaskRecipe::hasHook(function_ref<bool(const void *)> IsIt) const {
  return any_of(Requests, [&](const Request &R) { return IsIt(R.Hook); });
}

Error TaskRecipe::addTo(InstrumentationTask &Task,
                        LiftedRepresentation &LR) const {
  if (IsEdited)
    return refuse(RefusalReason::UnsupportedEdit,
                  "a tool has changed the kernel's code");
  if (HasForeignArguments)
    return refuse(RefusalReason::HookArguments,
                  "a tool gives its hooks constants of LLVM that are no "
                  "numbers");
  const Parts All(LR);
  auto Find = [](const auto &List, unsigned Number) {
    return Number == None ? nullptr : List[Number];
  };
  detail::TaskContents &Contents = detail::contentsOf(Task);
  if (Contents.Insertions.empty())
    Contents.Workgroups = Workgroups;
  else if (Contents.Workgroups != Workgroups)
    widen(Contents, Workgroups);
  for (const Request &R : Requests)
    Contents.Insertions.push_back(
        {R.Kind, Find(All.Instructions, R.MI), Find(All.Blocks, R.Block),
         Find(All.Blocks, R.To), Find(All.Functions, R.MF), R.Hook,
         SmallVector<HookArgument, 2>(
             ArrayRef(Arguments).slice(R.FirstArgument, R.NumArguments)),
         Workgroups});
  if (Test.RegisterSeed)
    Contents.Test.RegisterSeed = Test.RegisterSeed;
  if (Test.StackSeed) {
    Contents.Test.StackSeed = Test.StackSeed;
    Contents.Test.IsStackOptional = Test.IsStackOptional;
  }
  return Error::success();
}

} // namespace luthier::runtime
