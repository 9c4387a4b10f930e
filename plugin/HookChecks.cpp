// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HookChecks.h"
#include "ExecOrder.h"
#include "WaveOperands.h"
#include "luthier/detail/HookParameter.h"
#include "luthier/detail/ScalarAnalysis.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/AMDGPUAddrSpace.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier {
namespace {

std::string quoted(const Function &F) {
  return "'" + demangle(F.getName()) + "'";
}

/// Clang finds the source line of \p F by its name.
bool fail(const Function &F, const Twine &Message) {
  reportError(F, Message);
  return false;
}

std::string toText(const Type &T) {
  std::string Text;
  raw_string_ostream OS(Text);
  T.print(OS, /*IsForDebug=*/false, /*NoDetails=*/true);
  return Text;
}

bool checkSignature(const Function &Hook) {
  bool Fine = true;
  if (!Hook.getReturnType()->isVoidTy())
    Fine = fail(Hook, "hook " + quoted(Hook) + " must not return a value");
  if (Hook.isVarArg())
    Fine = fail(Hook, "hook " + quoted(Hook) +
                          " must not take a variable number of arguments");
  for (const Argument &A : Hook.args())
    if (isPassedByAddress(A))
      Fine = fail(Hook, "parameter " + Twine(A.getArgNo() + 1) + " of hook " +
                            quoted(Hook) +
                            " is of a class with a copy constructor or a "
                            "destructor of its own");
    else if (!isPassable(A))
      Fine = fail(Hook, "parameter " + Twine(A.getArgNo() + 1) + " of hook " +
                            quoted(Hook) + " has a type (" +
                            toText(*valueTypeOf(A)) +
                            ") that is not a value of at most " +
                            Twine(MaxParameterBytes) + " bytes");
  return Fine;
}

/// Functions of AMD's device libraries, which have no place in the source.
bool isLibrary(const Function &F) {
  return !F.hasName() || F.getName().starts_with("__ock") ||
         F.getName().starts_with("__ocm");
}

/// Does it say which register an operand is in, or is lost, or that it is in
/// memory?
bool namesRegisters(const InlineAsm &Asm) {
  return any_of(Asm.ParseConstraints(), [](const InlineAsm::ConstraintInfo &C) {
    if (C.isIndirect || is_contained(C.Codes, "m"))
      return true;
    const bool IsClobber = C.Type == InlineAsm::isClobber;
    return any_of(C.Codes, [&](StringRef Code) {
      return Code.starts_with("{") &&
             !(IsClobber && (Code == "{memory}" || Code == "{cc}"));
    });
  });
}

/// Registers that inline assembly names, in its text above all, are known to
/// nobody but the assembler.
bool checkAssembly(const Function &F, const Reachability &Reached) {
  bool Fine = true;
  for (const Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    auto *Asm = Call ? dyn_cast<InlineAsm>(Call->getCalledOperand()) : nullptr;
    if (!Asm || (isEmptyAssembly(Asm->getAsmString()) && isa<CallInst>(Call) &&
                 !namesRegisters(*Asm)))
      continue;
    std::string Message = "hooks cannot use inline assembly, which " +
                          quoted(F) + Reached.pathTo(F) +
                          " does; see luthier/Intrinsics.h";
    if (isLibrary(F))
      reportError(Reached.hookThatReaches(F), Message);
    else
      F.getContext().diagnose(DiagnosticInfoInlineAsm(I, Message));
    Fine = false;
  }
  return Fine;
}

/// The application's kernels need not have what calls of the host go through.
bool checkHostCalls(const Function &F, const Reachability &Reached) {
  const Function &Hook = Reached.hookThatReaches(F);
  if (F.getName().starts_with("__ockl_dm_"))
    return fail(Hook, "hooks have no heap, as malloc and new need it" +
                          Reached.pathTo(F) +
                          ": use local, __shared__, __device__ or managed "
                          "variables");
  if (F.getName() != "__ockl_hostcall_internal" ||
      Reached.isReachedThrough(F, "__ockl_dm_"))
    return true;
  return fail(Hook, "hooks cannot call the host, as printf and assert do" +
                        Reached.pathTo(F) +
                        "; luthier/Print.h has printf and assert for hooks");
}

/// LLVM has no code for computed gotos on AMD GPUs, in kernels neither.
bool checkJumps(const Function &F, const Reachability &Reached) {
  if (none_of(F, [](const BasicBlock &B) {
        return isa_and_present<IndirectBrInst>(B.getTerminator());
      }))
    return true;
  return fail(F, "hooks cannot use computed goto, which " + quoted(F) +
                     Reached.pathTo(F) + " does");
}

/// What hooks reach that names \p G, directly or in a constant.
const Function &userOf(const GlobalVariable &G, const Reachability &Reached) {
  SmallSetVector<const User *, 8> Users(G.user_begin(), G.user_end());
  // Grows while it is walked.
  for (size_t N = 0; N < Users.size(); ++N)
    if (auto *I = dyn_cast<Instruction>(Users[N])) {
      if (is_contained(Reached.functions(), I->getFunction()))
        return *I->getFunction();
    } else {
      Users.insert_range(Users[N]->users());
    }
  return *Reached.functions().front();
}

bool checkVariables(const Reachability &Reached) {
  bool Fine = true;
  for (const GlobalVariable *G : Reached.variables()) {
    const std::string Name = "'" + demangle(G->getName()) + "'";
    if (G->isThreadLocal())
      Fine = fail(userOf(*G, Reached),
                  "hooks cannot use thread_local variables, such as " + Name);
    else if (G->getAddressSpace() == AMDGPUAS::LOCAL_ADDRESS &&
             !G->getDataLayout().getTypeAllocSize(G->getValueType()))
      Fine = fail(userOf(*G, Reached),
                  "hooks cannot use shared memory of a size that the launch "
                  "decides, such as " +
                      Name + ": see luthier::groupMemory()");
  }
  return Fine;
}

bool checkDefined(const Function &F, const Reachability &Reached) {
  if (!F.isDeclaration())
    return true;
  return fail(F, "hooks cannot use " + quoted(F) + Reached.pathTo(F) +
                     ", which this file does not define");
}

} // namespace

