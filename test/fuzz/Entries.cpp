// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Entries.h"
#include "CodeBuilder.h"
#include "analysis/InsertionLegality.h"
#include "analysis/Liveness.h"
#include "codeobject/CodeObject.h"
#include "codeobject/FatBinary.h"
#include "codeobject/KernelMetadata.h"
#include "hook/HookModule.h"
#include "lift/LiftedImpl.h"
#include "lift/Lifter.h"
#include "rewrite/Instrumenter.h"
#include "rewrite/emit/CodeWriter.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SourceMgr.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace llvm;

namespace luthier::test {
namespace {

[[noreturn]] void fail(const char *What) {
  std::fprintf(stderr, "%s\n", What);
  std::abort();
}

/// An error is as good as a result, if it says something.
template <class T> std::optional<T> take(Expected<T> Result) {
  if (Result)
    return std::move(*Result);
  if (toString(Result.takeError()).empty())
    fail("an error without text");
  return std::nullopt;
}

void useDescriptor(const KernelDescriptor &D) {
  unsigned Sum = D.userSGPRCount() + D.usesDynamicStack() + D.usesWave32();
  for (const EngineTarget &T : allTargets())
    if (const RegisterFileTraits *Traits = registerFileTraits(T.Processor)) {
      Sum += D.allocatedVGPRs(*Traits) + D.vgprLimit(*Traits) +
             D.allocatedSGPRs(*Traits) + D.wavesPerSIMD(*Traits);
      KernelDescriptor Copy = D;
      Copy.setVGPRs(D.vgprLimit(*Traits) % Traits->AddressableVGPRs, 0,
                    *Traits);
      Copy.setSGPRs(D.allocatedSGPRs(*Traits) % Traits->AddressableSGPRs,
                    *Traits);
      Sum += Copy.raw().compute_pgm_rsrc1;
    }
  // So that nothing of it is left out.
  if (Sum == ~0u)
    fail("impossible counts");
}

/// Code of at most so many bytes is lifted: the fuzzer looks for errors, not
/// for work.
constexpr uint64_t MostCode = 1 << 14;

void liftAndAnalyse(const std::shared_ptr<const CodeObject> &Object,
                    const KernelInfo &Kernel) {
  auto LR = take(liftKernel(Object, Kernel));
  if (!LR)
    return;
  Liveness Live = Liveness::run(**LR);
  InsertionLegality Legal = InsertionLegality::run(**LR);
  for (auto &[Symbol, MF] : (*LR)->functions())
    for (MachineBasicBlock &MBB : *MF)
      for (MachineInstr &MI : MBB) {
        Live.at(InsertionPoint::before(MI));
        take(Legal.anchorOf(MI));
      }
  amdgpu::MachineEncoder Encoder(*(*LR)->impl().Target);
  take(writeCode(**LR, Encoder, {.Reencode = true}));
  auto Written = take(writeCode(**LR, Encoder, {}));
  if (!Written)
    return;
  for (const KeptInstruction &Kept : Written->Map) {
    auto Old = take(Object->contents(Kept.Original, Kept.Size));
    // Of branches, the distance in the low half may change.
    const unsigned First = Kept.Size == 4 ? 2 : 0;
    if (!Old || !std::equal(Old->begin() + First, Old->end(),
                            Written->Code.begin() + Kept.Offset + First))
      fail("an instruction changed");
  }
}

} // namespace

void readCodeObject(ArrayRef<uint8_t> Data) {
  if (auto Images = take(findCodeObjects(Data)))
    for (const BundledCodeObject &Image : *Images)
      if (Image.Target.str().empty())
        fail("an image without a target");
  auto Parsed = take(CodeObject::create(Data));
  if (!Parsed)
    return;
  std::shared_ptr<const CodeObject> Object = std::move(*Parsed);
  for (const KernelInfo &Kernel : Object->kernels()) {
    useDescriptor(Kernel.Descriptor);
    if (Kernel.CodeSize <= MostCode)
      liftAndAnalyse(Object, Kernel);
  }
  for (const char *Name : {".text", ".llvmbc", ".nothing"})
    Object->section(Name);
  for (const FunctionInfo &F : Object->functions())
    take(Object->contents(F.Address, F.Size));
}

void readMetadata(ArrayRef<uint8_t> Data) {
  if (Data.size() >= 64)
    if (auto D = take(KernelDescriptor::create(Data.take_front(64))))
      useDescriptor(*D);
  const StringRef Blob(reinterpret_cast<const char *>(Data.data()),
                       Data.size());
  auto Module = take(readKernelMetadata(Blob));
  if (!Module)
    return;
  for (const auto &[Name, Entry] : Module->Kernels) {
    // What was written must be readable, and say the same.
    const std::string Text =
        writeKernelMetadata(Module->Common, Name, Entry.Blob, Entry.Facts);
    auto Again = take(readKernelMetadata(Text));
    if (!Again || !Again->Kernels.contains(Name))
      fail("metadata that was written cannot be read");
  }
}

namespace {

/// A kernel with room for code, and where that and its descriptor are in the
/// file.
struct Template {
  std::vector<uint8_t> File;
  size_t Offset = 0, Descriptor = 0;
};
constexpr size_t Room = 1024;

Template makeTemplate(const EngineTarget &T) {
  AssemblyKernel K;
  K.VGPRs = 64;
  K.SGPRs = 64;
  K.Lds = 1024;
  // All code ends in the padding.
  K.Body = ".rept " + std::to_string(Room / 4) + "\ns_endpgm\n.endr\n";
  Expected<Bytes> File = assembleKernel(T, K);
  if (!File)
    fail(toString(File.takeError()).c_str());
  Template Result{std::move(*File), 0};
  auto Object = take(CodeObject::create(Result.File));
  if (!Object)
    fail("the template cannot be read");
  const KernelInfo &Kernel = (*Object)->kernels().front();
  auto Code = take((*Object)->contents(Kernel.EntryAddress, Room));
  if (!Code)
    fail("the template has no code");
  Result.Offset = size_t(Code->data() - (*Object)->bytes().data());
  auto Descriptor = take((*Object)->contents(Kernel.DescriptorAddress, 64));
  if (!Descriptor)
    fail("the template has no descriptor");
  Result.Descriptor = size_t(Descriptor->data() - (*Object)->bytes().data());
  return Result;
}

const Template &templateFor(uint8_t Target) {
  static const std::vector<Template> Templates = [] {
    std::vector<Template> All;
    for (const EngineTarget &T : allTargets())
      All.push_back(makeTemplate(T));
    return All;
  }();
  return Templates[Target % Templates.size()];
}

/// A hook that asks for much of what descriptors decide: launch registers, the
/// stack, registers of its own.
HookModule makeHooks() {
  LLVMContext Context;
  SMDiagnostic Diagnostic;
  std::unique_ptr<Module> M = parseAssemblyString(R"(
target triple = "amdgcn-amd-amdhsa"
@Counters = external addrspace(1) global [64 x i64]
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
define void @h() #0 {
  %a = alloca [4 x i32], addrspace(5)
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %p = getelementptr i32, ptr addrspace(5) %a, i32 2
  store volatile i32 %g, ptr addrspace(5) %p
  %v = load volatile i32, ptr addrspace(5) %p
  %s = add i32 %v, %l
  %w = zext i32 %s to i64
  %o = atomicrmw add ptr addrspace(1) @Counters, i64 %w syncscope("agent") monotonic
  ret void
}
attributes #0 = { convergent nounwind alwaysinline "luthier_hook" }
)",
                                                  Diagnostic, Context);
  if (!M)
    fail(Diagnostic.getMessage().str().c_str());
  M->setDataLayout(M->getTargetTriple().computeDataLayout());
  SmallVector<char> Bitcode;
  raw_svector_ostream OS(Bitcode);
  WriteBitcodeToFile(*M, OS);
  HookModule Hooks;
  Hooks.ToolName = "fuzz";
  Hooks.Bitcode.assign(Bitcode.begin(), Bitcode.end());
  Hooks.Variables["Counters"] = 0x10000;
  return Hooks;
}

