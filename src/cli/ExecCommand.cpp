// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier exec`: one kernel on the emulated GPU, through its C API.
#include "cli/ChosenKernel.h"
#include "cli/FileCommand.h"
#include "cli/LaunchRequest.h"
#include "pgo/ProfileSum.h"
#include "pgo/RawProfile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier::cli {
namespace {

constexpr char Help[] =
    R"(usage: luthier exec FILE --kernel KERNEL --grid X[,Y[,Z]] --block X[,Y[,Z]]
                    [--arg ARGUMENT]... [options]

Runs one kernel of a code object, an offload bundle, or a program or library
that embeds them, on the emulated GPU. No GPU and no GPU runtime is needed.

what to run:
  --kernel KERNEL    by symbol or by name, as luthier info shows them
  --target TARGET    which code to take if FILE has it for several targets
  --grid X,Y,Z       work-items of the whole grid
  --block X,Y,Z      work-items of a workgroup
  --lds SIZE         bytes of dynamic LDS of a workgroup
  --scratch SIZE     bytes of scratch of a work-item, instead of the kernel's own

arguments, in order; hidden ones are filled in:
  --arg TYPE:VALUE   a number; TYPE is i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64
  --arg hex:BYTES    a structure, as hexadecimal digits
  --arg buf:SIZE     a pointer to so many zeroed bytes (4096, 0x1000, 4K, 1M)
  --arg buf:@FILE    a pointer to a copy of the file
  --arg 'buf:...>FILE'   the same, written to FILE when the kernel has ended
  --arg out:SIZE@FILE    short for 'buf:SIZE>FILE'

how to run, and what to show:
  --seed NUMBER      order of waves, and contents of registers never written
  --threads NUMBER   host threads
  --strict[=CHECKS]  report what real GPUs would not forgive: all, or a list of
                     undefined, hazards, loads=earliest|latest|random,
                     seed=NUMBER, continue
  --counts FILE      write how often each instruction was executed
  --profile FILE     write what the kernel has counted, unless it faults; its code
                     has to be compiled with the flags of luthier pgo flags
                     collect
  --variable NAME@FILE   write what this variable of the code object holds when
                     the kernel has ended
  --help             this text

The kernel's name and what was executed are printed. The exit code is 1 if the
kernel faults, breaks a rule of strict mode, or cannot be started.

examples:
  luthier exec saxpy.co --kernel saxpy --grid 1024 --block 256 \
      --arg buf:@x.bin --arg 'buf:@y.bin>result.bin' --arg f32:2 --arg u32:1024
  luthier exec ./my-program --target gfx90a --kernel fill --grid 64,2 \
      --block 64 --arg out:4K@fill.bin --counts fill.counts --strict
)";

class Run {
public:
  Error prepare(const Arguments &Args, const std::string &Path);
  Error execute();

private:
  Error createDevice(const Arguments &Args);
  Error findVariables(const Arguments &Args);
  Error findCounters(const Arguments &Args, const std::string &Path);
  Error writeResults();
  Error writeProfile();
  Error writeVariables();
  Error writeCounts();

  struct Variable {
    uint64_t Address, Size;
    std::string Path;
  };

  ChosenKernel Chosen;
  DeviceHandle Device;
  CodeHandle Code;
  LaunchRequest Request;
  std::vector<Variable> Variables;
  std::string CountsPath, ProfilePath;
  std::optional<pgo::CounterSections> Counters;
};

Error Run::prepare(const Arguments &Args, const std::string &Path) {
  Expected<ChosenKernel> Found = chooseKernel(Args, Path);
  if (!Found)
    return Found.takeError();
  Chosen = std::move(*Found);
  if (const std::string *Counts = Args.value("--counts"))
    CountsPath = *Counts;
  if (Error E = findCounters(Args, Path))
    return E;
  if (Error E = createDevice(Args))
    return E;
  Expected<LaunchRequest> Read =
      LaunchRequest::read(Args, Code.get(), Chosen.name());
  if (!Read)
    return Read.takeError();
  Request = std::move(*Read);
  return findVariables(Args);
}

Error Run::createDevice(const Arguments &Args) {
  Expected<uint64_t> Seed = numberOf(Args, "--seed", UINT64_MAX);
  if (!Seed)
    return Seed.takeError();
  Expected<uint64_t> Threads = numberOf(Args, "--threads", 1024);
  if (!Threads)
    return Threads.takeError();
  const std::string Strict = strictChecks(Args);
  auto Options = sized<luthier_emu_device_options>();
  Options.target = Chosen.Image->Target.Processor.c_str();
  Options.seed = *Seed;
  Options.threads = uint32_t(*Threads);
  Options.count_instructions = !CountsPath.empty();
  Options.strict = Strict.c_str();
  Expected<DeviceHandle> New = cli::createDevice(Options);
  if (!New)
    return New.takeError();
  Device = std::move(*New);
  Expected<CodeHandle> Loaded = loadCode(Device.get(), Chosen.Image->Bytes);
  if (!Loaded)
    return Loaded.takeError();
  Code = std::move(*Loaded);
  return Error::success();
}

