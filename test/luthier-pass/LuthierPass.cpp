// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs passes of src/hook on a file, as opt and llc do with LLVM's:
//   luthier-pass --list
//   luthier-pass --target gfx90a [--wave 32] [--compiled-wave 64]
//     [--no-state] [--no-stack] (--pass NAME)... FILE.ll|FILE.mir
//   luthier-pass --target gfx90a ... --until NAME FILE.ll
// "-" is standard input, and machine IR with --mir.
// Each function of the file is a payload. With --pass, those passes run and
// nothing else; LLVM's are known by the names that opt has for them. With
// --until, everything runs up to that pass and with it, code generation
// included. Prints what is left: IR, or machine IR. A refusal or an error goes
// to stderr, and makes the exit code 1.
//
// Registers: the application has s0-s31 and v0-v15; copies of flags are in s32
// and up, in the order of PayloadABI; s39 is the stack pointer; arguments
// arrive from s40 and v18 on; v16 is the state value array and v17 has the
// work-item ids; payloads may allocate from s44 and v20 on.
#include "amdgpu/CompileErrors.h"
#include "amdgpu/RegisterFiles.h"
#include "hook/PassPipeline.h"
#include "hook/ir/PayloadIR.h"
#include "hook/ir/Variables.h"
#include "luthier/Refusal.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/CodeGen/MIRParser/MIRParser.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/IRPrintingPasses.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/InitializePasses.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace luthier;

namespace {

struct Options {
  std::string Processor, Until, File;
  std::vector<std::string> Passes;
  unsigned Wave = 0, CompiledWave = 0;
  bool List = false, IsMIR = false, HasState = true, HasStack = true,
       KeepsBlock = false;
};

[[noreturn]] void fail(const Twine &Message) {
  outs().flush();
  errs() << "luthier-pass: " << Message << '\n';
  std::exit(1);
}

[[noreturn]] void fail(Error E) {
  handleAllErrors(
      std::move(E),
      [](const Refusal &R) {
        fail("refused: " + toString(R.reason()) + ": " + R.detail());
      },
      [](const ErrorInfoBase &E) { fail("error: " + Twine(E.message())); });
  std::exit(1);
}

Options parse(ArrayRef<const char *> Words) {
  Options O;
  for (size_t N = 0; N != Words.size(); ++N) {
    const StringRef Name = Words[N];
    auto value = [&]() -> StringRef {
      if (++N == Words.size())
        fail(Name + " wants a value");
      return Words[N];
    };
    auto number = [&] {
      unsigned Number = 0;
      if (value().getAsInteger(10, Number))
        fail(Name + " wants a number");
      return Number;
    };
    if (Name == "--list")
      O.List = true;
    else if (Name == "--mir")
      O.IsMIR = true;
    else if (Name == "--target")
      O.Processor = value();
    else if (Name == "--wave")
      O.Wave = number();
    else if (Name == "--compiled-wave")
      O.CompiledWave = number();
    else if (Name == "--no-state")
      O.HasState = false;
    else if (Name == "--no-stack")
      O.HasStack = false;
    else if (Name == "--keep-block")
      O.KeepsBlock = true;
    else if (Name == "--pass")
      O.Passes.push_back(value().str());
    else if (Name == "--until")
      O.Until = value();
    else if ((Name != "-" && Name.starts_with("-")) || !O.File.empty())
      fail("unknown option " + Name);
    else
      O.File = Name;
  }
  O.IsMIR |= StringRef(O.File).ends_with(".mir");
  return O;
}

void list() {
  auto print = [](StringRef Title, auto &&Names) {
    outs() << Title << ":\n";
    for (const auto &Name : Names)
      outs() << "  " << Name << '\n';
  };
  auto namesOf = [](const IRPasses &Passes) {
    std::vector<std::string> Names;
    for (const auto &P : Passes)
      Names.push_back(P->name().str());
    return Names;
  };
  print("preparation, on IR", namesOf(preparationPasses()));
  print("lowering, on IR", namesOf(loweringPasses()));
  const char *const Titles[] = {
      "before LLVM's structurizer, on IR", "behind it, on IR",
      "after instruction selection, on machine code", "at the end of SSA form",
      "before the assembly printer"};
  for (const auto &[Where, Title] : enumerate(Titles)) {
    std::vector<std::string> Names;
    for (const CodegenPass &P : codegenPasses())
      if (P.Where == Where)
        Names.push_back(P.Name.str());
    print(Title, Names);
  }
}

PayloadABI abiOf(const amdgpu::MCTarget &Target, const Options &O) {
  const amdgpu::RegisterFiles &Files = Target.registerFiles();
  PayloadABI ABI;
  ABI.WaveSize = O.Wave ? O.Wave : Target.traits().Registers.WaveSize;
  ABI.ApplicationSGPRs = 32;
  ABI.ApplicationVGPRs = 16;
  ABI.VccSave = Files.sgprPair(32);
  ABI.ExecSave = Files.sgprPair(34);
  ABI.SccSave = Files.sgpr(36);
  ABI.M0Save = Files.sgpr(37);
  ABI.ModeSave = Files.sgpr(38);
  if (O.HasStack)
    ABI.StackPointer = Files.sgpr(39);
  ABI.FirstArgumentSGPR = 40;
  ABI.FirstSGPR = 44;
  ABI.SGPRLimit = 96;
  if (O.HasState)
    ABI.State = Files.vgpr(16);
  ABI.WorkItemIds = Files.vgpr(17);
  ABI.FirstArgumentVGPR = 18;
  ABI.FirstVGPR = 20;
  ABI.VGPRLimit = 64;
  if (O.KeepsBlock)
    ABI.Numbers.add(KeptNumber::Block);
  return ABI;
}

class Runner {
public:
  Runner(const amdgpu::MCTarget &Target, const Options &O)
      : O(O), TM(Target.createTargetMachine()), Errors(LLVM),
        C(Target, *TM, Errors, compiledWaveOf(Target, O)) {
    C.ABI = abiOf(Target, O);
  }
  void run();

private:
  static unsigned compiledWaveOf(const amdgpu::MCTarget &Target,
                                 const Options &O) {
    return O.CompiledWave ? O.CompiledWave : abiOf(Target, O).WaveSize;
  }
  void read();
  void makePayload(Function &F);
  bool runIR(StringRef Name);
  void runWithManager(ArrayRef<std::string> Names);
  bool runPipelineIR(const IRPasses &Passes);
  void runPipelineCodegen();
  void check();
  void print();

