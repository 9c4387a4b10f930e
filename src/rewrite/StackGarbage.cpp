// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/StackGarbage.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <random>

using namespace llvm;

namespace luthier {
namespace {

/// As the plugin leaves hooks (HookModule.h).
constexpr const char *Hook = R"(
target triple = "amdgcn-amd-amdhsa"
define void @overwriteStack(i32 %garbage) #0 {
  %frame = alloca <16 x i32>, addrspace(5)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 -1) #1 to label %all []
all:
  %one = insertelement <16 x i32> poison, i32 %garbage, i32 0
  %each = shufflevector <16 x i32> %one, <16 x i32> poison, <16 x i32> zeroinitializer
  store volatile <16 x i32> %each, ptr addrspace(5) %frame
  ret void
}
attributes #0 = { convergent nounwind alwaysinline "luthier_hook" }
attributes #1 = { convergent nounwind }
)";

std::vector<uint8_t> bitcodeOf(const char *Text) {
  LLVMContext Context;
  SMDiagnostic Diagnostic;
  std::unique_ptr<Module> M = parseAssemblyString(Text, Diagnostic, Context);
  assert(M && "the text above is a module");
  M->setDataLayout(M->getTargetTriple().computeDataLayout());
  SmallVector<char> Bitcode;
  raw_svector_ostream OS(Bitcode);
  WriteBitcodeToFile(*M, OS);
  return {Bitcode.begin(), Bitcode.end()};
}

/// What stands for the hook: its address.
constexpr char Handle = 0;

} // namespace

StackGarbage::StackGarbage(const LiftedRepresentation &LR,
                           const InstrumentationTask &Task, uint64_t Seed)
    : Task(Task) {
  constexpr unsigned Distance = 8;
  Module.ToolName = "poison";
  Module.Bitcode = bitcodeOf(Hook);
  std::mt19937_64 Random(Seed);
  for (auto &[Symbol, MF] : LR.functions())
    for (const MachineBasicBlock &MBB : *MF)
      for (const MachineInstr &MI : MBB)
        if (&MI == &MBB.front() || Random() % Distance == 0)
          cantFail(this->Task.insertHookBefore(
              MI, &Handle, HookArgument(uint32_t(Random()))));
}

Expected<HookReference> StackGarbage::resolve(const void *Wanted,
                                              HookResolver Others) const {
  if (Wanted == &Handle)
    return HookReference{&Module, "overwriteStack"};
  return Others(Wanted);
}

} // namespace luthier
