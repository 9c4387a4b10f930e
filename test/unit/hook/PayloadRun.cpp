// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PayloadRun.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/RegisterFiles.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

namespace luthier::test {

static constexpr unsigned SGPRCount = 96, VGPRCount = 64, AGPRCount = 8;

void PayloadRun::check(luthier_emu_status Status) {
  ASSERT_EQ(Status, LUTHIER_EMU_OK) << luthier_emu_error(Device);
}

PayloadRun::PayloadRun(const EngineTarget &Target) : Target(Target) {
  luthier_emu_device_options Options = {};
  Options.struct_size = sizeof(Options);
  Options.target = Target.Processor;
  // Poison is about registers that nobody wrote; here all are.
  Options.strict = "hazards,loads=latest";
  luthier_emu_status Status = luthier_emu_device_create(&Options, &Device);
  EXPECT_EQ(Status, LUTHIER_EMU_OK) << luthier_emu_error(nullptr);
  auto Found = amdgpu::MCTarget::get(Target.Processor, Target.features());
  EXPECT_TRUE(bool(Found)) << toString(Found.takeError());
  MC = &*Found;
  Out = allocate(1 << 16);
  Hooks.ToolName = "test";
  Hooks.Variables["Out"] = Out;
}

PayloadRun::~PayloadRun() {
  luthier_emu_unload(Tool);
  luthier_emu_unload(Reference);
  luthier_emu_device_destroy(Device);
}

uint64_t PayloadRun::allocate(uint64_t Size) {
  uint64_t Address = 0;
  check(luthier_emu_allocate(Device, Size, &Address));
  return Address;
}

void PayloadRun::parseHooks(const std::string &IR) {
  const std::string Declarations = R"(
target triple = "amdgcn-amd-amdhsa"
@Out = external addrspace(1) global [16384 x i32]
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.mbcnt.hi(i32, i32)
define internal void @store(i32 %x) #1 {
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %p = getelementptr i32, ptr addrspace(1) @Out, i32 %lane
  store i32 %x, ptr addrspace(1) %p
  ret void
}
attributes #0 = { convergent nounwind alwaysinline "luthier_hook" }
attributes #1 = { convergent nounwind alwaysinline }
attributes #2 = { convergent nounwind memory(inaccessiblemem: readwrite) "luthier_intrinsic"="luthier::readReg" }
attributes #3 = { convergent nounwind memory(inaccessiblemem: readwrite) "luthier_intrinsic"="luthier::writeReg" }
attributes #4 = { convergent nounwind memory(inaccessiblemem: readwrite) "luthier_intrinsic"="luthier::waveAdd" }
attributes #5 = { convergent nounwind memory(inaccessiblemem: readwrite) "luthier_intrinsic"="luthier::waveCounter" }
)";
  LLVMContext Context;
  SMDiagnostic Diagnostic;
  std::unique_ptr<Module> M =
      parseAssemblyString(Declarations + IR, Diagnostic, Context);
  ASSERT_TRUE(M) << Diagnostic.getMessage().str() << " in line "
                 << Diagnostic.getLineNo();
  M->setDataLayout(M->getTargetTriple().computeDataLayout());
  SmallVector<char> Bitcode;
  raw_svector_ostream OS(Bitcode);
  WriteBitcodeToFile(*M, OS);
  Compiler.reset();
  Hooks.Bitcode.assign(Bitcode.begin(), Bitcode.end());
}

void PayloadRun::compileHooks(const std::string &Source, bool OneWaveSize) {
  Compiler.reset();
  auto Object = test::compileHooks(Target, Source, OneWaveSize);
  ASSERT_TRUE(bool(Object)) << toString(Object.takeError());
  auto Elf = object::ELF64LEFile::create(toStringRef(*Object));
  ASSERT_TRUE(bool(Elf)) << toString(Elf.takeError());
  auto Sections = Elf->sections();
  ASSERT_TRUE(bool(Sections)) << toString(Sections.takeError());
  for (const auto &Section : *Sections)
    if (cantFail(Elf->getSectionName(Section)) == ".llvmbc")
      Hooks.Bitcode = cantFail(Elf->getSectionContents(Section)).vec();
  luthier_emu_unload(Tool);
  check(luthier_emu_load(Device, Object->data(), Object->size(), &Tool));
  for (const auto &Section : *Sections) {
    if (Section.sh_type != ELF::SHT_DYNSYM)
      continue;
    auto Names = cantFail(Elf->getStringTableForSymtab(Section));
    for (const auto &Symbol : cantFail(Elf->symbols(&Section))) {
      StringRef Name = cantFail(Symbol.getName(Names));
      uint64_t Address = 0;
      if (Symbol.getType() == ELF::STT_OBJECT && Symbol.isDefined() &&
          !luthier_emu_symbol(Tool, Name.str().c_str(), &Address, nullptr))
        Hooks.Variables[Name] = Address;
    }
  }
  Out = Hooks.Variables.lookup("Out");
}