void instrument(const std::shared_ptr<const CodeObject> &Object,
                const KernelInfo &Kernel) {
  static const HookModule Hooks = makeHooks();
  auto LR = take(liftKernel(Object, Kernel));
  if (!LR)
    return;
  InstrumentationTask Task;
  if (Error E = Task.insertHookAtKernelEntry("h"))
    fail(toString(std::move(E)).c_str());
  auto New = take(instrumentKernel(
      **LR, Task,
      [](const void *Handle) -> Expected<HookReference> {
        return HookReference{&Hooks, static_cast<const char *>(Handle)};
      },
      {}));
  if (!New)
    return;
  auto Again = take(CodeObject::create(New->CodeObject));
  if (!Again || (*Again)->kernels().size() != 1)
    fail("the instrumented kernel cannot be read");
  useDescriptor((*Again)->kernels().front().Descriptor);
}

} // namespace

void readDescriptor(ArrayRef<uint8_t> Data) {
  if (Data.size() < 65)
    return;
  const Template &From = templateFor(Data[0]);
  std::vector<uint8_t> File = From.File;
  // Where the code is stays, so that there is some.
  constexpr size_t EntryOffset =
      offsetof(amdhsa::kernel_descriptor_t, kernel_code_entry_byte_offset);
  for (size_t I = 0; I != 64; ++I)
    if (I < EntryOffset || I >= EntryOffset + 8)
      File[From.Descriptor + I] = Data[1 + I];
  ArrayRef<uint8_t> Code = Data.drop_front(65).take_front(Room - 4);
  Code = Code.drop_back(Code.size() % 4);
  std::memcpy(File.data() + From.Offset, Code.data(), Code.size());
  auto Parsed = take(CodeObject::create(File));
  if (!Parsed)
    return;
  std::shared_ptr<const CodeObject> Object = std::move(*Parsed);
  const KernelInfo &Kernel = Object->kernels().front();
  useDescriptor(Kernel.Descriptor);
  liftAndAnalyse(Object, Kernel);
  instrument(Object, Kernel);
}

void liftCode(ArrayRef<uint8_t> Data) {
  if (Data.empty())
    return;
  const Template &From = templateFor(Data[0]);
  std::vector<uint8_t> File = From.File;
  ArrayRef<uint8_t> Code = Data.drop_front().take_front(Room - 4);
  Code = Code.drop_back(Code.size() % 4);
  std::memcpy(File.data() + From.Offset, Code.data(), Code.size());
  auto Parsed = take(CodeObject::create(File));
  if (!Parsed)
    fail("the template's kernel cannot be read");
  std::shared_ptr<const CodeObject> Object = std::move(*Parsed);
  liftAndAnalyse(Object, Object->kernels().front());
}

} // namespace luthier::test
