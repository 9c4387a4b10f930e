// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/ExecRegions.h"
#include "analysis/ExecChange.h"
#include "analysis/ExecMasks.h"
#include "lift/LiftedImpl.h"
#include "llvm/ADT/GenericCycleImpl.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineCycleAnalysis.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier {
namespace {

/// Loops beyond these are not looked at: each takes a pass over the kernel.
constexpr size_t MaxLoops = 4;
/// How often a loop is taken to run, for want of anything better.
constexpr uint64_t TimesOfLoop = 8;
constexpr unsigned MaxDepth = 10;

class RegionFinder {
public:
  explicit RegionFinder(const LiftedRepresentation &LR)
      : LR(LR), MF(*LR.functions().front().second),
        IsWave32(LR.impl().Kernel->Descriptor.usesWave32()) {
    Cycles.compute(MF);
  }

  std::vector<ExecRegion> run();

private:
  uint64_t weightOf(const MachineBasicBlock &MBB) const {
    uint64_t Times = 1;
    for (unsigned D = std::min(Cycles.getCycleDepth(&MBB), MaxDepth); D; --D)
      Times *= TimesOfLoop;
    return Times;
  }
  uint64_t weightOf(const MachineCycle &Cycle) const {
    uint64_t Weight = 0;
    for (const MachineBasicBlock *MBB : Cycle.blocks())
      Weight += MBB->size() * weightOf(*MBB);
    return Weight;
  }
  uint64_t weightInLoops(const ExecRegion &Region) const {
    uint64_t Weight = 0;
    for (const MachineInstr *MI : Region.Instructions)
      if (Cycles.getCycle(MI->getParent()))
        Weight += weightOf(*MI->getParent());
    return Weight;
  }
  bool isLastChange(const MachineInstr &MI) const {
    return execChangeOf(MI, IsWave32) != ExecChange::None || MI.isCall();
  }
  MachineInstr *beginBefore(const MachineCycle &Cycle) const;

  const LiftedRepresentation &LR;
  MachineFunction &MF;
  bool IsWave32;
  MachineCycleInfo Cycles;
};

/// From the only way into \p Cycle back to where EXEC got its value. Null if
/// there is no such instruction that a wave passes once.
MachineInstr *RegionFinder::beginBefore(const MachineCycle &Cycle) const {
  MachineBasicBlock *MBB = Cycle.getCyclePredecessor();
  MachineInstr *Begin = nullptr;
  for (; MBB && !Cycles.getCycle(MBB);
       MBB = MBB->pred_size() == 1 ? *MBB->pred_begin() : nullptr)
    for (MachineInstr &MI : reverse(*MBB)) {
      if (isLastChange(MI))
        return Begin;
      Begin = &MI;
    }
  return Begin;
}

std::vector<ExecRegion> RegionFinder::run() {
  std::vector<std::pair<uint64_t, const MachineCycle *>> Loops;
  for (const MachineCycle *Cycle : Cycles.toplevel_cycles())
    Loops.push_back({weightOf(*Cycle), Cycle});
  sort(Loops, [](auto &A, auto &B) {
    return std::pair(B.first, A.second->getHeader()->getNumber()) <
           std::pair(A.first, B.second->getHeader()->getNumber());
  });
  Loops.resize(std::min(Loops.size(), MaxLoops));

  std::optional<SameExec> Masks;
  std::vector<std::pair<uint64_t, ExecRegion>> Found;
  for (auto [Weight, Loop] : Loops) {
    MachineInstr *Begin = beginBefore(*Loop);
    if (!Begin || any_of(Found, [&](auto &Other) {
          return Other.second.contains(*Begin);
        }))
      continue;
    if (!Masks)
      Masks.emplace(LR);
    ExecRegion Region = {Begin, Masks->since(*Begin)};
    if (const uint64_t InLoops = weightInLoops(Region))
      Found.push_back({InLoops, std::move(Region)});
  }
  sort(Found, [](auto &A, auto &B) {
    return std::pair(B.first, A.second.Begin->getParent()->getNumber()) <
           std::pair(A.first, B.second.Begin->getParent()->getNumber());
  });
  std::vector<ExecRegion> Result;
  for (auto &[Weight, Region] : Found)
    Result.push_back(std::move(Region));
  return Result;
}

} // namespace

std::vector<ExecRegion> execRegions(const LiftedRepresentation &LR) {
  return RegionFinder(LR).run();
}

} // namespace luthier
