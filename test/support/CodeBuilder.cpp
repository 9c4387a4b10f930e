// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CodeBuilder.h"
#include "amdgpu/CompileErrors.h"
#include "amdgpu/MCTarget.h"
#include "codeobject/Linker.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include <map>
#include <set>
#include <unistd.h>

using namespace llvm;

namespace luthier::test {

static ArrayRef<uint8_t> bytesOf(StringRef Text) {
  return arrayRefFromStringRef(Text);
}

Expected<Bytes> assembleFile(const EngineTarget &T, const std::string &Text,
                             unsigned Version) {
  auto Target = amdgpu::MCTarget::get(T.Processor, T.features());
  if (!Target)
    return Target.takeError();
  const llvm::Target &TheTarget = Target->target();
  SourceMgr Sources;
  std::string Messages;
  Sources.setDiagHandler(
      [](const SMDiagnostic &D, void *To) {
        raw_string_ostream OS(*static_cast<std::string *>(To));
        D.print("", OS, /*ShowColors=*/false);
      },
      &Messages);
  const std::string Head =
      ".amdgcn_target \"amdgcn-amd-amdhsa--" + std::string(T.Processor) +
      "\"\n.amdhsa_code_object_version " + std::to_string(Version) + "\n";
  Sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(Head + Text),
                             SMLoc());
  MCTargetOptions Options;
  MCContext Context(Target->triple(), &Target->asmInfo(), &Target->registers(),
                    &Target->subtarget(), &Sources, &Options);
  std::unique_ptr<MCObjectFileInfo> Info(
      TheTarget.createMCObjectFileInfo(Context, /*PIC=*/true));
  Context.setObjectFileInfo(Info.get());
  SmallVector<char> Object;
  raw_svector_ostream OS(Object);
  std::unique_ptr<MCAsmBackend> Backend(TheTarget.createMCAsmBackend(
      Target->subtarget(), Target->registers(), Options));
  std::unique_ptr<MCObjectWriter> Writer = Backend->createObjectWriter(OS);
  std::unique_ptr<MCCodeEmitter> Emitter(
      TheTarget.createMCCodeEmitter(Target->instructions(), Context));
  std::unique_ptr<MCStreamer> Streamer(TheTarget.createMCObjectStreamer(
      Target->triple(), Context, std::move(Backend), std::move(Writer),
      std::move(Emitter), Target->subtarget()));
  std::unique_ptr<MCAsmParser> Parser(
      createMCAsmParser(Sources, Context, *Streamer, Target->asmInfo()));
  std::unique_ptr<MCTargetAsmParser> TargetParser(TheTarget.createMCAsmParser(
      Target->subtarget(), *Parser, Target->instructions(), Options));
  Parser->setTargetParser(*TargetParser);
  if (Parser->Run(/*NoInitialTextSection=*/false))
    return createStringError(Messages);
  return linkSharedObject(bytesOf(StringRef(Object.data(), Object.size())));
}

namespace {

/// Which of the launch's facts targets have where.
bool hasArchitectedScratch(const EngineTarget &T) {
  StringRef P = T.Processor;
  return P == "gfx942" || P == "gfx950" || P.starts_with("gfx11") ||
         P.starts_with("gfx12");
}

std::string macros(const EngineTarget &T) {
  const StringRef P = T.Processor;
  std::string Wait = "s_waitcnt 0\n";
  if (P.starts_with("gfx12"))
    Wait = "s_wait_loadcnt 0\ns_wait_storecnt 0\ns_wait_dscnt 0\n"
           "s_wait_kmcnt 0\ns_wait_samplecnt 0\ns_wait_bvhcnt 0\n";
  else if (P.starts_with("gfx1"))
    Wait += "s_waitcnt_vscnt null, 0x0\n";
  // Behind s[0:1] and, with scratch, flat_scratch_init.
  std::string Group = "s_mov_b32 \\dst, s[group_id_sgpr]\n";
  if (P.starts_with("gfx12"))
    Group = "s_mov_b32 \\dst, ttmp9\n";
  return ".macro wait_all\n" + Wait + ".endm\n.macro workgroup_id_x dst\n" +
         Group + ".endm\n.macro vadd dst, a, b\n" +
         (T.isRdna() ? "v_add_nc_u32_e32" : "v_add_u32_e32") +
         " \\dst, \\a, \\b\n.endm\n";
}

} // namespace

