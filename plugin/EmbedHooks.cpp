// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EmbedHooks.h"
#include "AnalysisManagers.h"
#include "CounterUse.h"
#include "ExecOrder.h"
#include "HookChecks.h"
#include "IndirectCalls.h"
#include "Intrinsics.h"
#include "OtherWaves.h"
#include "PlainAdditions.h"
#include "Recursion.h"
#include "Variables.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace luthier {
namespace {

constexpr StringLiteral Marker = "__luthier_reserved";

/// The functions of \p Clone that were made from \p Originals.
SmallVector<Function *, 8> inClone(ArrayRef<Function *> Originals,
                                   const ValueToValueMapTy &Map) {
  return map_to_vector<8>(
      Originals, [&](Function *F) { return cast<Function>(Map.lookup(F)); });
}

/// Lets go of everything that only matters to the code object: kernels,
/// assembly outside of functions, and lists that keep symbols from being
/// dropped.
void dropUnrelated(Module &Clone) {
  for (StringRef Name :
       {"llvm.used", "llvm.compiler.used", "llvm.global.annotations",
        "llvm.global_ctors", "llvm.global_dtors"})
    if (GlobalVariable *List = Clone.getNamedGlobal(Name))
      List->eraseFromParent();
  for (Function &F : make_early_inc_range(Clone))
    if (F.getCallingConv() == CallingConv::AMDGPU_KERNEL) {
      F.replaceAllUsesWith(PoisonValue::get(F.getType()));
      F.eraseFromParent();
    }
  Clone.setModuleInlineAsm("");
  // Lines are what is left of hooks once they are machine code.
  stripNonLineTableDebugInfo(Clone);
}

/// A hook is inlined into the code around an instruction, and so is everything
/// that it calls, whatever clang was told about either.
void forceInlining(Function &F) {
  for (Attribute::AttrKind Kind :
       {Attribute::OptimizeNone, Attribute::NoInline, Attribute::MinSize,
        Attribute::OptimizeForSize})
    F.removeFnAttr(Kind);
  F.removeFnAttr("frame-pointer");
  F.removeFnAttr("stack-protector-buffer-size");
  F.addFnAttr(Attribute::AlwaysInline);
  F.setComdat(nullptr);
  F.setVisibility(GlobalValue::DefaultVisibility);
  F.setDSOLocal(false);
}

/// Only the operands of empty assembly say something.
void dropAssemblyComments(Function &F) {
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    auto *Asm = Call ? dyn_cast<InlineAsm>(Call->getCalledOperand()) : nullptr;
    if (Asm && isEmptyAssembly(Asm->getAsmString()))
      Call->setCalledOperand(InlineAsm::get(Asm->getFunctionType(), "",
                                            Asm->getConstraintString(),
                                            Asm->hasSideEffects()));
  }
}

/// Optimisation concludes things about functions that are called as functions;
/// none of it holds for what is inlined into other code.
void dropConclusions(Function &F) {
  AttributeMask Conclusions;
  for (Attribute A : F.getAttributes().getFnAttrs())
    if (A.isStringAttribute() &&
        (A.getKindAsString().starts_with("amdgpu-") ||
         A.getKindAsString() == "uniform-work-group-size"))
      Conclusions.addAttribute(A);
  F.removeFnAttrs(Conclusions);
  F.setDSOLocal(false);
}

/// Clang contains every target, and has one module's at hand.
std::unique_ptr<TargetMachine> targetMachineFor(const Function &F) {
  const Triple &TT = F.getParent()->getTargetTriple();
  std::string Error;
  const Target *T = TargetRegistry::lookupTarget(TT, Error);
  if (!T)
    report_fatal_error("luthier-plugin: " + Twine(Error));
  return std::unique_ptr<TargetMachine>(T->createTargetMachine(
      TT, F.getFnAttribute("target-cpu").getValueAsString(),
      F.getFnAttribute("target-features").getValueAsString(), TargetOptions(),
      Reloc::PIC_));
}

void optimise(Module &M, TargetMachine *TM) {
  AnalysisManagers Analyses(TM);
  Analyses.PB.buildPerModuleDefaultPipeline(OptimizationLevel::O3)
      .run(M, Analyses.MAM);
}

