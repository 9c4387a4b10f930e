// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Recursion.h"
#include "AnalysisManagers.h"
#include "HookChecks.h"
#include "RecursionToLoop.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace luthier {
namespace {

constexpr StringLiteral MaxDepthAttribute = "luthier-max-depth";
/// Where the source states none, as docs/writing-a-tool.md says.
constexpr unsigned DefaultMaxDepth = 64;

using FunctionSet = SmallSetVector<Function *, 8>;

CallInst *findCall(Function &F, function_ref<bool(Function *)> IsWanted) {
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I))
      if (Function *Callee = Call->getCalledFunction();
          Callee && IsWanted(Callee))
        return Call;
  return nullptr;
}

/// Functions of \p Nodes that \p From calls, through each other too.
FunctionSet reachableFrom(Function &From, const FunctionSet &Nodes) {
  FunctionSet Found;
  auto addCallees = [&](Function &F) {
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallInst>(&I))
        if (Function *Callee = Call->getCalledFunction();
            Callee && Nodes.contains(Callee))
          Found.insert(Callee);
  };
  addCallees(From);
  for (size_t I = 0; I < Found.size(); ++I) // Grows meanwhile.
    addCallees(*Found[I]);
  return Found;
}

/// What is live across calls should be values, not variables.
void simplify(Function &F) {
  AnalysisManagers Analyses;
  FunctionPassManager FPM;
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  FPM.addPass(EarlyCSEPass());
  FPM.addPass(InstCombinePass());
  FPM.addPass(SimplifyCFGPass());
  FPM.run(F, Analyses.FAM);
}

class RecursionLowering {
public:
  /// Those calls among \p Nodes that lead back to their callers.
  bool run(FunctionSet Nodes);

private:
  bool lowerCycle(FunctionSet Cycle);
  bool refuse(const Function &F, StringRef Obstacle);
  void warn(const Function &F, const FunctionSet &Cycle, unsigned MaxDepth);
};

void RecursionLowering::warn(const Function &F, const FunctionSet &Cycle,
                             unsigned MaxDepth) {
  std::string Through;
  for (const Function *Other : Cycle)
    if (Other != &F)
      Through += (Through.empty() ? " through '" : ", '") +
                 demangle(Other->getName()) + "'";
  reportWarning(F, "'" + demangle(F.getName()) + "' calls itself" + Through +
                       " in a hook; of nested calls, those beyond " +
                       Twine(MaxDepth) +
                       " are left out unless LUTHIER_MAX_DEPTH says otherwise");
}

bool RecursionLowering::refuse(const Function &F, StringRef Obstacle) {
  reportError(F, "hooks cannot use this recursion: '" + demangle(F.getName()) +
                     "', which calls itself, " + Obstacle);
  return false;
}

/// All of \p Cycle call each other: leaves one, which no longer calls itself.
bool RecursionLowering::lowerCycle(FunctionSet Cycle) {
  auto *Stated = find_if(Cycle, [](const Function *F) {
    return F->hasFnAttribute(MaxDepthAttribute);
  });
  Function &F = Stated != Cycle.end() ? **Stated : *Cycle.front();
  const unsigned MaxDepth =
      F.getFnAttributeAsParsedInteger(MaxDepthAttribute, DefaultMaxDepth);
  if (Stated == Cycle.end())
    warn(F, Cycle, MaxDepth);
  FunctionSet Others = Cycle;
  Others.remove(&F);
  if (!run(Others))
    return false;
  // What the others call leads back here, and nowhere else twice.
  for (Function *Other : Others)
    simplify(*Other);
  while (CallInst *Call =
             findCall(F, [&](Function *G) { return Others.contains(G); })) {
    InlineFunctionInfo Info;
    const InlineResult Inlined = InlineFunction(*Call, Info);
    if (!Inlined.isSuccess())
      return refuse(F, Inlined.getFailureReason());
  }
  simplify(F);
  if (!findCall(F, [&](Function *G) { return G == &F; }))
    return true;
  const char *Obstacle = makeLoopOfRecursion(F, MaxDepth);
  return !Obstacle || refuse(F, Obstacle);
}

bool RecursionLowering::run(FunctionSet Nodes) {
  bool Fine = true;
  while (!Nodes.empty()) {
    Function *F = Nodes.front();
    FunctionSet Cycle;
    for (Function *Callee : reachableFrom(*F, Nodes))
      if (Callee == F || reachableFrom(*Callee, Nodes).contains(F))
        Cycle.insert(Callee);
    Nodes.remove(F);
    if (Cycle.empty())
      continue;
    // In the order of the source, for the sake of messages.
    if (Cycle.remove(F)) {
      FunctionSet Ordered;
      Ordered.insert(F);
      Ordered.insert_range(Cycle);
      Cycle = std::move(Ordered);
    }
    for (Function *Member : Cycle)
      Nodes.remove(Member);
    Fine &= lowerCycle(Cycle);
  }
  return Fine;
}

} // namespace

bool setMaxDepth(Function &F, StringRef Depth) {
  unsigned Number;
  if (Depth.getAsInteger(0, Number) || Number == 0)
    return false;
  F.addFnAttr(MaxDepthAttribute, std::to_string(Number));
  return true;
}

bool lowerRecursion(Module &M) {
  FunctionSet Nodes;
  for (Function &F : M)
    if (!F.isDeclaration())
      Nodes.insert(&F);
  return RecursionLowering().run(Nodes);
}

} // namespace luthier