Expected<Bytes> assembleKernel(const EngineTarget &T, const AssemblyKernel &K,
                               unsigned Version) {
  const StringRef P = T.Processor;
  const bool Unified = P == "gfx90a" || P == "gfx942" || P == "gfx950";
  const bool FlatInit = K.Scratch && !hasArchitectedScratch(T);
  const unsigned AccumOffset = std::max(4u, unsigned(alignTo(K.VGPRs, 4)));
  std::string Text;
  raw_string_ostream OS(Text);
  OS << ".set group_id_sgpr, " << (FlatInit ? 4 : 2) << "\n" << macros(T);
  OS << ".text\n.p2align 8\n.globl kernel\n.type kernel,@function\nkernel:\n"
     << K.Body << "\n.Lend:\n.size kernel, .Lend-kernel\n"
     << K.Functions << "\n.rodata\n.p2align 6\n.amdhsa_kernel kernel\n"
     << ".amdhsa_user_sgpr_kernarg_segment_ptr 1\n";
  if (FlatInit)
    OS << ".amdhsa_user_sgpr_flat_scratch_init 1\n"
       << ".amdhsa_system_sgpr_private_segment_wavefront_offset 1\n";
  else if (K.Scratch)
    OS << ".amdhsa_enable_private_segment 1\n";
  OS << ".amdhsa_next_free_vgpr "
     << (Unified && K.AGPRs ? AccumOffset + K.AGPRs
                            : std::max(K.VGPRs, K.AGPRs))
     << "\n.amdhsa_next_free_sgpr " << K.SGPRs
     << "\n.amdhsa_group_segment_fixed_size " << K.Lds
     << "\n.amdhsa_private_segment_fixed_size " << K.Scratch
     << "\n.amdhsa_kernarg_size " << K.KernargBytes
     << "\n.amdhsa_system_vgpr_workitem_id " << K.WorkItemIds - 1 << "\n";
  if (Unified)
    OS << ".amdhsa_accum_offset " << AccumOffset << "\n";
  if (T.isRdna())
    OS << ".amdhsa_wavefront_size32 " << (T.WaveSize == 32) << "\n";
  OS << K.Directives << "\n.end_amdhsa_kernel\n.amdgpu_metadata\n---\n"
     << "amdhsa.version: [1, " << Version - 3 << "]\n"
     << "amdhsa.target: amdgcn-amd-amdhsa--" << P << "\namdhsa.kernels:\n"
     << "  - .name: kernel\n    .symbol: kernel.kd\n"
     << "    .kernarg_segment_size: " << K.KernargBytes
     << "\n    .kernarg_segment_align: 8\n    .group_segment_fixed_size: "
     << K.Lds << "\n    .private_segment_fixed_size: " << K.Scratch
     << "\n    .wavefront_size: " << T.WaveSize
     << "\n    .sgpr_count: " << K.SGPRs + 6 << "\n    .vgpr_count: "
     << (Unified && K.AGPRs ? AccumOffset + K.AGPRs : K.VGPRs)
     << "\n    .agpr_count: " << K.AGPRs
     << "\n    .max_flat_workgroup_size: " << K.MaxWorkgroup
     << "\n...\n.end_amdgpu_metadata\n";
  return assembleFile(T, Text, Version);
}

/// One per thread, made once.
static TargetMachine &machineFor(const EngineTarget &T,
                                 const amdgpu::MCTarget &Target,
                                 CodeGenOptLevel Level) {
  thread_local std::map<std::pair<const void *, CodeGenOptLevel>,
                        std::unique_ptr<TargetMachine>>
      Machines;
  std::unique_ptr<TargetMachine> &Slot = Machines[{&Target, Level}];
  if (!Slot)
    Slot.reset(Target.target().createTargetMachine(
        Target.triple(), T.Processor, T.features(), TargetOptions(),
        Reloc::PIC_, std::nullopt, Level));
  return *Slot;
}