void removeUnused(Module &M) {
  AnalysisManagers Analyses;
  GlobalDCEPass().run(M, Analyses.MAM);
}

/// Keeps \p Functions as they are while the rest is optimised.
void optimiseKeeping(Module &M, ArrayRef<Function *> Functions,
                     TargetMachine *TM) {
  appendToUsed(M, to_vector_of<GlobalValue *>(Functions));
  optimise(M, TM);
  M.getNamedGlobal("llvm.used")->eraseFromParent();
}

bool hasCalls(const Module &M) {
  return any_of(M, [](const Function &F) {
    return any_of(instructions(F), [](const Instruction &I) {
      auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      return Callee && !Callee->isDeclaration();
    });
  });
}

/// Leaves no call in \p Hooks. What a pointer can call is known best when code
/// is optimised; and what that makes direct may be recursive.
bool removeCalls(Module &Clone, ArrayRef<Function *> Hooks,
                 ArrayRef<AddressTaken> Addresses, TargetMachine *TM) {
  OrderedLaneOperations Ordered(Clone);
  if (!lowerRecursion(Clone))
    return false;
  // Clang tells this target to internalise what no kernel uses.
  SmallVector<Function *, 16> Kept(Hooks);
  for (const AddressTaken &A : Addresses)
    Kept.push_back(A.F);
  optimiseKeeping(Clone, Kept, TM);
  const bool HadIndirect = lowerIndirectCalls(Clone, Addresses);
  removeUnused(Clone);
  // Some became direct behind the inliner.
  if (HadIndirect || hasCalls(Clone)) {
    if (!lowerRecursion(Clone))
      return false;
    optimiseKeeping(Clone, Hooks, TM);
    removeUnused(Clone);
    foldEmptyCasts(Clone);
  }
  return true;
}

/// A non-allocated section of its own. llvm::embedBufferInModule() would mark
/// it for exclusion by the linker.
void embed(Module &M, const Module &Hooks, const Module *OfOtherWaves) {
  SmallVector<char, 0> Bitcode;
  BitcodeWriter Writer(Bitcode);
  Writer.writeModule(Hooks);
  if (OfOtherWaves)
    Writer.writeModule(*OfOtherWaves);
  Writer.writeStrtab();
  Constant *Data = ConstantDataArray::getString(
      M.getContext(), StringRef(Bitcode.data(), Bitcode.size()), false);
  auto *Section = new GlobalVariable(
      M, Data->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage,
      Data, "luthier.hooks", nullptr, GlobalValue::NotThreadLocal,
      M.getDataLayout().getDefaultGlobalsAddressSpace());
  Section->setSection(HooksSection);
  Section->setAlignment(Align(4));
  appendToCompilerUsed(M, {Section});
}

