// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/AllocaLowering.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {
namespace {

/// What the ABI's stack pointer is a multiple of.
const Align StackAlignment(16);

/// Of a variable whose size is computed. Every lane of every wave pays for it.
constexpr uint64_t MaxBoundedBytes = 8192;

class AllocaLowering {
public:
  explicit AllocaLowering(Function &F) : F(F), DT(F), Loops(DT) {}
  Error run();

private:
  Expected<uint64_t> boundOf(AllocaInst &Local) const;
  bool isFreedBeforeNext(const AllocaInst &Local) const;
  void place(AllocaInst &Local, uint64_t Bytes);

  Function &F;
  DominatorTree DT;
  LoopInfo Loops;
  SmallVector<IntrinsicInst *, 4> Saves, Restores;
};

/// Outside of loops there is one of it; in a loop it must be gone before the
/// loop comes around.
bool AllocaLowering::isFreedBeforeNext(const AllocaInst &Local) const {
  const Loop *L = Loops.getLoopFor(Local.getParent());
  return !L || any_of(Saves, [&](const IntrinsicInst *Save) {
    return Loops.getLoopFor(Save->getParent()) == L &&
           DT.dominates(Save, &Local);
  });
}

/// The most bytes that it can have.
Expected<uint64_t> AllocaLowering::boundOf(AllocaInst &Local) const {
  const DataLayout &DL = F.getDataLayout();
  if (Local.isStaticAlloca())
    return *Local.getAllocationSize(DL);
  if (!isFreedBeforeNext(Local))
    return refuse(RefusalReason::InstrumentationStack,
                  "a hook allocates memory of its stack in a loop");
  const Value *Count = Local.getArraySize();
  const APInt Most = APIntOps::umin(
      computeConstantRange(Count, /*ForSigned=*/false, true, nullptr, &Local,
                           &DT)
          .getUnsignedMax(),
      computeKnownBits(Count, DL, nullptr, &Local, &DT).getMaxValue());
  const uint64_t Element = DL.getTypeAllocSize(Local.getAllocatedType());
  if (Element && Most.ugt(MaxBoundedBytes / Element))
    return refuse(RefusalReason::InstrumentationStack,
                  "a hook's local variable has a size known only when it "
                  "runs, and nothing keeps it below " +
                      Twine(MaxBoundedBytes) + " bytes");
  return Element * Most.getZExtValue();
}

void AllocaLowering::place(AllocaInst &Local, uint64_t Bytes) {
  const Align Wanted = Local.getAlign();
  const uint64_t Slack =
      Wanted > StackAlignment ? Wanted.value() - StackAlignment.value() : 0;
  IRBuilder<> B(&*F.getEntryBlock().begin());
  AllocaInst *Room = B.CreateAlloca(
      ArrayType::get(B.getInt8Ty(), std::max<uint64_t>(Bytes, 1) + Slack),
      Local.getAddressSpace());
  Room->setAlignment(std::min(Wanted, StackAlignment));
  Value *Start = Room;
  if (Slack) {
    auto *Offset = B.getIntNTy(
        F.getDataLayout().getPointerSizeInBits(Local.getAddressSpace()));
    Start = B.CreateIntrinsic(
        Intrinsic::ptrmask, {Room->getType(), Offset},
        {B.CreateInBoundsPtrAdd(Room, ConstantInt::get(Offset, Slack)),
         ConstantInt::getSigned(Offset, -int64_t(Wanted.value()))});
  }
  for (User *U : make_early_inc_range(Local.users()))
    if (auto *Mark = dyn_cast<LifetimeIntrinsic>(U))
      Mark->eraseFromParent(); // Means whole variables only.
  Local.replaceAllUsesWith(Start);
  Local.eraseFromParent();
}

Error AllocaLowering::run() {
  SmallVector<AllocaInst *, 4> Unplaced;
  for (Instruction &I : instructions(F)) {
    if (auto *Local = dyn_cast<AllocaInst>(&I)) {
      if (!Local->isStaticAlloca() || Local->getAlign() > StackAlignment)
        Unplaced.push_back(Local);
    } else if (auto *Call = dyn_cast<IntrinsicInst>(&I)) {
      if (Call->getIntrinsicID() == Intrinsic::stacksave)
        Saves.push_back(Call);
      else if (Call->getIntrinsicID() == Intrinsic::stackrestore)
        Restores.push_back(Call);
    }
  }
  for (AllocaInst *Local : Unplaced) {
    Expected<uint64_t> Bytes = boundOf(*Local);
    if (!Bytes)
      return Bytes.takeError();
    place(*Local, *Bytes);
  }
  // The stack no longer moves.
  for (IntrinsicInst *Restore : Restores)
    Restore->eraseFromParent();
  for (IntrinsicInst *Save : Saves) {
    Save->replaceAllUsesWith(PoisonValue::get(Save->getType()));
    Save->eraseFromParent();
  }
  return Error::success();
}

} // namespace

Error AllocaPass::run(Function &F, PassContext &) {
  return AllocaLowering(F).run();
}

} // namespace luthier