Expected<Bytes> compileModule(const EngineTarget &T, Module &M,
                              unsigned Version, CodeGenOptLevel Level,
                              bool Optimise) {
  auto Target = amdgpu::MCTarget::get(T.Processor, T.features());
  if (!Target)
    return Target.takeError();
  TargetMachine *TM = &machineFor(T, *Target, Level);
  M.setTargetTriple(Target->triple());
  M.setDataLayout(TM->createDataLayout());
  if (!M.getModuleFlag("amdhsa_code_object_version"))
    M.addModuleFlag(Module::Error, "amdhsa_code_object_version", Version * 100);
  std::string Problem;
  raw_string_ostream Problems(Problem);
  if (verifyModule(M, &Problems))
    return createStringError(Problem);
  if (Optimise) {
    PassBuilder Builder(TM);
    LoopAnalysisManager Loops;
    FunctionAnalysisManager Functions;
    CGSCCAnalysisManager Graphs;
    ModuleAnalysisManager Modules;
    Builder.registerModuleAnalyses(Modules);
    Builder.registerCGSCCAnalyses(Graphs);
    Builder.registerFunctionAnalyses(Functions);
    Builder.registerLoopAnalyses(Loops);
    Builder.crossRegisterProxies(Loops, Functions, Graphs, Modules);
    Builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2)
        .run(M, Modules);
  }
  const amdgpu::CompileErrors Errors(M.getContext());
  SmallVector<char> Object;
  raw_svector_ostream OS(Object);
  legacy::PassManager Passes;
  if (TM->addPassesToEmitFile(Passes, OS, nullptr, CodeGenFileType::ObjectFile))
    return createStringError("no object emission for this target");
  Passes.run(M);
  if (!Errors.text().empty())
    return createStringError(std::errc::not_supported, Errors.text().c_str());
  return linkSharedObject(bytesOf(StringRef(Object.data(), Object.size())));
}

Expected<Bytes> compileIR(const EngineTarget &T, const std::string &IR,
                          unsigned Version, CodeGenOptLevel Level,
                          bool Optimise) {
  LLVMContext Context;
  SMDiagnostic Diagnostic;
  std::unique_ptr<Module> M = parseAssemblyString(
      "target triple = \"amdgcn-amd-amdhsa\"\n" + IR, Diagnostic, Context);
  if (!M)
    return createStringError(Diagnostic.getMessage() + " in line " +
                             Twine(Diagnostic.getLineNo() - 1));
  return compileModule(T, *M, Version, Level, Optimise);
}

