// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Engine.h"
#include "../emulator/Assembler.h"
#include "codeobject/CodeObjectWriter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <cstring>

using namespace llvm;

namespace luthier::test {

template <typename T> static T valueOf(Expected<T> Result) {
  if (!Result) {
    ADD_FAILURE() << toString(Result.takeError());
    return T();
  }
  return std::move(*Result);
}

static void loadSegments(ArrayRef<uint8_t> Bytes, char *Where) {
  auto Elf = object::ELF64LEFile::create(toStringRef(Bytes));
  ASSERT_TRUE(bool(Elf)) << toString(Elf.takeError());
  auto Segments = Elf->program_headers();
  ASSERT_TRUE(bool(Segments)) << toString(Segments.takeError());
  for (const auto &Segment : *Segments)
    if (Segment.p_type == ELF::PT_LOAD)
      std::memcpy(Where + Segment.p_vaddr, Bytes.data() + Segment.p_offset,
                  Segment.p_filesz);
}

Engine::Engine() {
  emulator::ShaderArray::Options Opts;
  Opts.Processor = "gfx90a";
  std::string Error;
  Device = emulator::ShaderArray::create(std::move(Opts), Space, Error);
  EXPECT_TRUE(Device) << Error;
}

std::shared_ptr<const CodeObject>
Engine::assembleKernel(const std::string &Assembly, unsigned VGPRs) {
  auto File = MemoryBuffer::getFile(LUTHIER_TEST_TEMPLATE);
  EXPECT_TRUE(bool(File)) << LUTHIER_TEST_TEMPLATE;
  auto Template =
      valueOf(CodeObject::create(arrayRefFromStringRef((*File)->getBuffer())));
  std::vector<uint8_t> Text = assemble(Assembly);
  EXPECT_FALSE(Text.empty()) << Assembly;
  const KernelInfo &Kernel = Template->kernels().front();
  KernelImage Image{Kernel.Name, Text, 0, Kernel.Descriptor};
  KernelMetadata Metadata = Kernel.Metadata;
  if (VGPRs != 16) {
    Image.Descriptor.setVGPRs(VGPRs, 8, *registerFileTraits("gfx90a"));
    Metadata.VGPRs = VGPRs + 8;
  }
  auto Bytes = valueOf(writeCodeObject(*Template, Image, Metadata));
  return valueOf(CodeObject::create(Bytes));
}

void Engine::setHooks(const std::string &IR) {
  const std::string Prologue = R"(
target triple = "amdgcn-amd-amdhsa"
@Counters = external addrspace(1) global [8192 x i64]
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare i64 @llvm.ctpop.i64(i64)
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.mbcnt.hi(i32, i32)
attributes #0 = { convergent nounwind alwaysinline "luthier_hook" }
attributes #1 = { convergent nounwind }
attributes #2 = { convergent nounwind memory(inaccessiblemem: readwrite) "luthier_intrinsic"="luthier::readReg" }
attributes #3 = { convergent nounwind memory(inaccessiblemem: readwrite) "luthier_intrinsic"="luthier::writeReg" }
)";
  LLVMContext Context;
  SMDiagnostic Diagnostic;
  std::unique_ptr<Module> M =
      parseAssemblyString(Prologue + IR, Diagnostic, Context);
  ASSERT_TRUE(M) << Diagnostic.getMessage().str() << " in line "
                 << Diagnostic.getLineNo();
  M->setDataLayout(M->getTargetTriple().computeDataLayout());
  SmallVector<char> Bitcode;
  raw_svector_ostream OS(Bitcode);
  WriteBitcodeToFile(*M, OS);
  Hooks.ToolName = "test";
  Hooks.Bitcode.assign(Bitcode.begin(), Bitcode.end());
  Hooks.Variables["Counters"] = Counters.address();
}

Expected<InstrumentedKernel> Engine::instrument(const CodeObject &Object,
                                                const Mutator &Mutate) {
  // Lifting shares ownership; the test's object outlives the call.
  std::shared_ptr<const CodeObject> Shared(&Object, [](const CodeObject *) {});
  auto LR = liftKernel(Shared, Shared->kernels().front());
  if (!LR)
    return LR.takeError();
  InstrumentationTask Task;
  Mutate(**LR, Task);
  InstrumenterOptions Options;
  Options.LoadBias = Original.address();
  auto Result = instrumentKernel(
      **LR, Task,
      [&](const void *Handle) -> Expected<HookReference> {
        return HookReference{&Hooks, static_cast<const char *>(Handle)};
      },
      Options);
  if (Result)
    Report = Result->Report;
  return Result;
}

Engine::Outcome Engine::run(ArrayRef<uint8_t> Bytes, DeviceMemory &Where,
                            unsigned WorkItems) {
  auto Object = valueOf(CodeObject::create(Bytes));
  std::memset(Where.as<char>(), 0, CodeSize);
  loadSegments(Bytes, Where.as<char>());
  Device->invalidateCode(Where.address(), Where.address() + CodeSize);
  std::memset(Data.as<char>(), 0, DataSize);

  const KernelInfo &Kernel = Object->kernels().front();
  const auto &Raw = Kernel.Descriptor.raw();
  DeviceMemory Arguments(Space, 4096);
  *Arguments.as<uint64_t>() = Data.address();
  emulator::Dispatch Request;
  Request.KernelName = Kernel.Name;
  Request.EntryPC = Where.address() + Kernel.EntryAddress;
  Request.ComputePgmRsrc1 = Raw.compute_pgm_rsrc1;
  Request.ComputePgmRsrc2 = Raw.compute_pgm_rsrc2;
  Request.ComputePgmRsrc3 = Raw.compute_pgm_rsrc3;
  Request.KernelCodeProperties = Raw.kernel_code_properties;
  Request.WorkgroupSize = Request.GridSize = {WorkItems, 1, 1};
  Request.GroupSegmentSize = Raw.group_segment_fixed_size;
  Request.KernargAddress = Arguments.address();
  Outcome Result;
  auto Fault = Device->run(Request, Result.Counts);
  EXPECT_FALSE(Fault) << Fault->Message;
  Result.Data.assign(Data.as<uint32_t>(),
                     Data.as<uint32_t>() + DataSize / sizeof(uint32_t));
  return Result;
}

Engine::Outcome Engine::expectUnchanged(const std::string &Assembly,
                                        const Mutator &Mutate,
                                        unsigned WorkItems) {
  auto Object = assembleKernel(Assembly);
  Outcome Before = run(Object->bytes(), Original, WorkItems);
  auto Result = instrument(*Object, Mutate);
  if (!Result) {
    ADD_FAILURE() << toString(Result.takeError());
    return {};
  }
  std::memset(Counters.as<char>(), 0, 1 << 16);
  Outcome After = run(Result->CodeObject, Instrumented, WorkItems);
  EXPECT_EQ(Before.Data, After.Data);
  After.Counts = Before.Counts;
  return After;
}

Engine::Mutator Engine::everywhere(const char *Name,
                                   std::vector<HookArgument> Arguments) {
  return [=](LiftedRepresentation &LR, InstrumentationTask &Task) {
    for (auto &[Symbol, MF] : LR.functions())
      for (MachineBasicBlock &MBB : *MF)
        for (MachineInstr &MI : MBB)
          cantFail(Task.insertHookBefore(MI, hook(Name), Arguments));
  };
}

} // namespace luthier::test
