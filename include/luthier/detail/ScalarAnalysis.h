// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values of a hook scalar instructions alone can compute, so that they
// are exact whatever EXEC is. The plugin asks when a tool is compiled, and the
// engine when it lowers the hook: they have to agree, so the rule is here, in a
// header alone, as they have no library in common.
#ifndef LUTHIER_DETAIL_SCALARANALYSIS_H
#define LUTHIER_DETAIL_SCALARANALYSIS_H

#include "luthier/detail/ScalarOperations.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/MC/MCRegisterInfo.h"
#include <functional>
#include <optional>
#include <string>

namespace luthier {

/// Attribute of intrinsics whose result is a scalar, as their authors say
/// (LUTHIER_SCALAR_INTRINSIC_ANNOTATE).
inline constexpr const char *ScalarResultAttribute = "luthier_scalar_result";

/// The qualified name of the intrinsic that \p Call calls, or nothing.
inline llvm::StringRef calledIntrinsic(const llvm::CallBase &Call) {
  const llvm::Function *Callee = Call.getCalledFunction();
  return Callee ? Callee->getFnAttribute("luthier_intrinsic").getValueAsString()
                : llvm::StringRef();
}

/// The first argument of \p Call is the number of a vector register, and
/// constant already.
inline bool namesVectorRegister(const llvm::CallBase &Call,
                                const llvm::MCRegisterInfo &MRI) {
  auto *Number = llvm::dyn_cast<llvm::ConstantInt>(Call.getArgOperand(0));
  if (!Number || Number->getZExtValue() >= MRI.getNumRegs())
    return false;
  llvm::StringRef Name = MRI.getName(Number->getZExtValue());
  return Name.starts_with("VGPR") || Name.starts_with("AGPR");
}

/// \p V is computed from what a counter of the wave is chosen by: it becomes a
/// constant with that.
inline bool isNumberOfCounter(const llvm::Value &V) {
  using namespace llvm;
  auto *I = dyn_cast<Instruction>(&V);
  return I && (isa<GetElementPtrInst, CastInst, BinaryOperator>(I));
}

/// What \p Call of an intrinsic yields is a scalar, as far as is known.
inline bool yieldsScalar(const llvm::CallBase &Call,
                         const llvm::MCRegisterInfo &MRI) {
  if (calledIntrinsic(Call) == "luthier::readReg")
    return !namesVectorRegister(Call, MRI);
  return Call.getCalledFunction()->hasFnAttribute(ScalarResultAttribute);
}

/// Of one function, which must not change while the object is in use.
class ScalarAnalysis {
public:
  using Blocks = llvm::SmallPtrSet<const llvm::BasicBlock *, 8>;
  /// Says of a value that begins a computation whether it is scalar; nothing
  /// for all others.
  using LeafRule = std::function<std::optional<bool>(const llvm::Value &)>;

  ScalarAnalysis(const llvm::Function &F, LeafRule Leaves)
      : F(F), Leaves(std::move(Leaves)),
        Dominators(const_cast<llvm::Function &>(F)),
        PostDominators(const_cast<llvm::Function &>(F)), Loops(Dominators) {}

  /// A value that depends on lanes and that \p V, as used in \p UseBlock,
  /// depends on; null if \p V is scalar there. (Where a use is matters: behind
  /// a loop that lanes leave one by one, each has the value of its last turn.)
  const llvm::Value *obstacleTo(const llvm::Value &V,
                                const llvm::BasicBlock &UseBlock);
  bool isScalar(const llvm::Value &V, const llvm::BasicBlock &UseBlock) {
    return !obstacleTo(V, UseBlock);
  }
  /// Scalar instructions choose between the successors of \p Block, if it has
  /// more than one.
  bool isScalarBranch(const llvm::BasicBlock &Block);