void reportError(const Function &F, const Twine &Message) {
  F.getContext().diagnose(DiagnosticInfoUnsupported(
      F, Message, DiagnosticLocation(F.getSubprogram())));
}

void reportWarning(const Function &F, const Twine &Message) {
  F.getContext().diagnose(DiagnosticInfoUnsupported(
      F, Message, DiagnosticLocation(F.getSubprogram()), DS_Warning));
}

bool isEmptyAssembly(StringRef Text) {
  Text = Text.trim();
  return Text.empty() || (Text.front() == ';' && !Text.contains('\n'));
}

bool checkExports(const Module &M, const AnnotatedFunctions &Annotated,
                  bool IsMarked) {
  bool Fine = true;
  for (const Function &Handle : M) {
    StringRef Name = Handle.getName();
    if (!Name.consume_front("__luthier_hook_handle_"))
      continue;
    if (none_of(Annotated.Hooks,
                [&](const Function *Hook) { return Hook->getName() == Name; }))
      Fine = fail(Handle, "'" + Name +
                              "' has a handle, but is no hook: begin it with "
                              "LUTHIER_HOOK_ANNOTATE, in this file");
    else if (!IsMarked)
      Fine = fail(Handle, "hook '" + Name +
                              "' is in a file without "
                              "MARK_LUTHIER_DEVICE_MODULE: write that at "
                              "namespace scope");
  }
  return Fine;
}

bool checkSources(const AnnotatedFunctions &Annotated,
                  const Reachability &Reached) {
  bool Fine = true;
  for (const Function *Hook : Annotated.Hooks)
    Fine &= checkSignature(*Hook);
  Fine &= checkVariables(Reached);
  for (const Function *F : Reached.functions()) {
    Fine &= checkDefined(*F, Reached);
    Fine &= checkAssembly(*F, Reached);
    Fine &= checkJumps(*F, Reached);
    Fine &= checkHostCalls(*F, Reached);
  }
  return Fine;
}

bool checkOptimised(const Function &Hook, const Function &Original,
                    TargetMachine &TM) {
  for (const Instruction &I : instructions(Hook)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || Call->isInlineAsm())
      continue;
    const Function *Callee = Call->getCalledFunction();
    if (!Callee)
      return fail(Original,
                  "hook " + quoted(Original) +
                      " calls through a pointer to a function, and no function "
                      "of that type has its address taken in this file");
    if (Callee->isIntrinsic() &&
        Callee->getName().starts_with("llvm.amdgcn.s.barrier")) {
      const DILocation *Line = hookLocation(I);
      Original.getContext().diagnose(DiagnosticInfoUnsupported(
          Original,
          "hook " + quoted(Original) +
              " waits for its workgroup (__syncthreads), but not all of its "
              "waves need come by",
          Line ? DiagnosticLocation(DebugLoc(Line))
               : DiagnosticLocation(Original.getSubprogram())));
      return false;
    }
    if (!Callee->isIntrinsic() && !Callee->hasFnAttribute("luthier_intrinsic"))
      return fail(Original, "hook " + quoted(Original) + " calls " +
                                quoted(*Callee) + ", which cannot be inlined");
  }
  if (!checkWaveOperands(Hook, Original, TM))
    return false;
  if (writesExecInDivergentLoop(Hook, TM))
    return fail(Original, "hook " + quoted(Original) +
                              " uses luthier::writeExec in a loop that lanes "
                              "leave at different times");
  return true;
}

} // namespace luthier