std::vector<uint32_t> PayloadRun::runKernel(const std::string &Source,
                                            const char *Kernel) {
  if (!Reference) {
    auto Object = compileHip(Target, Source);
    if (!Object) {
      ADD_FAILURE() << toString(Object.takeError());
      return {};
    }
    check(luthier_emu_load(Device, Object->data(), Object->size(), &Reference));
  }
  const uint64_t Numbers = allocate(4 * Target.WaveSize);
  luthier_emu_launch Launch = {};
  Launch.struct_size = sizeof(Launch);
  Launch.grid[0] = Launch.workgroup[0] = Target.WaveSize;
  Launch.kernarg = &Numbers;
  Launch.kernarg_size = sizeof(Numbers);
  Launch.private_segment_size = 16384; // Some of them are recursive.
  check(luthier_emu_dispatch(Reference, Kernel, &Launch, nullptr));
  return read<uint32_t>(Numbers, Target.WaveSize);
}

PayloadABI PayloadRun::abi() const {
  const amdgpu::RegisterFiles &Files = MC->registerFiles();
  PayloadABI ABI;
  ABI.WaveSize = Target.WaveSize;
  ABI.ApplicationSGPRs = 32;
  ABI.ApplicationVGPRs = 16;
  ABI.ApplicationAGPRs = hasAGPRs() ? AGPRCount : 0;
  ABI.VccSave = Files.sgprPair(32);
  ABI.ExecSave = Files.sgprPair(34);
  ABI.SccSave = Files.sgpr(36);
  ABI.M0Save = Files.sgpr(37);
  ABI.ModeSave = Files.sgpr(38);
  ABI.StackPointer = Files.sgpr(39);
  ABI.FirstArgumentSGPR = 40;
  ABI.FirstSGPR = 44;
  ABI.SGPRLimit = SGPRCount;
  ABI.State = Files.vgpr(16);
  ABI.WorkItemIds = Files.vgpr(17);
  ABI.FirstArgumentVGPR = 18;
  ABI.FirstVGPR = 20;
  ABI.VGPRLimit = VGPRCount;
  return ABI;
}

static PayloadVariant variantOf(const HookModule &Hooks, StringRef Hook,
                                ArrayRef<uint64_t> Constants) {
  PayloadVariant Variant{{&Hooks, Hook.str()}, {}};
  for (uint64_t Bits : Constants)
    Variant.Arguments.push_back(Bits);
  return Variant;
}

Expected<PayloadCompiler &> PayloadRun::compiler() {
  if (!Compiler) {
    auto New = PayloadCompiler::create(*MC, Hooks, Target.WaveSize);
    if (!New)
      return New.takeError();
    Compiler = std::move(*New);
  }
  return *Compiler;
}

HookNeeds PayloadRun::needs(StringRef Hook, std::vector<uint64_t> Constants) {
  auto Its = compiler();
  if (!Its) {
    ADD_FAILURE() << toString(Its.takeError());
    return {};
  }
  auto Needs = Its->needs(variantOf(Hooks, Hook, Constants));
  if (!Needs) {
    ADD_FAILURE() << toString(Needs.takeError());
    return {};
  }
  return std::move(*Needs);
}

Expected<Payload> PayloadRun::compile(StringRef Hook, const PayloadABI &ABI,
                                      std::vector<uint64_t> Constants) {
  auto Its = compiler();
  if (!Its)
    return Its.takeError();
  auto Payloads = Its->compile(variantOf(Hooks, Hook, Constants), ABI);
  if (!Payloads)
    return Payloads.takeError();
  return std::move(Payloads->front());
}

