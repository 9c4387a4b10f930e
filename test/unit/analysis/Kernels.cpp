// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernels.h"
#include "../emulator/Assembler.h"
#include "analysis/ControlFlow.h"
#include "codeobject/Linker.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/Object/ELFObjectFile.h"
#include <gtest/gtest.h>

using namespace llvm;

namespace luthier::test {

const std::vector<TargetCase> &allTargets() {
  static const std::vector<TargetCase> Targets = {
      {"gfx906", 64},  {"gfx908", 64},  {"gfx90a", 64},  {"gfx942", 64},
      {"gfx950", 64},  {"gfx1030", 32}, {"gfx1030", 64}, {"gfx1100", 32},
      {"gfx1100", 64}, {"gfx1201", 32}, {"gfx1201", 64}};
  return Targets;
}

std::string nameOf(const TargetCase &Target) {
  return Target.Processor + "_" + std::to_string(Target.WaveSize);
}

static std::string wrap(const std::string &Assembly, const TargetCase &Target) {
  const bool HasUnifiedAGPRs = Target.Processor == "gfx90a" ||
                               Target.Processor == "gfx942" ||
                               Target.Processor == "gfx950";
  std::string Text = ".amdgcn_target \"amdgcn-amd-amdhsa--" + Target.Processor +
                     "\"\n.amdhsa_code_object_version 4\n" +
                     R"(.text
.p2align 8
.globl kernel
.type kernel,@function
kernel:
)" + Assembly + R"(
.Lend:
.size kernel, .Lend-kernel
.rodata
.p2align 6
.amdhsa_kernel kernel
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.amdhsa_next_free_vgpr 64
.amdhsa_next_free_sgpr 64
)";
  if (HasUnifiedAGPRs)
    Text += ".amdhsa_accum_offset 32\n";
  if (!Target.isGfx9())
    Text += ".amdhsa_wavefront_size32 " +
            std::string(Target.WaveSize == 32 ? "1\n" : "0\n");
  return Text + R"(.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--)" +
         Target.Processor + R"(
amdhsa.kernels:
  - .name: kernel
    .symbol: kernel.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: )" +
         std::to_string(Target.WaveSize) + R"(
    .sgpr_count: 64
    .vgpr_count: 64
    .agpr_count: )" +
         (HasUnifiedAGPRs ? "32" : "0") + R"(
    .max_flat_workgroup_size: 1024
...
.end_amdgpu_metadata
)";
}

/// Offsets of labels from the start of .text.
static StringMap<uint64_t> labelsOf(StringRef Object) {
  StringMap<uint64_t> Result;
  auto File = cantFail(object::ObjectFile::createObjectFile(
      MemoryBufferRef(Object, "assembled")));
  for (const object::SymbolRef &Symbol : File->symbols())
    Result[cantFail(Symbol.getName())] = cantFail(Symbol.getValue());
  return Result;
}

LiftedKernel liftAssembly(const std::string &Assembly,
                          const TargetCase &Target) {
  LiftedKernel Result;
  std::vector<uint8_t> Assembled =
      assembleObject(wrap(Assembly, Target), Target.Processor, Target.WaveSize);
  if (Assembled.empty()) {
    ADD_FAILURE() << nameOf(Target) << " does not assemble:" << Assembly;
    return Result;
  }
  auto fail = [&](Error E) {
    ADD_FAILURE() << nameOf(Target) << ": " << toString(std::move(E));
    return LiftedKernel();
  };
  auto Linked = linkSharedObject(Assembled);
  if (!Linked)
    return fail(Linked.takeError());
  auto Object = CodeObject::create(*Linked);
  if (!Object)
    return fail(Object.takeError());
  Result.Object = std::move(*Object);
  const KernelInfo &Kernel = Result.Object->kernels().front();
  auto LR = liftKernel(Result.Object, Kernel);
  if (!LR)
    return fail(LR.takeError());
  Result.LR = std::move(*LR);
  Result.Labels = labelsOf(toStringRef(Assembled));
  for (auto &Label : Result.Labels) // The kernel comes first.
    Label.second += Kernel.EntryAddress;
  return Result;
}

const MachineInstr &LiftedKernel::at(StringRef Label) const {
  auto It = Labels.find(Label);
  const MachineInstr *Found = nullptr;
  // A function behind the kernel's last instruction is also dead code in it.
  if (It != Labels.end())
    for (const auto &[Symbol, MF] : LR->functions()) {
      const auto Reached = reachedBlocks(*MF);
      for (const MachineBasicBlock &MBB : *MF)
        for (const MachineInstr &MI : MBB)
          if (LR->originalAddress(MI) == It->second &&
              (!Found || Reached.contains(&MBB)))
            Found = &MI;
    }
  if (Found)
    return *Found;
  ADD_FAILURE() << "no instruction at " << Label.str();
  return LR->functions().front().second->front().front();
}

} // namespace luthier::test