namespace {

Expected<Bytes> readFile(const Twine &Path) {
  auto File = MemoryBuffer::getFile(Path);
  if (!File)
    return createStringError(File.getError(), "cannot read " + Path);
  ArrayRef<uint8_t> Contents = bytesOf((*File)->getBuffer());
  return Bytes(Contents.begin(), Contents.end());
}

std::string digestOf(StringRef Text) {
  MD5 Hash;
  Hash.update(Text);
  MD5::MD5Result Digest;
  Hash.final(Digest);
  return Digest.digest().str().str();
}

/// When it was written.
std::string timeOf(const Twine &File) {
  sys::fs::file_status Status;
  if (sys::fs::status(File, Status))
    return "none";
  return std::to_string(
      Status.getLastModificationTime().time_since_epoch().count());
}

/// When what HIP sources include was written.
const std::string &timesOfHeaders() {
  static const std::string Times = [] {
    std::string Text =
        timeOf(LUTHIER_TEST_ROCM_PATH "/include/hip/hip_version.h");
    std::error_code EC;
    std::set<std::string> Files;
    for (sys::fs::recursive_directory_iterator
             It(LUTHIER_TEST_INCLUDE "/luthier", EC),
         End;
         It != End && !EC; It.increment(EC))
      Files.insert(It->path());
    for (const std::string &File : Files)
      Text += timeOf(File);
    return Text;
  }();
  return Times;
}

/// What runs clang.
struct Compilation {
  StringRef Suffix; ///< Of the source's file.
  std::vector<std::string> Arguments;
  std::string Also = {};      ///< What else decides about the result.
  std::string Ending = ".co"; ///< Of the result's file.
  std::string Variable = {};  ///< Of its environment.
  bool KeepsSource = false;   ///< The result refers to it.
};

/// Runs clang on \p Source, or takes what it made of it before. Yields the path
/// of the result.
Expected<std::string> makeWithClang(const std::string &Source,
                                    Compilation How) {
  std::vector<std::string> &Arguments = How.Arguments;
  const std::string Key =
      Source + join(Arguments, "\n") + How.Ending + How.Variable + How.Also;
  const std::string Base =
      std::string(LUTHIER_TEST_CACHE) + "/" + digestOf(Key);
  const std::string Output = Base + How.Ending;
  if (sys::fs::exists(Output))
    return Output;
  if (std::error_code EC = sys::fs::create_directories(LUTHIER_TEST_CACHE))
    return createStringError(EC, LUTHIER_TEST_CACHE);
  // Several processes may make the same file at once.
  const std::string Unique =
      Base + "." + std::to_string(sys::Process::getProcessId());
  const std::string Input = Unique + How.Suffix.str(), Log = Unique + ".log",
                    Result = Unique + How.Ending;
  {
    std::error_code EC;
    raw_fd_ostream OS(Input, EC);
    OS << Source;
  }
  Arguments.insert(Arguments.begin(), LUTHIER_TEST_CLANGXX);
  Arguments.insert(Arguments.end(), {Input, "-o", Result});
  std::vector<StringRef> Words(Arguments.begin(), Arguments.end());
  const std::optional<StringRef> Redirects[] = {StringRef(), StringRef(Log),
                                                StringRef(Log)};
  std::vector<StringRef> Environment;
  for (char **Variable = environ; *Variable; ++Variable)
    Environment.push_back(*Variable);
  if (!How.Variable.empty())
    Environment.push_back(How.Variable);
  const int Code =
      sys::ExecuteAndWait(LUTHIER_TEST_CLANGXX, Words, Environment, Redirects);
  if (Code) {
    auto Text = MemoryBuffer::getFile(Log);
    return createStringError("clang failed on " + Input + "\n" +
                             (Text ? (*Text)->getBuffer() : ""));
  }
  sys::fs::remove(Log);
  if (!How.KeepsSource)
    sys::fs::remove(Input);
  if (std::error_code EC = sys::fs::rename(Result, Output))
    return createStringError(EC, Output);
  return Output;
}

Expected<Bytes> runClang(const std::string &Source, Compilation How) {
  Expected<std::string> Path = makeWithClang(Source, std::move(How));
  if (!Path)
    return Path.takeError();
  return readFile(*Path);
}

void addWaveSize(std::vector<std::string> &Arguments, const EngineTarget &T) {
  if (T.isRdna())
    Arguments.push_back(T.WaveSize == 64 ? "-mwavefrontsize64"
                                         : "-mno-wavefrontsize64");
}

std::vector<std::string> hipArguments(const EngineTarget &T, unsigned Version) {
  std::vector<std::string> Arguments = {
      "-x",
      "hip",
      "-std=c++20",
      "--cuda-device-only",
      "--no-gpu-bundle-output",
      "--offload-arch=" + std::string(T.Processor),
      "--rocm-path=" LUTHIER_TEST_ROCM_PATH,
      "--rocm-device-lib-path=" LUTHIER_TEST_DEVICE_LIBS,
      "-mcode-object-version=" + std::to_string(Version),
      "-include",
      "luthier/detail/WavefrontSize.h",
      "-I",
      LUTHIER_TEST_INCLUDE};
  addWaveSize(Arguments, T);
  if (T.isRdna() && T.WaveSize == 64)
    Arguments.push_back("-DLUTHIER_WAVES_OF_64");
  return Arguments;
}

/// Of a HIP source that begins with \p Headers, which take clang most of its
/// time: they are read once for all that are compiled with \p Arguments.
Expected<Compilation> hipCompilation(StringRef Headers,
                                     std::vector<std::string> Arguments) {
  Compilation Result{".hip", std::move(Arguments)};
  Result.Also = timesOfHeaders();
  Compilation OfHeaders = Result;
  OfHeaders.Suffix = ".h";
  OfHeaders.Ending = ".pch";
  OfHeaders.KeepsSource = true;
  OfHeaders.Arguments.insert(OfHeaders.Arguments.end(),
                             {"-c", "-emit-llvm", "-Xclang", "-emit-pch"});
  Expected<std::string> Path = makeWithClang(Headers.str(), OfHeaders);
  if (!Path)
    return Path.takeError();
  Result.Arguments.insert(Result.Arguments.end(),
                          {"-Xclang", "-include-pch", "-Xclang", *Path});
  return Result;
}

} // namespace

