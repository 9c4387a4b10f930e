// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/ScalarLowering.h"
#include "hook/ir/Intrinsics.h"
#include "hook/ir/Placeholders.h"
#include "hook/ir/ScalarMaterializer.h"
#include "hook/ir/ScalarPlaceholders.h"
#include "hook/ir/WaveEffects.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"
#include "llvm/Support/AMDGPUAddrSpace.h"
#include "llvm/Transforms/Utils/IntegerDivision.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace luthier {

static constexpr StringLiteral Placeholder = "luthier.scalar";

static bool isPlaceholder(const Value &V) {
  auto *Call = dyn_cast<CallInst>(&V);
  return Call && intrinsicName(*Call) == Placeholder;
}

ScalarAnalysis::LeafRule payloadLeaves() {
  return [](const Value &V) -> std::optional<bool> {
    // Where a managed variable is (see VariablePass), and arguments, by s_load.
    if (auto *Load = dyn_cast<LoadInst>(&V);
        Load && Load->getPointerAddressSpace() == AMDGPUAS::CONSTANT_ADDRESS &&
        Load->hasMetadata(LLVMContext::MD_invariant_load) &&
        isLoadOfDwords(*Load))
      return true;
    auto *Call = dyn_cast<CallInst>(&V);
    if (!Call)
      return std::nullopt;
    if (isPlaceholder(V))
      return true;
    if (auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand())) {
      // Placeholders, and registers of the application by name.
      StringRef Result = Asm->getConstraintString();
      if (!Result.consume_front("="))
        return std::nullopt;
      return !isVectorConstraint(Result);
    }
    switch (Call->getIntrinsicID()) {
    case Intrinsic::amdgcn_ballot:
    case Intrinsic::amdgcn_icmp:
    case Intrinsic::amdgcn_fcmp:
    case Intrinsic::amdgcn_s_getreg:
    case Intrinsic::amdgcn_s_getpc:
    case Intrinsic::amdgcn_s_memtime:
    case Intrinsic::amdgcn_s_memrealtime:
    case Intrinsic::amdgcn_s_sendmsg_rtn:
    case Intrinsic::readcyclecounter:
    case Intrinsic::readsteadycounter:
      return true;
    default:
      return std::nullopt;
    }
  };
}

Value *requireScalar(IRBuilderBase &B, Value *V, StringRef Use) {
  if (isa<Constant>(V))
    return V;
  Module &M = *B.GetInsertBlock()->getModule();
  std::string Name;
  raw_string_ostream(Name) << Placeholder << '.' << *V->getType();
  auto *FT = FunctionType::get(V->getType(), V->getType(), false);
  FunctionCallee Callee = M.getOrInsertFunction(Name, FT);
  cast<Function>(Callee.getCallee())
      ->addFnAttr(IntrinsicAttribute, Placeholder);
  CallInst *Call = B.CreateCall(Callee, V);
  Call->addFnAttr(Attribute::get(M.getContext(), "luthier-use", Use));
  return Call;
}

namespace {

class ScalarLowering {
public:
  ScalarLowering(Function &F, bool ActsOnWave) : F(F), ActsOnWave(ActsOnWave) {}
  Error run();

private:
  SmallVector<CallInst *, 8> placeholders() const;
  SmallVector<Use *, 16> roots(ScalarAnalysis &Scalars) const;
  Error check(ScalarAnalysis &Scalars) const;
  bool expandDivisions(ScalarAnalysis &Scalars) const;
  void pinLeaves(ScalarAnalysis &Scalars) const;
  void rewrite(ScalarAnalysis &Scalars) const;