WaveState PayloadRun::initialState(const PayloadABI &ABI) {
  auto noise = [&] { return Noise = Noise * 1664525 + 1013904223; };
  auto fill = [&](auto &Registers, unsigned Count) {
    Registers.resize(Count);
    for (std::vector<uint32_t> &Register : Registers)
      for (unsigned Lane = 0; Lane < Target.WaveSize; ++Lane)
        Register.push_back(noise());
  };
  WaveState S;
  for (unsigned I = 0; I < SGPRCount; ++I)
    S.SGPRs.push_back(noise());
  fill(S.VGPRs, VGPRCount);
  fill(S.AGPRs, hasAGPRs() ? AGPRCount : 0);
  const uint64_t Lanes = ~uint64_t(0) >> (64 - Target.WaveSize);
  S.EXEC = EXEC & Lanes;
  S.VCC = (uint64_t(noise()) << 32 | noise()) & Lanes;
  S.SCC = noise() >> 31;
  S.M0 = noise();
  S.MODE = 0x3f0;

  const amdgpu::RegisterFiles &Files = MC->registerFiles();
  auto number = [&](MCRegister Reg) { return Files.rangeOf(Reg).First; };
  auto set = [&](MCRegister Reg, uint32_t Value) {
    if (Reg)
      S.SGPRs[number(Reg)] = Value;
  };
  set(ABI.StackPointer, StackBase);
  set(ABI.SccSave, S.SCC);
  set(ABI.M0Save, S.M0);
  set(ABI.ModeSave, S.MODE);
  S.SGPRs[number(ABI.VccSave)] = S.VCC;
  S.SGPRs[number(ABI.ExecSave)] = S.EXEC;
  if (Target.WaveSize == 64) {
    S.SGPRs[number(ABI.VccSave) + 1] = S.VCC >> 32;
    S.SGPRs[number(ABI.ExecSave) + 1] = S.EXEC >> 32;
  }
  if (ABI.State)
    for (auto [Lane, Value] : State)
      S.VGPRs[number(ABI.State)][Lane] = Value;
  if (ABI.WorkItemIds)
    for (unsigned Lane = 0; Lane < Target.WaveSize; ++Lane)
      S.VGPRs[number(ABI.WorkItemIds)][Lane] =
          Lane % 8 | (Lane / 8) << 10 | (Lane % 3) << 20;
  return S;
}

void PayloadRun::fill(luthier_emu_execution *E, const WaveState &S) {
  auto scalar = [&](luthier_emu_register File, unsigned I, uint64_t Value) {
    check(luthier_emu_write_scalar(E, 0, File, I, Value));
  };
  auto vectors = [&](luthier_emu_register File, const auto &Registers) {
    for (auto [I, Register] : enumerate(Registers))
      check(luthier_emu_write_vector(E, 0, File, I, 0, Target.WaveSize,
                                     Register.data()));
  };
  for (auto [I, Value] : enumerate(S.SGPRs))
    scalar(LUTHIER_EMU_SGPR, I, Value);
  vectors(LUTHIER_EMU_VGPR, S.VGPRs);
  vectors(LUTHIER_EMU_AGPR, S.AGPRs);
  scalar(LUTHIER_EMU_EXEC, 0, S.EXEC);
  scalar(LUTHIER_EMU_VCC, 0, S.VCC);
  scalar(LUTHIER_EMU_SCC, 0, S.SCC);
  scalar(LUTHIER_EMU_M0, 0, S.M0);
  scalar(LUTHIER_EMU_MODE, 0, S.MODE);
}