Expected<Bytes> compileCpp(const EngineTarget &T, const std::string &Source,
                           const std::vector<std::string> &Flags,
                           unsigned Version) {
  std::vector<std::string> Arguments = {
      "--target=amdgcn-amd-amdhsa", "-mcpu=" + std::string(T.Processor),
      "-std=c++20", "-nogpulib",
      "-mcode-object-version=" + std::to_string(Version)};
  addWaveSize(Arguments, T);
  Arguments.insert(Arguments.end(), Flags.begin(), Flags.end());
  return runClang(Source, {".cpp", Arguments});
}

Expected<Bytes> compileHip(const EngineTarget &T, const std::string &Source,
                           const std::vector<std::string> &Flags,
                           unsigned Version) {
  std::vector<std::string> Arguments = hipArguments(T, Version);
  Arguments.insert(Arguments.end(), Flags.begin(), Flags.end());
  const std::string Headers = "#include <hip/hip_runtime.h>\n";
  Expected<Compilation> How = hipCompilation(Headers, std::move(Arguments));
  if (!How)
    return How.takeError();
  return runClang(Headers + Source, std::move(*How));
}

Expected<Bytes> compileHooks(const EngineTarget &T, const std::string &Body,
                             bool OneWaveSize) {
  const std::string Headers = "#include <hip/hip_runtime.h>\n"
                              "#include \"luthier/Hook.h\"\n"
                              "#include \"luthier/Intrinsics.h\"\n",
                    Source = Headers + "MARK_LUTHIER_DEVICE_MODULE\n" + Body;
  auto compilationFor = [&](unsigned WaveSize) -> Expected<Compilation> {
    std::vector<std::string> Arguments =
        hipArguments({T.Processor, WaveSize}, 4);
    Arguments.insert(Arguments.end(), {"-O2", "-gline-tables-only"});
    Expected<Compilation> How = hipCompilation(Headers, std::move(Arguments));
    if (!How)
      return How;
    How->Also += timeOf(LUTHIER_TEST_PLUGIN);
    How->Arguments.insert(How->Arguments.end(),
                          {"-cuid=" + digestOf(Source).substr(0, 16),
                           "-fpass-plugin=" LUTHIER_TEST_PLUGIN});
    return How;
  };
  Expected<Compilation> Main = compilationFor(T.isRdna() ? 32 : T.WaveSize);
  if (!Main)
    return Main.takeError();
  if (T.isRdna() && !OneWaveSize) {
    Expected<Compilation> Other = compilationFor(64);
    if (!Other)
      return Other.takeError();
    Other->Arguments.insert(Other->Arguments.end(), {"-c", "-emit-llvm"});
    Other->Ending = "." + std::string(T.Processor) + ".wave64.bc";
    Expected<std::string> Path = makeWithClang(Source, *Other);
    if (!Path)
      return Path.takeError();
    Main->Variable = "LUTHIER_WAVE64_HOOKS=" +
                     Path->substr(0, Path->size() - Other->Ending.size());
  }
  return runClang(Source, std::move(*Main));
}

} // namespace luthier::test