  /// Visits all that \p V, as used in \p UseBlock, is computed from, itself
  /// included, up to the leaves; also conditions that decide where values join
  /// and how often loops turn. Ends when \p Visit returns false.
  void visitComputation(const llvm::Value &V, const llvm::BasicBlock &UseBlock,
                        llvm::function_ref<bool(const llvm::Value &)> Visit);

  /// Blocks between the end of \p Head and where its ways join again.
  const Blocks &regionOf(const llvm::BasicBlock &Head);
  /// Whether a branch that is not scalar decides if \p Block runs.
  bool isDecidedByLanes(const llvm::BasicBlock &Block);
  /// Where all ways from the end of \p Head join, or null.
  const llvm::BasicBlock *joinOf(const llvm::BasicBlock &Head) const;

  /// \p I copies a lane's value to a scalar register where some lane is active
  /// for sure.
  bool isReadOfActiveLane(const llvm::Instruction &I) {
    return isLaneRead(I) && hasActiveLane(*I.getParent());
  }

  /// EXEC has been set to a constant that is not zero.
  bool hasActiveLane(const llvm::BasicBlock &Block);

  const llvm::LoopInfo &loops() const { return Loops; }

private:
  static bool isLaneRead(const llvm::Instruction &I) {
    auto *Call = llvm::dyn_cast<llvm::CallInst>(&I);
    return Call &&
           (Call->getIntrinsicID() == llvm::Intrinsic::amdgcn_readfirstlane ||
            Call->getIntrinsicID() == llvm::Intrinsic::amdgcn_readlane);
  }
  /// The same of what may be scalar already.
  bool isReadOfScalar(const llvm::Instruction &I) {
    return isLaneRead(I) && !hasActiveLane(*I.getParent());
  }
  bool choosesAt(const llvm::BasicBlock &Head, const llvm::BasicBlock &Join);
  static Blocks reachedBefore(const llvm::BasicBlock *From,
                              const llvm::BasicBlock *Stop,
                              const llvm::BasicBlock *OtherStop = nullptr);
  void findActiveLanes();