  const Options &O;
  LLVMContext LLVM;
  amdgpu::TargetMachineHandle TM;
  amdgpu::CompileErrors Errors;
  PassContext C;
  std::unique_ptr<MIRParser> MIR; ///< Where the file is machine IR.
  std::unique_ptr<Module> M;
  /// The last that ran has printed.
  bool IsPrinted = false;
};

void Runner::check() {
  if (!Errors.text().empty())
    fail("error: " + Twine(Errors.text()));
  if (C.hasFailed())
    fail(C.takeFailure());
}

void Runner::makePayload(Function &F) {
  if (F.isDeclaration() && !MIR)
    return;
  setPayloadAttributes(F, *TM);
  for (const std::unique_ptr<IRPass> &P : loweringPasses())
    if (P->name() == "features")
      cantFail(P->run(F, C));
}

void Runner::read() {
  auto Buffer = MemoryBuffer::getFileOrSTDIN(O.File);
  if (!Buffer)
    fail("cannot read " + Twine(O.File));
  SMDiagnostic Diagnostic;
  auto layout = [&](StringRef, StringRef) -> std::optional<std::string> {
    return TM->createDataLayout().getStringRepresentation();
  };
  if (O.IsMIR) {
    MIR = createMIRParser(std::move(*Buffer), LLVM,
                          [&](Function &F) { makePayload(F); });
    M = MIR->parseIRModule(layout);
  } else {
    M = parseIR(**Buffer, Diagnostic, LLVM, ParserCallbacks(layout));
  }
  if (!M) {
    check();
    fail(O.File + ":" + Twine(Diagnostic.getLineNo()) + ": " +
         Diagnostic.getMessage());
  }
  M->setTargetTriple(C.Target.triple());
  if (MIR)
    return;
  for (Function &F : *M)
    makePayload(F);
  Expected<SharedMemory> Shared = sharedMemoryOf(*M);
  if (!Shared)
    fail(Shared.takeError());
  C.Shared = std::move(*Shared);
  for (Function &F : *M)
    if (Error E = collectCounters(F, C.KnownCounters))
      fail(std::move(E));
}

void Runner::print() {
  if (!IsPrinted)
    M->print(outs(), nullptr);
}

/// Returns false where \p Name is none of the passes that the compiler runs.
bool Runner::runIR(StringRef Name) {
  for (const IRPasses &Passes : {preparationPasses(), loweringPasses()})
    for (const std::unique_ptr<IRPass> &P : Passes) {
      if (P->name() != Name)
        continue;
      for (Function &F : *M)
        if (!F.isDeclaration())
          if (Error E = P->run(F, C))
            fail(std::move(E));
      check();
      return true;
    }
  return false;
}

/// Passes of code generation, or LLVM's.
void Runner::runWithManager(ArrayRef<std::string> Names) {
  legacy::PassManager PM;
  PM.add(createTargetTransformInfoWrapperPass(TM->getTargetIRAnalysis()));
  auto *Config = static_cast<TargetPassConfig *>(TM->createPassConfig(PM));
  auto *MMI = new MachineModuleInfoWrapperPass(TM.get());
  PM.add(Config);
  PM.add(MMI);
  for (const std::string &Name : Names) {
    const auto *Own = find_if(
        codegenPasses(), [&](const CodegenPass &P) { return P.Name == Name; });
    if (Own != codegenPasses().end()) {
      PM.add(Own->Create(C));
      continue;
    }
    const PassInfo *Info = PassRegistry::getPassRegistry()->getPassInfo(Name);
    if (!Info || !Info->getNormalCtor())
      fail("there is no pass " + Name);
    PM.add(Info->createPass());
  }
  Config->setInitialized();
  if (MIR) {
    PM.add(createPrintMIRPass(outs()));
    PM.add(createFreeMachineFunctionPass());
    IsPrinted = true;
    if (MIR->parseMachineFunctions(*M, MMI->getMMI())) {
      check();
      fail("cannot read the machine code of " + Twine(O.File));
    }
  }
  PM.run(*M);
  check();
}

/// Returns whether that was the end.
bool Runner::runPipelineIR(const IRPasses &Passes) {
  for (const std::unique_ptr<IRPass> &P : Passes) {
    for (Function &F : *M)
      if (!F.isDeclaration())
        if (Error E = P->run(F, C))
          fail(std::move(E));
    if (P->name() == O.Until)
      return true;
  }
  return false;
}

/// What a payload reports of itself.
void printReport(StringRef Name, const Payload &P) {
  outs() << Name << ": " << P.Code.size() << " bytes";
  auto flag = [](bool Has, const char *Flag) {
    if (Has)
      outs() << ' ' << Flag;
  };
  flag(P.ClobbersSCC, "ClobbersSCC");
  flag(P.ClobbersVCC, "ClobbersVCC");
  flag(P.ClobbersM0, "ClobbersM0");
  flag(P.WritesEXEC, "WritesEXEC");
  flag(P.UsesSCC, "UsesSCC");
  flag(P.UsesVCC, "UsesVCC");
  flag(P.UsesEXEC, "UsesEXEC");
  flag(P.UsesState, "UsesState");
  flag(P.WritesState, "WritesState");
  flag(P.UsesWorkItemIds, "UsesWorkItemIds");
  flag(P.ActsOnWave, "ActsOnWave");
  flag(P.NeedsDistance, "NeedsDistance");
  flag(P.SkipsWithoutLanes, "SkipsWithoutLanes");
  outs() << ", stack " << P.StackSize << ", SGPRs to " << P.SGPREnd
         << ", VGPRs to " << P.VGPREnd << '\n';
}

void Runner::runPipelineCodegen() {
  legacy::PassManager PM;
  bool IsFound = false;
  if (Error E = addCodegen(PM, C, [&](const CodegenPass &P) -> Pass * {
        if (P.Name != O.Until)
          return nullptr;
        IsFound = IsPrinted = true;
        if (P.Where == CodegenPass::AtEnd)
          return nullptr;
        if (P.Where == CodegenPass::BeforeStructurizer ||
            P.Where == CodegenPass::AfterStructurizer)
          return createPrintFunctionPass(outs(), "");
        return createPrintMIRPass(outs());
      }))
    fail(std::move(E));
  if (!IsFound)
    fail("there is no pass " + Twine(O.Until));
  PM.run(*M);
  check();
  if (O.Until == "collect")
    for (const Function &F : *M)
      if (!F.isDeclaration())
        printReport(F.getName(), C.Payloads[F.getName()]);
}

void Runner::run() {
  read();
  if (!O.Until.empty()) {
    if (!runPipelineIR(preparationPasses()) && !runPipelineIR(loweringPasses()))
      runPipelineCodegen();
    print();
    return;
  }
  std::vector<std::string> Together;
  for (const std::string &Name : O.Passes) {
    if (!MIR && Together.empty() && runIR(Name))
      continue;
    Together.push_back(Name);
  }
  if (!Together.empty() || MIR)
    runWithManager(Together);
  print();
}

} // namespace

int main(int Argc, char **Argv) {
  const Options O = parse(ArrayRef(Argv, Argc).drop_front());
  if (O.List) {
    list();
    return 0;
  }
  if (O.Processor.empty() || O.File.empty())
    fail("wants --list, or --target and a file");
  auto Target = amdgpu::MCTarget::get(O.Processor, "");
  if (!Target)
    fail(Target.takeError());
  PassRegistry &Known = *PassRegistry::getPassRegistry();
  initializeCore(Known);
  initializeScalarOpts(Known);
  initializeTransformUtils(Known);
  initializeCodeGen(Known);
  Runner(*Target, O).run();
  return 0;
}