Error Run::findVariables(const Arguments &Args) {
  for (const std::string &Text : Args.values("--variable")) {
    const auto [Name, Path] = StringRef(Text).split('@');
    if (Name.empty() || Path.empty())
      return failed("--variable " + Text + ": NAME@FILE is expected");
    Variable V{0, 0, Path.str()};
    if (luthier_emu_symbol(Code.get(), Name.str().c_str(), &V.Address,
                           &V.Size) != LUTHIER_EMU_OK)
      return failed("--variable " + Text +
                    ": the code object has no variable " + Name);
    Variables.push_back(V);
  }
  return Error::success();
}

Error Run::findCounters(const Arguments &Args, const std::string &Path) {
  const std::string *Profile = Args.value("--profile");
  if (!Profile)
    return Error::success();
  ProfilePath = *Profile;
  auto Found = pgo::findCounterSections(Chosen.Image->Bytes);
  if (!Found)
    return Found.takeError();
  if (!*Found)
    return failed("--profile: " + Path +
                  " does not count: compile it with the flags of luthier pgo "
                  "flags collect");
  Counters = std::move(*Found);
  return Error::success();
}

Error Run::execute() {
  if (Error E = Request.place(Device.get()))
    return E;
  const luthier_emu_launch Launch = Request.launch();
  auto Stats = sized<luthier_emu_stats>();
  const luthier_emu_status Status =
      luthier_emu_dispatch(Code.get(), Chosen.name().c_str(), &Launch, &Stats);
  const std::string Fault = luthier_emu_error(Device.get());
  for (size_t N = 0; N != luthier_emu_violation_count(Device.get()); ++N) {
    auto Violation = sized<luthier_emu_violation>();
    luthier_emu_violation_at(Device.get(), N, &Violation);
    errs() << Violation.text << '\n';
  }
  // What a kernel got done is of use, whatever became of it.
  Error Written = writeResults();
  if (Status != LUTHIER_EMU_OK) {
    consumeError(std::move(Written));
    return failed(Fault);
  }
  if (Written)
    return Written;
  if (Error E = Counters ? writeProfile() : Error::success())
    return E;
  outs() << Chosen.readableName() << ": " << Stats.wave_instructions
         << " wave instructions, " << Stats.lane_instructions
         << " lane instructions\n";
  return Error::success();
}

Error Run::writeResults() {
  if (Error E = Request.writeOutputs(Device.get()))
    return E;
  if (Error E = writeVariables())
    return E;
  return CountsPath.empty() ? Error::success() : writeCounts();
}

Error Run::writeVariables() {
  for (const Variable &V : Variables) {
    std::vector<uint8_t> Bytes(V.Size);
    if (luthier_emu_read(Device.get(), V.Address, Bytes.data(), V.Size) !=
        LUTHIER_EMU_OK)
      return deviceError(Device.get());
    if (Error E = writeFile(V.Path, Bytes))
      return E;
  }
  return Error::success();
}

Error Run::writeProfile() {
  uint64_t Begin = 0, Size = 0;
  luthier_emu_code_range(Code.get(), &Begin, &Size);
  auto Raw = pgo::makeRawProfile(
      *Counters, [&](uint64_t Address, MutableArrayRef<uint8_t> To) -> Error {
        if (luthier_emu_read(Device.get(), Begin + Address, To.data(),
                             To.size()) != LUTHIER_EMU_OK)
          return deviceError(Device.get());
        return Error::success();
      });
  if (!Raw)
    return Raw.takeError();
  pgo::ProfileSum Sum;
  if (Error E = Sum.add(toStringRef(ArrayRef(*Raw)), ProfilePath))
    return E;
  Sum.addTarget(Counters->Processor);
  for (const std::string &Function : Sum.overflown())
    errs() << "luthier: warning: " << Function
           << " has reached a counter's largest number\n";
  for (const std::string &Warning : Sum.warnings())
    errs() << "luthier: warning: " << Warning << '\n';
  return Sum.write(ProfilePath);
}

/// One line per instruction: its address in the code object, how often waves
/// and lanes executed it, and what it is.
Error Run::writeCounts() {
  uint64_t Begin = 0, Size = 0;
  luthier_emu_code_range(Code.get(), &Begin, &Size);
  size_t Count = 0;
  luthier_emu_counts(Device.get(), nullptr, 0, &Count);
  std::vector<luthier_emu_count> Entries(Count);
  luthier_emu_counts(Device.get(), Entries.data(), Count, &Count);
  auto Info = sized<luthier_emu_kernel_info>();
  luthier_emu_kernel(Code.get(), Chosen.name().c_str(), &Info);
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "# address waves lanes instruction\n";
  for (const luthier_emu_count &C : Entries)
    OS << formatv("{0:x8} {1,10} {2,12}  {3}\n", C.pc - Begin, C.waves, C.lanes,
                  luthier_emu_disassemble(Device.get(), C.pc, Info.wave_size));
  return writeFile(CountsPath, arrayRefFromStringRef(Text));
}

} // namespace

int execCommand(int Argc, char **Argv) {
  FileCommand Command{Help,
                      {{"--seed", true},
                       {"--threads", true},
                       {"--strict", false, true},
                       {"--counts", true},
                       {"--profile", true},
                       {"--variable", true, false, true}}};
  append_range(Command.Options, kernelOptions());
  append_range(Command.Options, LaunchRequest::options());
  return runFileCommand(
      Argc, Argv, Command,
      [](const Arguments &Args, const std::string &Path) -> Expected<int> {
        Run R;
        if (Error E = R.prepare(Args, Path))
          return E;
        if (Error E = R.execute())
          return E;
        return Success;
      });
}

} // namespace luthier::cli