  Function &F;
  const bool ActsOnWave;
};

SmallVector<CallInst *, 8> ScalarLowering::placeholders() const {
  SmallVector<CallInst *, 8> Result;
  for (Instruction &I : instructions(F))
    if (isPlaceholder(I))
      Result.push_back(cast<CallInst>(&I));
  return Result;
}

/// The conditional branch or switch that ends \p Block, as its operand.
Use *conditionOf(BasicBlock &Block) {
  Instruction &End = *Block.getTerminator();
  if (auto *Branch = dyn_cast<BranchInst>(&End))
    return Branch->isConditional() ? &Branch->getOperandUse(0) : nullptr;
  return isa<SwitchInst>(End) ? &End.getOperandUse(0) : nullptr;
}

const BasicBlock &blockOf(const Use &U) {
  return *cast<Instruction>(U.getUser())->getParent();
}

SmallVector<Use *, 16> ScalarLowering::roots(ScalarAnalysis &Scalars) const {
  SmallVector<Use *, 16> Result;
  for (CallInst *Call : placeholders())
    Result.push_back(&Call->getArgOperandUse(0));
  if (ActsOnWave)
    for (BasicBlock &Block : F)
      if (Use *Condition = conditionOf(Block);
          Condition && Scalars.isScalarBranch(Block))
        Result.push_back(Condition);
  return Result;
}

Error ScalarLowering::check(ScalarAnalysis &Scalars) const {
  for (CallInst *Call : placeholders()) {
    const Value *Obstacle =
        Scalars.obstacleTo(*Call->getArgOperand(0), *Call->getParent());
    if (!Obstacle)
      continue;
    return refuse(RefusalReason::UnsupportedHook,
                  placeOf(*Call) +
                      Call->getFnAttr("luthier-use").getValueAsString() +
                      " is not made of scalars but of " +
                      describeValue(*Obstacle) + "; see luthier::firstLane");
  }
  return Error::success();
}

/// LLVM divides in floating point. Returns whether there was a division.
bool ScalarLowering::expandDivisions(ScalarAnalysis &Scalars) const {
  SmallSetVector<BinaryOperator *, 4> Divisions;
  for (const Use *Root : roots(Scalars))
    Scalars.visitComputation(*Root->get(), blockOf(*Root), [&](const Value &V) {
      if (auto *I = dyn_cast<BinaryOperator>(&V); I && I->isIntDivRem())
        Divisions.insert(const_cast<BinaryOperator *>(I));
      return true;
    });
  for (BinaryOperator *I : Divisions) {
    const bool IsRest = I->getOpcode() == Instruction::URem ||
                        I->getOpcode() == Instruction::SRem;
    const bool IsNarrow = I->getType()->getIntegerBitWidth() <= 32;
    if (IsRest)
      IsNarrow ? expandRemainderUpTo32Bits(I) : expandRemainderUpTo64Bits(I);
    else
      IsNarrow ? expandDivisionUpTo32Bits(I) : expandDivisionUpTo64Bits(I);
  }
  return !Divisions.empty();
}

/// What is exact because of where it is computed has to stay there, and says
/// so: no later check takes it for a value of a vector register.
void ScalarLowering::pinLeaves(ScalarAnalysis &Scalars) const {
  SmallSetVector<CallInst *, 8> Leaves;
  for (const Use *Root : roots(Scalars))
    Scalars.visitComputation(*Root->get(), blockOf(*Root), [&](const Value &V) {
      auto *Call = dyn_cast<CallInst>(&V);
      if (!Call || Call->isInlineAsm())
        return true;
      const Intrinsic::ID ID = Call->getIntrinsicID();
      const bool IsMask = ID == Intrinsic::amdgcn_icmp ||
                          ID == Intrinsic::amdgcn_fcmp ||
                          (ID == Intrinsic::amdgcn_ballot &&
                           !isa<Constant>(Call->getArgOperand(0)));
      if (IsMask || Scalars.isReadOfActiveLane(*Call))
        Leaves.insert(const_cast<CallInst *>(Call));
      return true;
    });
  for (CallInst *Call : Leaves) {
    if (Call->hasOneUse())
      if (auto *User = dyn_cast<CallInst>(*Call->user_begin());
          User && User->isInlineAsm())
        continue;
    IRBuilder<> B(Call->getNextNode());
    Value *Pinned = pinHere(B, Call);
    Call->replaceUsesWithIf(Pinned,
                            [&](Use &U) { return U.getUser() != Pinned; });
  }
}

/// What nothing uses any more, also in circles through the variables of loops.
void eraseDead(Function &F) {
  SmallPtrSet<Instruction *, 32> Live;
  SmallVector<Instruction *, 32> Work;
  for (Instruction &I : instructions(F))
    if (I.isTerminator() || I.mayHaveSideEffects())
      Work.push_back(&I);
  while (!Work.empty()) {
    Instruction *I = Work.pop_back_val();
    if (!Live.insert(I).second)
      continue;
    for (Use &Operand : I->operands())
      if (auto *Def = dyn_cast<Instruction>(Operand))
        Work.push_back(Def);
  }
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (!Live.contains(&I)) {
      I.replaceAllUsesWith(PoisonValue::get(I.getType()));
      I.eraseFromParent();
    }
}

/// A test of a number that LLVM knows nothing about: right before its branch,
/// the result stays in SCC. (Of any other number, LLVM may know that it is 1 or
/// 0, and make a mask of it again.)
bool isTestOfOpaque(const Value &Condition) {
  auto *Test = dyn_cast<ICmpInst>(&Condition);
  auto *Zero = Test ? dyn_cast<ConstantInt>(Test->getOperand(1)) : nullptr;
  auto *Opaque = Zero ? dyn_cast<CallInst>(Test->getOperand(0)) : nullptr;
  return Opaque && Opaque->isInlineAsm() && Zero->isZero() &&
         Test->getPredicate() == CmpInst::ICMP_NE &&
         Zero->getType()->isIntegerTy(32);
}

/// \p Condition of the branch or switch that ends a block, of numbers.
void rewriteCondition(Use &Condition, ScalarMaterializer &Materializer) {
  IRBuilder<> B(cast<Instruction>(Condition.getUser()));
  if (!Condition->getType()->isIntegerTy(1)) {
    Condition.set(Materializer.materialize(Condition));
    return;
  }
  Value *Number = isTestOfOpaque(*Condition)
                      ? cast<ICmpInst>(*Condition).getOperand(0)
                      : Materializer.condition(Condition);
  auto *Opaque = dyn_cast<CallInst>(Number);
  if (!Opaque || !Opaque->isInlineAsm())
    Number = compareScalars(B, CmpInst::ICMP_NE, Number, B.getInt32(0));
  Condition.set(B.CreateICmpNE(Number, B.getInt32(0)));
}

void ScalarLowering::rewrite(ScalarAnalysis &Scalars) const {
  ScalarMaterializer Materializer(Scalars);
  SmallVector<Use *, 8> Conditions;
  if (ActsOnWave)
    for (BasicBlock &Block : F)
      if (Use *Condition = conditionOf(Block); Condition &&
                                               !isa<Constant>(*Condition) &&
                                               Scalars.isScalarBranch(Block))
        Conditions.push_back(Condition);
  // Placeholders that others are computed from come first, and are leaves to
  // them.
  SmallVector<std::pair<CallInst *, WeakTrackingVH>, 8> New;
  for (CallInst *Call : placeholders())
    New.emplace_back(Call, Materializer.materialize(Call->getArgOperand(0)));
  for (Use *Condition : Conditions)
    rewriteCondition(*Condition, Materializer);
  for (auto &[Call, Scalar] : New) {
    Call->replaceAllUsesWith(Scalar);
    Call->eraseFromParent();
  }
  eraseDead(F);
}

Error ScalarLowering::run() {
  if (!ActsOnWave && placeholders().empty())
    return Error::success();
  for (bool Changed = true; Changed;) {
    ScalarAnalysis Scalars(F, payloadLeaves());
    if (Error E = check(Scalars))
      return E;
    Changed = expandDivisions(Scalars);
  }
  ScalarAnalysis Scalars(F, payloadLeaves());
  pinLeaves(Scalars);
  rewrite(Scalars);
  return Error::success();
}

unsigned countLaneEffects(Function &F, ScalarAnalysis &Scalars) {
  unsigned Count = 0;
  for (BasicBlock &Block : F) {
    const unsigned Here =
        count_if(Block, [](const Instruction &I) { return isWaveEffect(I); });
    if (Here && Scalars.isDecidedByLanes(Block))
      Count += Here;
  }
  return Count;
}

class ScalarBranches : public FunctionPass {
public:
  static char ID;
  ScalarBranches() : FunctionPass(ID) {}
  StringRef getPassName() const override {
    return "Luthier scalar branch lowering";
  }
  bool runOnFunction(Function &F) override;
};
char ScalarBranches::ID = 0;

bool ScalarBranches::runOnFunction(Function &F) {
  if (!F.hasFnAttribute(LaneEffectsAttribute))
    return false;
  ScalarAnalysis Scalars(F, payloadLeaves());
  if (countLaneEffects(F, Scalars) >
      F.getFnAttributeAsParsedInteger(LaneEffectsAttribute))
    F.getContext().emitError(F.getName() +
                             ": conditions of the wave and of lanes decide "
                             "together about an operation of the wave");
  SmallVector<Use *, 8> Conditions;
  for (BasicBlock &Block : F)
    if (Use *Condition = conditionOf(Block); Condition &&
                                             !isa<Constant>(*Condition) &&
                                             Scalars.isScalarBranch(Block))
      Conditions.push_back(Condition);
  ScalarMaterializer Materializer(Scalars);
  for (Use *Condition : Conditions)
    rewriteCondition(*Condition, Materializer);
  eraseDead(F);
  return !Conditions.empty();
}

} // namespace

Error ScalarPass::run(Function &F, PassContext &C) {
  const bool ActsOnWave = actsOnWave(F);
  C.Payloads[F.getName()].ActsOnWave = ActsOnWave;
  if (Error E = ScalarLowering(F, ActsOnWave).run())
    return E;
  if (ActsOnWave) {
    ScalarAnalysis Scalars(F, payloadLeaves());
    F.addFnAttr(LaneEffectsAttribute,
                std::to_string(countLaneEffects(F, Scalars)));
  }
  return Error::success();
}

Pass *createScalarBranchPass(PassContext &) { return new ScalarBranches; }

} // namespace luthier