  const llvm::Function &F;
  LeafRule Leaves;
  llvm::DominatorTree Dominators;
  llvm::PostDominatorTree PostDominators;
  llvm::LoopInfo Loops;
  llvm::DenseMap<const llvm::BasicBlock *, Blocks> Regions;
  llvm::DenseMap<std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>,
                 bool>
      Choices;
  /// Blocks in which EXEC has been set to a constant with lanes.
  std::optional<Blocks> WithLanes;
};

inline const llvm::BasicBlock *
ScalarAnalysis::joinOf(const llvm::BasicBlock &Head) const {
  const auto *Node = PostDominators.getNode(&Head);
  return Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
}

inline ScalarAnalysis::Blocks
ScalarAnalysis::reachedBefore(const llvm::BasicBlock *From,
                              const llvm::BasicBlock *Stop,
                              const llvm::BasicBlock *OtherStop) {
  Blocks Result;
  llvm::SmallVector<const llvm::BasicBlock *, 8> Work = {From};
  while (!Work.empty()) {
    const llvm::BasicBlock *Block = Work.pop_back_val();
    if (Block != Stop && Block != OtherStop && Result.insert(Block).second)
      llvm::append_range(Work, llvm::successors(Block));
  }
  return Result;
}

inline const ScalarAnalysis::Blocks &
ScalarAnalysis::regionOf(const llvm::BasicBlock &Head) {
  auto [It, IsNew] = Regions.try_emplace(&Head);
  if (IsNew) {
    const llvm::BasicBlock *Join = joinOf(Head);
    Blocks Region;
    for (const llvm::BasicBlock *Next : llvm::successors(&Head))
      for (const llvm::BasicBlock *Block : reachedBefore(Next, Join))
        Region.insert(Block);
    Regions[&Head] = std::move(Region);
  }
  return Regions[&Head];
}

/// Ways that part at the end of \p Head can meet in \p Join.
inline bool ScalarAnalysis::choosesAt(const llvm::BasicBlock &Head,
                                      const llvm::BasicBlock &Join) {
  auto [It, IsNew] = Choices.try_emplace({&Head, &Join}, false);
  if (!IsNew)
    return It->second;
  const llvm::BasicBlock *Last = joinOf(Head);
  bool Result = &Join == Last;
  if (!Result && regionOf(Head).contains(&Join)) {
    // A way that comes by the choice again makes it again.
    unsigned Ways = 0;
    Blocks Begun;
    for (const llvm::BasicBlock *Next : llvm::successors(&Head))
      if (Begun.insert(Next).second)
        Ways += reachedBefore(Next, Last, &Head).contains(&Join);
    Result = Ways > 1;
  }
  return Choices[{&Head, &Join}] = Result;
}

inline void ScalarAnalysis::visitComputation(
    const llvm::Value &V, const llvm::BasicBlock &UseBlock,
    llvm::function_ref<bool(const llvm::Value &)> Visit) {
  using namespace llvm;
  SmallPtrSet<const Value *, 32> Seen;
  SmallVector<const Value *, 16> Work;
  auto add = [&](const Value &Next) {
    if (!isa<Constant, BasicBlock, MetadataAsValue, InlineAsm>(Next) &&
        Seen.insert(&Next).second)
      Work.push_back(&Next);
  };
  // Loops that the value leaves: turns that they made decide which one it is.
  SmallPtrSet<const Loop *, 8> Left;
  std::function<void(const Value &, const BasicBlock &)> addOperand;
  auto addEnd = [&](const BasicBlock &Block) {
    const Instruction &End = *Block.getTerminator();
    if (auto *Branch = dyn_cast<BranchInst>(&End);
        Branch && Branch->isConditional())
      addOperand(*Branch->getCondition(), Block);
    else if (auto *Switch = dyn_cast<SwitchInst>(&End))
      addOperand(*Switch->getCondition(), Block);
    else if (End.getNumSuccessors() > 1)
      add(End);
  };
  addOperand = [&](const Value &Operand, const BasicBlock &Used) {
    add(Operand);
    auto *Def = dyn_cast<Instruction>(&Operand);
    for (const Loop *L = Def ? Loops.getLoopFor(Def->getParent()) : nullptr;
         L && !L->contains(&Used); L = L->getParentLoop()) {
      if (!Left.insert(L).second)
        continue;
      SmallVector<BasicBlock *, 4> Exiting;
      L->getExitingBlocks(Exiting);
      for (const BasicBlock *Block : Exiting)
        addEnd(*Block);
    }
  };
  addOperand(V, UseBlock);
  while (!Work.empty()) {
    const Value &Next = *Work.pop_back_val();
    if (!Visit(Next))
      return;
    auto *I = dyn_cast<Instruction>(&Next);
    if (!I || Leaves(Next) || (!isScalarOperation(*I) && !isReadOfScalar(*I)))
      continue;
    if (isa<PHINode>(I))
      for (const BasicBlock &Head : F)
        if (Head.getTerminator()->getNumSuccessors() > 1 &&
            choosesAt(Head, *I->getParent()))
          addEnd(Head);
    auto *Call = dyn_cast<CallInst>(I);
    for (const Use &Operand : Call ? Call->args() : I->operands())
      addOperand(*Operand, *I->getParent());
  }
}

inline const llvm::Value *
ScalarAnalysis::obstacleTo(const llvm::Value &V,
                           const llvm::BasicBlock &UseBlock) {
  using namespace llvm;
  const Value *Obstacle = nullptr;
  visitComputation(V, UseBlock, [&](const Value &Next) {
    auto *I = dyn_cast<Instruction>(&Next);
    const bool Fine = Leaves(Next).value_or(I && (isScalarOperation(*I) ||
                                                  isReadOfActiveLane(*I) ||
                                                  isReadOfScalar(*I)));
    if (!Fine)
      Obstacle = &Next;
    return Fine;
  });
  return Obstacle;
}

inline bool ScalarAnalysis::isScalarBranch(const llvm::BasicBlock &Block) {
  using namespace llvm;
  const Instruction &End = *Block.getTerminator();
  if (End.getNumSuccessors() < 2)
    return true;
  if (auto *Branch = dyn_cast<BranchInst>(&End))
    return isScalar(*Branch->getCondition(), Block);
  auto *Switch = dyn_cast<SwitchInst>(&End);
  return Switch && isScalar(*Switch->getCondition(), Block);
}

inline bool ScalarAnalysis::isDecidedByLanes(const llvm::BasicBlock &Block) {
  return llvm::any_of(F, [&](const llvm::BasicBlock &Head) {
    return Head.getTerminator()->getNumSuccessors() > 1 &&
           regionOf(Head).contains(&Block) && !isScalarBranch(Head);
  });
}

/// EXEC behind a definition of it, which ends its block, up to the next one.
/// (A way that lanes choose is only gone by lanes.)
inline void ScalarAnalysis::findActiveLanes() {
  using namespace llvm;
  auto definesLanes = [](const BasicBlock &Block) -> std::optional<bool> {
    auto *Marker = dyn_cast<CallBrInst>(Block.getTerminator());
    if (!Marker)
      return std::nullopt;
    auto *Mask = Marker->arg_size() == 1
                     ? dyn_cast<ConstantInt>(Marker->getArgOperand(0))
                     : nullptr;
    return Mask && !Mask->isZero();
  };
  // All but the first, until something is found against it.
  Blocks Lanes;
  for (const BasicBlock &Block : drop_begin(F))
    Lanes.insert(&Block);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const BasicBlock &Block : F) {
      if (!Lanes.contains(&Block))
        continue;
      const bool Stays = all_of(predecessors(&Block), [&](const auto *Before) {
        return definesLanes(*Before).value_or(Lanes.contains(Before));
      });
      if (!Stays) {
        Lanes.erase(&Block);
        Changed = true;
      }
    }
  }
  WithLanes = std::move(Lanes);
}

