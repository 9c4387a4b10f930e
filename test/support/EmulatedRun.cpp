// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EmulatedRun.h"
#include "CarriedOver.h"
#include "amdgpu/MCTarget.h"
#include "lift/Decoder.h"
#include "lift/Lifter.h"
#include "luthier/emulator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/SourceMgr.h"
#include <cstring>

using namespace llvm;

namespace luthier::test {

static constexpr uint64_t CountersSize = 8192 * 8;

Expected<TestHooks> hooksFromIR(const std::string &IR) {
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
  if (!M)
    return createStringError("hooks: " + Diagnostic.getMessage() + " in line " +
                             Twine(Diagnostic.getLineNo()));
  M->setDataLayout(M->getTargetTriple().computeDataLayout());
  SmallVector<char> Bitcode;
  raw_svector_ostream OS(Bitcode);
  WriteBitcodeToFile(*M, OS);
  return TestHooks{{Bitcode.begin(), Bitcode.end()}, {}};
}

Expected<TestHooks> hooksFromHip(const EngineTarget &T,
                                 const std::string &Source) {
  Expected<Bytes> Object = compileHooks(T, Source);
  if (!Object)
    return Object.takeError();
  auto Parsed = CodeObject::create(*Object);
  if (!Parsed)
    return Parsed.takeError();
  std::optional<ArrayRef<uint8_t>> Bitcode = (*Parsed)->section(".llvmbc");
  if (!Bitcode)
    return createStringError("the plugin has embedded no bitcode");
  return TestHooks{{Bitcode->begin(), Bitcode->end()}, std::move(*Object)};
}

std::vector<uint64_t> Judgement::counters() const {
  auto Found = Variables.find("Counters");
  if (Found == Variables.end())
    return {};
  std::vector<uint64_t> Words(Found->second.size() / 8);
  std::memcpy(Words.data(), Found->second.data(), Words.size() * 8);
  return Words;
}

uint64_t Judgement::variable(const std::string &Name) const {
  uint64_t Value = 0;
  const Bytes &Contents = Variables.at(Name);
  std::memcpy(&Value, Contents.data(), std::min<size_t>(8, Contents.size()));
  return Value;
}

namespace {

template <class T> T sized() {
  T Result{};
  Result.struct_size = sizeof(T);
  return Result;
}

using DeviceHandle =
    std::unique_ptr<luthier_emu_device, decltype(&luthier_emu_device_destroy)>;
using CodeHandle =
    std::unique_ptr<luthier_emu_code, decltype(&luthier_emu_unload)>;
using ExecutionHandle =
    std::unique_ptr<luthier_emu_execution,
                    decltype(&luthier_emu_execution_destroy)>;

/// Ends the judgement with a text.
struct Problem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Memory and code of one judgement, and what is done with them.
class Judging {
public:
  Judging(const EngineTarget &T, const CodeObject &Object,
          const KernelLaunch &Launch, const JudgeOptions &Options,
          Judgement &Result);

  void setUp(const TestHooks &Hooks);
  void instrument(const std::shared_ptr<const CodeObject> &Object,
                  const Mutator &Mutate);
  void runOriginal();
  void runInstrumented();
  void runWithLimit(luthier_emu_execution *E, const DeviceHandle &On);
  void runInLockstep(uint64_t Seed);

private:
  struct Variable {
    std::string Name;
    uint64_t Address, Size;
  };
  struct Buffer {
    uint64_t Address;
    size_t Words;
  };
  void check(luthier_emu_status Status, const char *What,
             luthier_emu_device *On) const {
    if (Status != LUTHIER_EMU_OK)
      throw Problem(std::string(What) + ": " + luthier_emu_status_name(Status) +
                    ": " + luthier_emu_error(On));
  }
  CodeHandle load(const Bytes &Object, const char *What);
  DeviceHandle clone() const;
  using Contents = std::vector<std::vector<uint32_t>>;
  luthier_emu_stats run(const CodeHandle &Code, const DeviceHandle &On);
  std::optional<Contents> resultsElsewhere();
  void compareResults(const Contents &Found);
  CodeHandle copyOf(const CodeHandle &Code, const DeviceHandle &On) const;
  void findVariables(const TestHooks &Hooks);
  void placeArguments();
  void checkDescriptor() const;
  uint32_t applicationScratch() const;
  luthier_emu_launch launchOf(bool IsInstrumented) const;
  Contents buffers(const DeviceHandle &On) const;
  std::string explain(const luthier_emu_difference &D,
                      const DeviceHandle &On) const;