/// The code object's own copy of a hook is never run.
void makeEmpty(Function &Hook) {
  GlobalValue::LinkageTypes Linkage = Hook.getLinkage();
  Hook.deleteBody();
  Hook.setLinkage(Linkage);
  IRBuilder<> B(BasicBlock::Create(Hook.getContext(), "", &Hook));
  if (Hook.getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateUnreachable();
}

/// Clang makes the names of constructors aliases of one function. Code that is
/// extracted means what they stand for.
void resolveAliases(Module &M) {
  for (GlobalAlias &A : M.aliases())
    A.replaceAllUsesWith(A.getAliasee());
}

/// Makes the module that is embedded, in the order that the contract needs:
/// intrinsics before anything is optimised, variables as declarations last.
/// Null if an error was reported.
std::unique_ptr<Module> extractHooks(Module &M, AnnotatedFunctions &Annotated,
                                     const Reachability &Reached) {
  std::vector<AddressTaken> Addresses = findAddressTaken(Reached);
  ValueToValueMapTy Map;
  std::unique_ptr<Module> Clone = CloneModule(M, Map);
  for (GlobalAlias &A : make_early_inc_range(Clone->aliases()))
    A.eraseFromParent();
  SmallVector<Function *, 8> Hooks =
      inClone(Annotated.Hooks.getArrayRef(), Map);
  for (Function *F : inClone(Reached.functions().getArrayRef(), Map)) {
    forceInlining(*F);
    dropAssemblyComments(*F);
    F->setLinkage(GlobalValue::InternalLinkage);
  }
  for (Function &F : *Clone)
    if (isDeletingDestructor(F) && !F.isDeclaration()) {
      makeEmpty(F);
      forceInlining(F);
      F.setLinkage(GlobalValue::InternalLinkage);
    }
  for (Function *Hook : Hooks) {
    Hook->addFnAttr("luthier_hook");
    Hook->setLinkage(GlobalValue::ExternalLinkage);
  }
  dropUnrelated(*Clone);
  if (!rewriteIntrinsics(inClone(Annotated.Intrinsics.getArrayRef(), Map)))
    return nullptr;
  markManagedCells(*Clone, M);
  detachVariables(*Clone);

  // Only now: in the clone, what a table holds can still be seen.
  replaceAddresses(M, Addresses, Reached.variables());
  for (AddressTaken &A : Addresses)
    A.F = cast<Function>(Map.lookup(A.F));
  std::unique_ptr<TargetMachine> TM = targetMachineFor(*Hooks.front());
  if (!removeCalls(*Clone, Hooks, Addresses, TM.get()))
    return nullptr;
  markManagedCells(*Clone, M);

  // All calls are gone; tables may still name these.
  for (Function &F : make_early_inc_range(*Clone))
    if (isDeletingDestructor(F)) {
      F.replaceAllUsesWith(Constant::getNullValue(F.getType()));
      F.eraseFromParent();
    }
  for_each(*Clone, dropConclusions);
  for (Function *Hook : Hooks)
    decideAboutExecWrites(*Hook);
  bool Fine = true;
  for (auto [Hook, Original] : zip_equal(Hooks, Annotated.Hooks))
    Fine &= checkOptimised(*Hook, *Original, *TM);
  if (!Fine)
    return nullptr;
  warnOfUnreadCounters(Hooks);
  warnOfPlainAdditions(Hooks);
  exportConstants(*Clone, M);
  for (const GlobalVariable &G : M.globals())
    if (G.getName().starts_with(CUIDPrefix))
      new GlobalVariable(*Clone, G.getValueType(), false,
                         GlobalValue::ExternalLinkage, nullptr, G.getName(),
                         nullptr, GlobalValue::NotThreadLocal,
                         G.getAddressSpace());
  std::string Broken;
  raw_string_ostream OS(Broken);
  if (verifyModule(*Clone, &OS)) {
    M.getContext().emitError("Luthier made invalid code of the hooks: " +
                             Broken);
    return nullptr;
  }
  return Clone;
}

} // namespace

PreservedAnalyses EmbedHooksPass::run(Module &M, ModuleAnalysisManager &) {
  if (!M.getTargetTriple().isAMDGCN())
    return PreservedAnalyses::all();
  const bool IsMarked = M.getNamedGlobal(Marker);
  AnnotatedFunctions Annotated = findAnnotatedFunctions(M);
  if (!checkExports(M, Annotated, IsMarked) || !IsMarked ||
      Annotated.Hooks.empty())
    return PreservedAnalyses::all();
  resolveAliases(M);
  Reachability Reached(Annotated);
  bool Fine = checkSources(Annotated, Reached);
  Fine &= checkIntrinsics(Annotated.Intrinsics.getArrayRef());
  std::unique_ptr<Module> Hooks;
  if (Fine) {
    exportVariables(M, Reached.variables());
    Hooks = extractHooks(M, Annotated, Reached);
  }
  // Also after an error: clang goes on, and must not trip over them.
  for (Function *Hook : Annotated.Hooks)
    makeEmpty(*Hook);
  if (!Hooks)
    return PreservedAnalyses::none();
  auto OfOtherWaves = hooksOfOtherWaves(
      M,
      Annotated.Hooks.front()->getFnAttribute("target-cpu").getValueAsString());
  if (OfOtherWaves)
    embed(M, *Hooks, OfOtherWaves->get());
  else
    M.getContext().emitError("luthier-plugin: " +
                             toString(OfOtherWaves.takeError()));
  return PreservedAnalyses::none();
}

} // namespace luthier
