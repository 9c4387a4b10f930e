// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/selftest/StackScrambler.h"
#include "analysis/InsertionLegality.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <random>

using namespace llvm;

namespace luthier {
namespace {

/// The frame begins right behind what the engine keeps on the stack, as that of
/// any hook.
std::string hookText() {
  constexpr unsigned Words = 16;
  std::string Stores;
  for (unsigned I = 0; I != Words; ++I)
    Stores += formatv("  %word{0} = getelementptr i32, ptr addrspace(5) "
                      "%frame, i32 {0}\n"
                      "  store volatile i32 %garbage, ptr addrspace(5) "
                      "%word{0}, align 4\n",
                      I)
                  .str();
  // As the plugin leaves hooks (HookModule.h).
  return formatv(R"(
target triple = "amdgcn-amd-amdhsa"
define void @overwriteStack(i32 %garbage) #0 {{
  %frame = alloca [{0} x i32], align 4, addrspace(5)
  callbr void asm sideeffect "luthier::writeExec", "s,~{{memory}"(i64 -1) #1 to label %all []
all:
{1}  ret void
}
attributes #0 = {{ convergent nounwind alwaysinline "luthier_hook" }
attributes #1 = {{ convergent nounwind }
)",
                 Words, Stores)
      .str();
}

std::vector<uint8_t> bitcodeOf(const std::string &Text) {
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

StackScrambler::StackScrambler(const LiftedRepresentation &LR,
                               const InstrumentationTask &Task, uint64_t Seed)
    : Task(Task) {
  constexpr unsigned Distance = 8;
  Module.ToolName = "scramble";
  Module.Bitcode = bitcodeOf(hookText());
  const InsertionLegality Legal = InsertionLegality::run(LR);
  std::mt19937_64 Random(Seed);
  for (auto &[Symbol, MF] : LR.functions())
    for (const MachineBasicBlock &MBB : *MF)
      for (const MachineInstr &MI : MBB) {
        const uint64_t Dice = Random();
        if ((&MI == &MBB.front() || Dice % Distance == 0) &&
            Legal.isLegal(InsertionPoint::before(MI)))
          this->Task.insertHookBefore(MI, &Handle,
                                      HookArgument(uint32_t(Dice >> 32)));
      }
}

Expected<HookReference> StackScrambler::resolve(const void *Wanted,
                                                HookResolver Others) const {
  if (Wanted == &Handle)
    return HookReference{&Module, "overwriteStack"};
  return Others(Wanted);
}

} // namespace luthier