  const EngineTarget &T;
  const KernelInfo *Kernel;
  const KernelLaunch &Launch;
  const JudgeOptions &Options;
  Judgement &Result;

  DeviceHandle Device{nullptr, luthier_emu_device_destroy};
  CodeHandle Original{nullptr, luthier_emu_unload},
      Elsewhere{nullptr, luthier_emu_unload}, ///< The original.
      Instrumented{nullptr, luthier_emu_unload},
      Tool{nullptr, luthier_emu_unload};
  uint64_t Bias = 0;
  HookModule Module;
  std::vector<Variable> Variables;
  std::vector<Buffer> Buffers;
  Bytes Kernarg;
  std::map<uint64_t, uint64_t> ToOriginal;
};

Judging::Judging(const EngineTarget &T, const CodeObject &Object,
                 const KernelLaunch &Launch, const JudgeOptions &Options,
                 Judgement &Result)
    : T(T), Launch(Launch), Options(Options), Result(Result) {
  if (Object.kernels().empty())
    throw Problem("the code object has no kernel");
  Kernel = Launch.Kernel.empty() ? &Object.kernels().front()
                                 : Object.findKernel(Launch.Kernel);
  if (!Kernel)
    throw Problem("no kernel named " + Launch.Kernel);
  auto DeviceOptions = sized<luthier_emu_device_options>();
  DeviceOptions.target = T.Processor;
  DeviceOptions.seed = Options.DeviceSeed;
  DeviceOptions.strict = Options.Strict.c_str();
  luthier_emu_device *New = nullptr;
  check(luthier_emu_device_create(&DeviceOptions, &New), "device", nullptr);
  Device.reset(New);
  Original = load(Bytes(Object.bytes()), "the original");
  Elsewhere = load(Bytes(Object.bytes()), "the original once more");
  auto Info = sized<luthier_emu_kernel_info>();
  check(luthier_emu_kernel(Original.get(), Kernel->Name.c_str(), &Info),
        "the original", Device.get());
  Bias = Info.entry_address - Kernel->EntryAddress;
}

CodeHandle Judging::load(const Bytes &Object, const char *What) {
  luthier_emu_code *Code = nullptr;
  check(luthier_emu_load(Device.get(), Object.data(), Object.size(), &Code),
        What, Device.get());
  return {Code, luthier_emu_unload};
}

DeviceHandle Judging::clone() const {
  luthier_emu_device *New = nullptr;
  check(luthier_emu_clone(Device.get(), &New), "clone", Device.get());
  return {New, luthier_emu_device_destroy};
}

CodeHandle Judging::copyOf(const CodeHandle &Code,
                           const DeviceHandle &On) const {
  luthier_emu_code *Copy = nullptr;
  check(luthier_emu_clone_code(On.get(), Code.get(), &Copy), "clone", On.get());
  return {Copy, luthier_emu_unload};
}

void Judging::findVariables(const TestHooks &Hooks) {
  if (Hooks.Object.empty()) {
    uint64_t Address = 0;
    check(luthier_emu_allocate(Device.get(), CountersSize, &Address),
          "Counters", Device.get());
    Variables.push_back({"Counters", Address, CountersSize});
    return;
  }
  Tool = load(Hooks.Object, "the hooks' code object");
  auto Elf = object::ELF64LEObjectFile::create(
      MemoryBufferRef(toStringRef(Hooks.Object), "hooks"));
  if (!Elf)
    throw Problem(toString(Elf.takeError()));
  for (const object::ELFSymbolRef Symbol : Elf->getDynamicSymbolIterators()) {
    Expected<StringRef> Name = Symbol.getName();
    if (!Name || Symbol.getELFType() != ELF::STT_OBJECT ||
        Name->ends_with(".kd")) {
      consumeError(Name.takeError());
      continue;
    }
    Variable V{Name->str(), 0, 0};
    check(luthier_emu_symbol(Tool.get(), V.Name.c_str(), &V.Address, &V.Size),
          V.Name.c_str(), Device.get());
    Variables.push_back(V);
  }
}

void Judging::placeArguments() {
  for (const KernelArguments::Item &Item : Launch.Arguments.Items) {
    Bytes Value = Item.Value;
    if (Item.IsBuffer) {
      const uint64_t Size = std::max<uint64_t>(Item.Contents.size() * 4, 4);
      uint64_t Address = 0;
      check(luthier_emu_allocate(Device.get(), Size, &Address), "buffer",
            Device.get());
      check(luthier_emu_write(Device.get(), Address, Item.Contents.data(),
                              Item.Contents.size() * 4),
            "buffer", Device.get());
      Buffers.push_back({Address, Item.Contents.size()});
      Value.resize(8);
      std::memcpy(Value.data(), &Address, 8);
    }
    Kernarg.resize(alignTo(Kernarg.size(), Value.size()));
    Kernarg.insert(Kernarg.end(), Value.begin(), Value.end());
  }
}

void Judging::setUp(const TestHooks &Hooks) {
  findVariables(Hooks);
  Module.ToolName = "test";
  Module.Bitcode = Hooks.Bitcode;
  for (const Variable &V : Variables)
    Module.Variables[V.Name] = V.Address;
  placeArguments();
}

void Judging::instrument(const std::shared_ptr<const CodeObject> &Object,
                         const Mutator &Mutate) {
  InstrumenterOptions How = Options.Engine;
  How.LoadBias = Bias;
  How.ApplicationStack = std::max(How.ApplicationStack, applicationScratch());
  auto LR = liftKernel(Object, *Kernel);
  Expected<InstrumentedKernel> New = [&]() -> Expected<InstrumentedKernel> {
    if (!LR)
      return LR.takeError();
    InstrumentationTask Task;
    Mutate(**LR, Task);
    return instrumentKernel(
        **LR, Task,
        [&](const void *Handle) -> Expected<HookReference> {
          return HookReference{&Module, static_cast<const char *>(Handle)};
        },
        How, Options.SelfTest);
  }();
  if (!New) {
    std::string Text;
    handleAllErrors(
        New.takeError(),
        [&](const Refusal &R) {
          Result.Refused = R.reason();
          Text = "refused: " + toString(R.reason()).str() + ": " +
                 R.detail().str();
        },
        [&](const ErrorInfoBase &E) { Text = E.message(); });
    throw Problem("instrumenting: " + Text);
  }
  Result.Instrumented = std::move(*New);
  checkDescriptor();
  Instrumented =
      load(Result.Instrumented.CodeObject, "the instrumented kernel");
  auto Info = sized<luthier_emu_kernel_info>();
  check(luthier_emu_kernel(Instrumented.get(), Kernel->Name.c_str(), &Info),
        "the instrumented kernel", Device.get());
  for (const PCPair &P : Result.Instrumented.Map)
    ToOriginal[Info.entry_address + P.Offset] = P.Original + Bias;
}

/// Emulation does without some of what it says.
void Judging::checkDescriptor() const {
  auto Object = CodeObject::create(Result.Instrumented.CodeObject);
  if (!Object)
    throw Problem("the instrumented kernel: " + toString(Object.takeError()));
  const KernelInfo *New = (*Object)->findKernel(Kernel->Name);
  if (!New)
    throw Problem("the instrumented kernel has another name");
  const std::string Lost =
      notCarriedOver(T, Kernel->Descriptor, New->Descriptor);
  if (!Lost.empty())
    throw Problem("not carried over: " + Lost);
}

/// What the packet asks for on behalf of the application.
uint32_t Judging::applicationScratch() const {
  if (Launch.Scratch || !Kernel->Descriptor.usesDynamicStack())
    return Launch.Scratch;
  // Enough for the calls of tests, as the emulator has it without a packet.
  return std::max(Kernel->Metadata.PrivateSegmentSize, 1024u);
}

luthier_emu_launch Judging::launchOf(bool IsInstrumented) const {
  auto L = sized<luthier_emu_launch>();
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    L.grid[Axis] = Launch.Grid[Axis];
    L.workgroup[Axis] = Launch.Workgroup[Axis];
  }
  L.kernarg = Kernarg.data();
  L.kernarg_size = Kernarg.size();
  L.dynamic_lds = Launch.DynamicLds;
  L.private_segment_size = applicationScratch();
  auto Old = sized<luthier_emu_kernel_info>(), New = Old;
  luthier_emu_kernel(Original.get(), Kernel->Name.c_str(), &Old);
  if (Instrumented)
    luthier_emu_kernel(Instrumented.get(), Kernel->Name.c_str(), &New);
  // What a runtime would put into the packet.
  const uint32_t OldScratch =
      std::max(Old.private_segment_size, applicationScratch());
  const uint32_t NewScratch =
      std::max({OldScratch, New.private_segment_size,
                Result.Instrumented.PrivateSegmentSize});
  L.scratch_reserve = NewScratch;
  if (!IsInstrumented)
    return L;
  if (NewScratch)
    L.private_segment_size = NewScratch;
  const uint32_t OldLds = Old.group_segment_size + Launch.DynamicLds;
  const uint32_t Extra = Result.Instrumented.ExtraGroupSegment;
  const uint32_t Lds = Extra ? alignTo(OldLds, 16) + Extra : OldLds;
  L.dynamic_lds = Lds - std::min(Lds, New.group_segment_size);
  return L;
}

Judging::Contents Judging::buffers(const DeviceHandle &On) const {
  Contents All;
  for (const Buffer &B : Buffers) {
    std::vector<uint32_t> &Words = All.emplace_back(B.Words);
    check(luthier_emu_read(On.get(), B.Address, Words.data(), B.Words * 4),
          "buffer", On.get());
  }
  return All;
}

/// Lets waves take turns for as long as the original may run.
void Judging::runWithLimit(luthier_emu_execution *E, const DeviceHandle &On) {
  constexpr uint64_t Turn = 4096;
  const uint64_t NumWaves = luthier_emu_wave_count(E);
  uint64_t Left = Options.MostInstructions;
  for (uint64_t Done = Turn; Done;) {
    Done = 0;
    for (uint64_t W = 0; W != NumWaves; ++W) {
      uint64_t Steps = 0;
      auto Info = sized<luthier_emu_wave_info>();
      luthier_emu_wave(E, W, &Info);
      if (Info.state != LUTHIER_EMU_WAVE_READY &&
          Info.state != LUTHIER_EMU_WAVE_AT_BARRIER)
        continue;
      check(luthier_emu_step(E, W, Turn, &Steps), "the original", On.get());
      Done += Steps;
    }
    if (Done > Left)
      throw Problem("the original does not end in " +
                    std::to_string(Options.MostInstructions) + " instructions");
    Left -= Done;
  }
}

/// Runs the original, which \p Code is a copy of.
luthier_emu_stats Judging::run(const CodeHandle &Code, const DeviceHandle &On) {
  luthier_emu_launch L = launchOf(false);
  luthier_emu_execution *New = nullptr;
  check(
      luthier_emu_execution_create(Code.get(), Kernel->Name.c_str(), &L, &New),
      "the original", On.get());
  ExecutionHandle E(New, luthier_emu_execution_destroy);
  if (Options.MostInstructions)
    runWithLimit(E.get(), On);
  auto Stats = sized<luthier_emu_stats>();
  check(luthier_emu_run(E.get(), &Stats), "the original, alone", On.get());
  return Stats;
}

void Judging::runOriginal() {
  DeviceHandle On = clone();
  CodeHandle Code = copyOf(Original, On);
  Result.IsUnfit = Options.MostInstructions != 0;
  const luthier_emu_stats Stats = run(Code, On);
  Result.IsUnfit = false;
  Result.WaveInstructions = Stats.wave_instructions;
  Result.LaneInstructions = Stats.lane_instructions;
  Result.Buffers = buffers(On);
}

/// What the original computes where it lies elsewhere; null if it fails there.
/// Matrix operations also read lanes that are inactive, in which LLVM may have
/// left addresses of code. Pages are what is moved: what depends on lower bits
/// is not seen.
std::optional<Judging::Contents> Judging::resultsElsewhere() {
  DeviceHandle On = clone();
  CodeHandle Code = copyOf(Elsewhere, On);
  try {
    run(Code, On);
  } catch (const Problem &) {
    return std::nullopt;
  }
  return buffers(On);
}

/// A difference that where the original lies does not explain tells more than
/// one that it does.
void Judging::compareResults(const Contents &Found) {
  if (Found == Result.Buffers)
    return;
  const std::optional<Contents> Moved = resultsElsewhere();
  std::string Text;
  Result.IsUnfit = true;
  for (size_t B = 0; B != Found.size() && Result.IsUnfit; ++B)
    for (size_t N = 0; N != Found[B].size() && Result.IsUnfit; ++N) {
      const uint32_t Expected = Result.Buffers[B][N];
      if (Found[B][N] == Expected)
        continue;
      Result.IsUnfit = Moved && (*Moved)[B][N] != Expected;
      Text = "alone: word " + std::to_string(N) + " of buffer " +
             std::to_string(B) + " is 0x" + utohexstr(Found[B][N]) +
             ", not 0x" + utohexstr(Expected);
    }
  throw Problem(Text +
                (Result.IsUnfit ? "; where the original lies matters" : ""));
}

void Judging::runInstrumented() {
  DeviceHandle After = clone();
  CodeHandle New = copyOf(Instrumented, After);
  luthier_emu_launch NewLaunch = launchOf(true);
  const luthier_emu_status Status = luthier_emu_dispatch(
      New.get(), Kernel->Name.c_str(), &NewLaunch, nullptr);
  auto Last = sized<luthier_emu_violation>();
  const bool IsInPayload =
      Status == LUTHIER_EMU_VIOLATION &&
      luthier_emu_violation_at(After.get(),
                               luthier_emu_violation_count(After.get()) - 1,
                               &Last) == LUTHIER_EMU_OK &&
      !ToOriginal.contains(Last.pc);
  check(Status,
        IsInPayload ? "the instrumented kernel, alone, in a payload"
                    : "the instrumented kernel, alone",
        After.get());
  for (const Variable &V : Variables) {
    Bytes &Contents = Result.Variables[V.Name];
    Contents.resize(V.Size);
    check(luthier_emu_read(After.get(), V.Address, Contents.data(), V.Size),
          V.Name.c_str(), After.get());
  }
  Result.InstrumentedBuffers = buffers(After);
  compareResults(Result.InstrumentedBuffers);
}

/// The difference with the code before it: "+" marks payload, "*" the
/// instruction that wrote the register.
std::string Judging::explain(const luthier_emu_difference &D,
                             const DeviceHandle &On) const {
  std::string Text = D.text;
  // Or where in a payload it stopped.
  auto To = ToOriginal.lower_bound(D.instrumented_pc);
  if (To == ToOriginal.end())
    return Text;
  auto From = To;
  for (unsigned N = 0; N != 3 && From != ToOriginal.begin(); ++N)
    --From;
  std::vector<std::string> Lines;
  if (From->first > D.instrumented_pc)
    return Text;
  Bytes Code(D.instrumented_pc - From->first + 4);
  luthier_emu_read(On.get(), From->first, Code.data(), Code.size());
  auto Target = amdgpu::MCTarget::get(T.Processor, T.features());
  if (!Target)
    return Text + "\n" + toString(Target.takeError());
  Decoder Decode(*Target);
  for (size_t At = 0; At < Code.size();) {
    const uint64_t PC = From->first + At;
    const char *Line = luthier_emu_disassemble(On.get(), PC, T.WaveSize);
    Lines.push_back((D.writer_pc == PC         ? "  * "
                     : ToOriginal.contains(PC) ? "    "
                                               : "  + ") +
                    utohexstr(PC) + " " + (Line ? Line : "?"));
    auto D = Decode.first(ArrayRef(Code).drop_front(At), PC);
    At += D ? D->Size : 4;
    consumeError(D.takeError());
  }
  constexpr size_t Most = 60;
  const size_t First = Lines.size() - std::min(Lines.size(), Most);
  for (size_t N = First; N != Lines.size(); ++N)
    Text += "\n" + Lines[N];
  if (D.writer_pc)
    if (const char *Line =
            luthier_emu_disassemble(On.get(), D.writer_pc, T.WaveSize))
      Text += "\n  last written at " + utohexstr(D.writer_pc) + " by " + Line;
  return Text;
}

void Judging::runInLockstep(uint64_t Seed) {
  DeviceHandle A = clone(), B = clone();
  CodeHandle Old = copyOf(Original, A), New = copyOf(Instrumented, B);
  luthier_emu_launch OldLaunch = launchOf(false), NewLaunch = launchOf(true);
  auto create = [&](const CodeHandle &Code, const luthier_emu_launch &L,
                    const DeviceHandle &On) {
    luthier_emu_execution *E = nullptr;
    check(
        luthier_emu_execution_create(Code.get(), Kernel->Name.c_str(), &L, &E),
        "launch", On.get());
    return ExecutionHandle(E, luthier_emu_execution_destroy);
  };
  ExecutionHandle OldRun = create(Old, OldLaunch, A),
                  NewRun = create(New, NewLaunch, B);
  std::vector<luthier_emu_pc_pair> Map;
  for (const auto &[Here, There] : ToOriginal)
    Map.push_back({Here, There});
  std::vector<luthier_emu_range> Ignored;
  for (const Variable &V : Variables)
    Ignored.push_back({V.Address, V.Address + V.Size});
  auto How = sized<luthier_emu_lockstep_options>();
  How.map = Map.data();
  How.map_count = Map.size();
  uint64_t Begin = 0, Size = 0;
  luthier_emu_code_range(Old.get(), &Begin, &Size);
  How.in_place = {Begin, Begin + Size};
  How.ignored = Ignored.data();
  How.ignored_count = Ignored.size();
  How.seed = Seed;
  How.strict = Options.Strict.c_str();
  // Code that depends on its position is written differently.
  How.allow_other_instructions = 1;
  How.only_what_is_read = Options.OnlyWhatIsRead;
  auto Difference = sized<luthier_emu_difference>();
  const luthier_emu_status Status =
      luthier_emu_lockstep(OldRun.get(), NewRun.get(), &How, &Difference);
  if (Status == LUTHIER_EMU_DIFFERENT)
    throw Problem("lockstep, seed " + std::to_string(Seed) + ": " +
                  (StringRef(Difference.kind) == "violation" &&
                           !ToOriginal.contains(Difference.instrumented_pc)
                       ? "in a payload: "
                       : "") +
                  explain(Difference, B));
  check(Status, "lockstep", A.get());
}

} // namespace

Judgement judge(const EngineTarget &T,
                const std::shared_ptr<const CodeObject> &Object,
                const KernelLaunch &Launch, const TestHooks &Hooks,
                const Mutator &Mutate, const JudgeOptions &Options) {
  Judgement Result;
  try {
    Judging J(T, *Object, Launch, Options, Result);
    J.setUp(Hooks);
    if (Options.RunAlone || Options.MostInstructions)
      J.runOriginal();
    J.instrument(Object, Mutate);
    // Where something is wrong, lockstep ends; the kernel alone might not.
    for (uint64_t Seed : Options.Seeds)
      J.runInLockstep(Seed);
    if (Options.RunAlone)
      J.runInstrumented();
  } catch (const Problem &P) {
    Result.Problem = T.name() + ": " + P.what();
  }
  return Result;
}

} // namespace luthier::test