WaveState PayloadRun::capture(luthier_emu_execution *E) {
  auto scalar = [&](luthier_emu_register File, unsigned I) {
    uint64_t Value = 0;
    check(luthier_emu_read_scalar(E, 0, File, I, &Value));
    return Value;
  };
  auto vectors = [&](luthier_emu_register File, auto &Registers,
                     unsigned Count) {
    Registers.assign(Count, std::vector<uint32_t>(Target.WaveSize));
    for (auto [I, Register] : enumerate(Registers))
      check(luthier_emu_read_vector(E, 0, File, I, 0, Target.WaveSize,
                                    Register.data()));
  };
  WaveState S;
  for (unsigned I = 0; I < SGPRCount; ++I)
    S.SGPRs.push_back(scalar(LUTHIER_EMU_SGPR, I));
  vectors(LUTHIER_EMU_VGPR, S.VGPRs, VGPRCount);
  vectors(LUTHIER_EMU_AGPR, S.AGPRs, hasAGPRs() ? AGPRCount : 0);
  S.EXEC = scalar(LUTHIER_EMU_EXEC, 0);
  S.VCC = scalar(LUTHIER_EMU_VCC, 0);
  S.SCC = scalar(LUTHIER_EMU_SCC, 0);
  S.M0 = scalar(LUTHIER_EMU_M0, 0);
  S.MODE = 0x3f0;
  return S;
}

/// Numbers of the registers that may differ.
static BitVector announced(const BitVector &Clobbered,
                           const amdgpu::RegisterFiles &Files,
                           amdgpu::RegisterFile File,
                           ArrayRef<MCRegister> Written) {
  BitVector Result = Clobbered;
  Result.resize(512);
  for (MCRegister Reg : Written) {
    const amdgpu::RegisterRange Range = Files.rangeOf(Reg);
    if (Range.File == File)
      Result.set(Range.First, Range.end());
  }
  return Result;
}

void PayloadRun::expectAnnounced(const Payload &P, const PayloadABI &ABI,
                                 const WaveState &Before,
                                 const WaveState &After) {
  SmallVector<MCRegister, 8> Written(P.Writes.begin(), P.Writes.end());
  auto copy = [&](bool Used, MCRegister Reg) {
    if (Used)
      Written.push_back(Reg);
  };
  copy(P.UsesSCC, ABI.SccSave);
  copy(P.UsesVCC, ABI.VccSave);
  copy(P.UsesEXEC, ABI.ExecSave);
  copy(P.UsesM0, ABI.M0Save);
  copy(P.UsesMODE, ABI.ModeSave);
  copy(P.WritesState, ABI.State);
  const amdgpu::RegisterFiles &Files = MC->registerFiles();
  // Counters are the hooks' own.
  for (unsigned N = 0; N < ABI.NumCounterVGPRs; ++N)
    Written.push_back(Files.vgpr(ABI.FirstCounterVGPR + N));
  for (unsigned N = 0; N < 2 * ABI.NumLaneCounters; ++N)
    Written.push_back(Files.vgpr(ABI.FirstLaneVGPR + N));
  auto expectKept = [&](const auto &Old, const auto &New,
                        const BitVector &Clobbered, amdgpu::RegisterFile File,
                        const char *Name) {
    const BitVector May = announced(Clobbered, Files, File, Written);
    for (unsigned I = 0; I < Old.size(); ++I)
      if (!May.test(I))
        EXPECT_EQ(Old[I], New[I]) << Name << I;
  };
  expectKept(Before.SGPRs, After.SGPRs, P.SGPRs, amdgpu::RegisterFile::SGPR,
             "s");
  expectKept(Before.VGPRs, After.VGPRs, P.VGPRs, amdgpu::RegisterFile::VGPR,
             "v");
  expectKept(Before.AGPRs, After.AGPRs, P.AGPRs, amdgpu::RegisterFile::AGPR,
             "a");
  if (!P.WritesEXEC)
    EXPECT_EQ(Before.EXEC, After.EXEC);
  if (!P.ClobbersVCC)
    EXPECT_EQ(Before.VCC, After.VCC);
  if (!P.ClobbersSCC)
    EXPECT_EQ(Before.SCC, After.SCC);
  if (!P.ClobbersM0)
    EXPECT_EQ(Before.M0, After.M0);
  if (!P.UsesFloat)
    EXPECT_EQ(Before.MODE, After.MODE);
}