inline bool ScalarAnalysis::hasActiveLane(const llvm::BasicBlock &Block) {
  if (!WithLanes)
    findActiveLanes();
  return WithLanes->contains(&Block);
}

/// Where the hook that \p I is inlined into has it; null without line tables.
inline const llvm::DILocation *hookLocation(const llvm::Instruction &I) {
  const llvm::DILocation *Line = I.getDebugLoc().get();
  while (Line && Line->getInlinedAt())
    Line = Line->getInlinedAt();
  return Line;
}

/// "Tool.hip:12: ", or nothing without line tables.
inline std::string placeOf(const llvm::Instruction &I) {
  const llvm::DILocation *Line = hookLocation(I);
  return Line
             ? (Line->getFilename() + ":" + llvm::Twine(Line->getLine()) + ": ")
                   .str()
             : "";
}

/// What \p V is, for messages: "what load yields in line 12".
inline std::string describeValue(const llvm::Value &V) {
  using namespace llvm;
  auto *I = dyn_cast<Instruction>(&V);
  if (!I)
    return isa<Argument>(V)
               ? "parameter " + std::to_string(cast<Argument>(V).getArgNo() + 1)
               : "a value";
  std::string Result;
  auto *Call = dyn_cast<CallInst>(I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  if (isa<LoadInst>(I))
    Result = "a value loaded from memory";
  else if (Callee && Callee->hasFnAttribute("luthier_intrinsic"))
    Result = "the result of " + calledIntrinsic(*Call).str();
  else if (Callee)
    Result = "the result of " + Callee->getName().str();
  else if (Call)
    Result = "the value of a vector register";
  else
    Result = std::string("the result of '") + I->getOpcodeName() + "'";
  if (const DILocation *Line = hookLocation(*I))
    Result += " in line " + std::to_string(Line->getLine());
  return Result;
}

} // namespace luthier

#endif // LUTHIER_DETAIL_SCALARANALYSIS_H