/// The payload, 256 bytes into a kernel that sets up scratch as kernels do.
AssemblyKernel PayloadRun::kernelAround(const Payload &P) const {
  const StringRef Name = Target.Processor;
  const char *Setup = "";
  // s[2:3] is flat_scratch_init, s4 the workgroup, s5 the wave's offset.
  if (Name == "gfx1030")
    Setup = "s_add_u32 s2, s2, s5\ns_addc_u32 s3, s3, 0\n"
            "s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s2\n"
            "s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s3\n";
  else if (Name == "gfx906" || Name == "gfx908" || Name == "gfx90a")
    Setup = "s_add_u32 flat_scratch_lo, s2, s5\n"
            "s_addc_u32 flat_scratch_hi, s3, 0\n";
  AssemblyKernel Kernel;
  raw_string_ostream OS(Kernel.Body);
  OS << Setup << "s_branch .Lpayload\n.p2align 8\n.Lpayload:\n";
  for (uint8_t Byte : P.Code)
    OS << ".byte " << unsigned(Byte) << "\n";
  OS << "s_nop 0\ns_endpgm\n.fill 64, 4, 0xbf800000\n";
  Kernel.VGPRs = VGPRCount;
  Kernel.AGPRs = hasAGPRs() ? AGPRCount : 0;
  Kernel.SGPRs = SGPRCount;
  Kernel.Lds = LdsSize;
  Kernel.Scratch = ScratchSize;
  return Kernel;
}

PayloadRun::Started PayloadRun::start(const Payload &P,
                                      const WaveState &Before) {
  Started S;
  auto Object = assembleKernel(Target, kernelAround(P));
  if (!Object) {
    ADD_FAILURE() << toString(Object.takeError());
    return S;
  }
  check(luthier_emu_load(Device, Object->data(), Object->size(), &S.Code));
  luthier_emu_kernel_info Info = {};
  Info.struct_size = sizeof(Info);
  check(luthier_emu_kernel(S.Code, "kernel", &Info));
  const uint64_t Begin = Info.entry_address + 256;
  S.End = Begin + P.Code.size();

  luthier_emu_launch Launch = {};
  Launch.struct_size = sizeof(Launch);
  Launch.grid[0] = Launch.workgroup[0] = Target.WaveSize;
  check(luthier_emu_execution_create(S.Code, "kernel", &Launch, &S.Execution));
  uint64_t Wave = 0;
  check(luthier_emu_run_until(S.Execution, &Begin, 1, &Wave));
  fill(S.Execution, Before);
  return S;
}

void PayloadRun::finish(const Started &S) {
  luthier_emu_execution_destroy(S.Execution);
  luthier_emu_unload(S.Code);
}

WaveState PayloadRun::run(const Payload &P, const PayloadABI &ABI,
                          WaveState Before) {
  const Started S = start(P, Before);
  if (!S.Execution)
    return {};
  uint64_t Wave = 0;
  if (!P.Code.empty())
    check(luthier_emu_run_until(S.Execution, &S.End, 1, &Wave));
  EXPECT_EQ(Wave, 0u);
  WaveState After = capture(S.Execution);
  expectAnnounced(P, ABI, Before, After);
  Lds.resize(LdsSize);
  check(luthier_emu_read_lds(S.Execution, 0, 0, LdsSize, Lds.data()));
  finish(S);
  return After;
}

std::string PayloadRun::faultOf(const Payload &P, const WaveState &Before) {
  const Started S = start(P, Before);
  if (!S.Execution)
    return "not started";
  uint64_t Wave = 0;
  const luthier_emu_status Status =
      luthier_emu_run_until(S.Execution, &S.End, 1, &Wave);
  const std::string Fault =
      Status == LUTHIER_EMU_OK ? "" : luthier_emu_error(Device);
  finish(S);
  return Fault;
}

WaveState PayloadRun::runHook(StringRef Hook, std::vector<uint64_t> Constants) {
  const PayloadABI ABI = abi();
  Expected<Payload> P = compile(Hook, ABI, Constants);
  if (!P) {
    ADD_FAILURE() << Hook.str() << ": " << toString(P.takeError());
    return {};
  }
  return run(*P, ABI, initialState(ABI));
}

std::string readsOfFourScalars() {
  std::string IR;
  for (const unsigned Reg :
       {AMDGPU::SGPR4, AMDGPU::SGPR5, AMDGPU::SGPR6, AMDGPU::SGPR7})
    IR += "%s" + std::to_string(Reg - AMDGPU::SGPR4) +
          R"( = call i32 @"luthier::readReg.i32.i32"(i32 )" +
          std::to_string(Reg) + ")\n";
  return IR;
}

} // namespace luthier::test
