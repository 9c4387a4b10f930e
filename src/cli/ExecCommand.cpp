// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier exec`: one kernel on the emulated GPU, through its C API.
#include "cli/Arguments.h"
#include "cli/Commands.h"
#include "cli/ExecArgument.h"
#include "cli/InspectedFile.h"
#include "luthier/Refusal.h"
#include "luthier/emulator.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>
#include <memory>

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
  --seed NUMBER      order of waves, and contents of registers nobody has set
  --threads NUMBER   host threads
  --strict[=CHECKS]  check for what real GPUs would not forgive: all, or a list
                     of poison, hazards, loads=earliest|latest|random,
                     seed=NUMBER, continue
  --counts FILE      write how often each instruction was executed
  --help             this text

The kernel's name and what was executed are printed. The exit code is 1 if the
kernel faults, breaks a rule of strict mode, or cannot be started.

examples:
  luthier exec saxpy.co --kernel saxpy --grid 1024 --block 256 \
      --arg buf:@x.bin --arg 'buf:@y.bin>result.bin' --arg f32:2 --arg u32:1024
  luthier exec ./my-program --target gfx90a --kernel fill --grid 64,2 \
      --block 64 --arg out:4K@fill.bin --counts fill.counts --strict
)";

Error failed(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

struct DeviceDeleter {
  void operator()(luthier_emu_device *D) const {
    luthier_emu_device_destroy(D);
  }
};
struct CodeDeleter {
  void operator()(luthier_emu_code *C) const { luthier_emu_unload(C); }
};

template <class T> T sized() {
  T Result{};
  Result.struct_size = sizeof(T);
  return Result;
}

/// "X", "X,Y" or "X,Y,Z", none of them zero.
Error parseAxes(StringRef Option, const std::string *Text,
                uint32_t (&Axes)[3]) {
  SmallVector<StringRef, 3> Parts;
  std::fill_n(Axes, 3, 1);
  if (Text)
    StringRef(*Text).split(Parts, ',');
  bool Good = !Parts.empty() && Parts.size() <= 3;
  for (size_t N = 0; Good && N != Parts.size(); ++N)
    Good = !Parts[N].getAsInteger(10, Axes[N]) && Axes[N];
  if (Good)
    return Error::success();
  return failed(Text ? Option + " " + *Text + ": one to three numbers from 1 up"
                     : "no " + Option + " given");
}

Error parseNumber(StringRef Option, const std::string *Text, uint64_t Most,
                  uint64_t &Value) {
  Value = 0;
  if (!Text || (parseSize(*Text, Value) && Value <= Most))
    return Error::success();
  return failed(Option + " " + *Text + ": a number up to " + Twine(Most) +
                " is expected");
}

class Run {
public:
  Error prepare(const Arguments &Args, const std::string &Path);
  Error execute();

private:
  Error chooseImage(const Arguments &Args, const std::string &Path);
  Error createDevice(const Arguments &Args);
  Error parseLaunch(const Arguments &Args);
  Error checkArguments();
  Error checkArgument(const luthier_emu_argument_info &Info,
                      const ExecArgument &A, unsigned Number) const;
  Error place();
  Error writeOutputs();
  Error writeCounts();
  Error deviceError() const { return failed(luthier_emu_error(Device.get())); }
  std::vector<luthier_emu_argument_info> explicitArguments() const;

  InspectedFile File;
  const BundledCodeObject *Image = nullptr;
  std::unique_ptr<CodeObject> Object;
  std::string Kernel;
  std::vector<ExecArgument> Given;
  std::vector<uint64_t> Addresses;
  std::vector<uint8_t> Kernarg;
  luthier_emu_launch Launch = sized<luthier_emu_launch>();
  std::string CountsPath;
  std::unique_ptr<luthier_emu_device, DeviceDeleter> Device;
  std::unique_ptr<luthier_emu_code, CodeDeleter> Code;
};

Error Run::prepare(const Arguments &Args, const std::string &Path) {
  if (Error E = parseLaunch(Args))
    return E;
  if (Error E = chooseImage(Args, Path))
    return E;
  if (Error E = createDevice(Args))
    return E;
  return checkArguments();
}

Error Run::parseLaunch(const Arguments &Args) {
  uint64_t Lds, Scratch;
  if (Error E = parseAxes("--grid", Args.value("--grid"), Launch.grid))
    return E;
  if (Error E = parseAxes("--block", Args.value("--block"), Launch.workgroup))
    return E;
  if (Error E = parseNumber("--lds", Args.value("--lds"), UINT32_MAX, Lds))
    return E;
  if (Error E = parseNumber("--scratch", Args.value("--scratch"), UINT32_MAX,
                            Scratch))
    return E;
  Launch.dynamic_lds = uint32_t(Lds);
  Launch.private_segment_size = uint32_t(Scratch);
  for (const std::string &Text : Args.values("--arg")) {
    Expected<ExecArgument> A = ExecArgument::parse(Text);
    if (!A)
      return A.takeError();
    Given.push_back(std::move(*A));
  }
  if (const std::string *Path = Args.value("--counts"))
    CountsPath = *Path;
  return Error::success();
}

Error Run::chooseImage(const Arguments &Args, const std::string &Path) {
  Expected<InspectedFile> Opened =
      InspectedFile::open(Path, Args.value("--target"));
  if (!Opened)
    return Opened.takeError();
  File = std::move(*Opened);
  if (File.Images.size() > 1) {
    std::string Targets;
    for (const BundledCodeObject &I : File.Images)
      Targets += (Targets.empty() ? "" : ", ") + I.Target.str();
    return failed(Path + ": choose a --target from " + Targets);
  }
  Image = &File.Images.front();
  Expected<std::unique_ptr<CodeObject>> Read = CodeObject::create(Image->Bytes);
  if (!Read)
    return failed(Path + ": " + detailOf(Read.takeError()));
  Object = std::move(*Read);
  const std::string *Name = Args.value("--kernel");
  if (!Name)
    return failed("no --kernel given; luthier info lists those there are");
  Expected<const KernelInfo &> Found = findKernelByName(*Object, *Name);
  if (Found) {
    Kernel = Found->Name;
    return Error::success();
  }
  constexpr size_t MostListed = 20;
  std::string Text = detailOf(Found.takeError()) + "; there are:";
  for (const KernelInfo &K : Object->kernels().take_front(MostListed))
    Text += "\n  " + readableName(K.Name);
  if (Object->kernels().size() > MostListed)
    Text += formatv("\n  and {0} more", Object->kernels().size() - MostListed);
  return failed(Text);
}

Error Run::createDevice(const Arguments &Args) {
  uint64_t Seed, Threads;
  if (Error E = parseNumber("--seed", Args.value("--seed"), UINT64_MAX, Seed))
    return E;
  if (Error E =
          parseNumber("--threads", Args.value("--threads"), 1024, Threads))
    return E;
  auto Options = sized<luthier_emu_device_options>();
  Options.target = Image->Target.Processor.c_str();
  Options.seed = Seed;
  Options.threads = uint32_t(Threads);
  Options.count_instructions = !CountsPath.empty();
  std::string Checks;
  if (const std::string *Strict = Args.value("--strict")) {
    Checks = Strict->empty() ? "1" : *Strict;
    Options.strict = Checks.c_str();
  }
  luthier_emu_device *D = nullptr;
  if (luthier_emu_device_create(&Options, &D) != LUTHIER_EMU_OK)
    return failed(luthier_emu_error(nullptr));
  Device.reset(D);
  luthier_emu_code *C = nullptr;
  if (luthier_emu_load(D, Image->Bytes.data(), Image->Bytes.size(), &C) !=
      LUTHIER_EMU_OK)
    return deviceError();
  Code.reset(C);
  return Error::success();
}

std::vector<luthier_emu_argument_info> Run::explicitArguments() const {
  std::vector<luthier_emu_argument_info> All;
  auto Info = sized<luthier_emu_argument_info>();
  for (uint32_t N = 0; luthier_emu_kernel_argument(Code.get(), Kernel.c_str(),
                                                   N, &Info) == LUTHIER_EMU_OK;
       ++N)
    if (!Info.is_hidden)
      All.push_back(Info);
  return All;
}

/// "name: type", as far as the metadata knows.
std::string signatureOf(const luthier_emu_argument_info &Info) {
  std::string Type = *Info.type_name ? std::string(Info.type_name)
                                     : formatv("{0} bytes", Info.size).str();
  return *Info.name ? Info.name + (": " + Type) : Type;
}

Error Run::checkArgument(const luthier_emu_argument_info &Info,
                         const ExecArgument &A, unsigned Number) const {
  if (A.size() == Info.size)
    return Error::success();
  return failed(formatv("argument {0} of {1} ({2}) has {3} bytes, --arg {4} "
                        "has {5}",
                        Number, readableName(Kernel), signatureOf(Info),
                        Info.size, A.Text, A.size()));
}

/// Also lays them out.
Error Run::checkArguments() {
  auto Info = sized<luthier_emu_kernel_info>();
  if (luthier_emu_kernel(Code.get(), Kernel.c_str(), &Info) != LUTHIER_EMU_OK)
    return deviceError();
  const auto Wanted = explicitArguments();
  if (Info.argument_count && Wanted.size() != Given.size()) {
    std::string Text = formatv(
        "{0} takes {1} argument{2}, {3} given", readableName(Kernel),
        Wanted.size(), Wanted.size() == 1 ? "" : "s",
        Given.size() == 1 ? "1 is" : std::to_string(Given.size()) + " are");
    for (const auto &W : Wanted)
      Text += "\n  " + signatureOf(W);
    return failed(Text);
  }
  uint64_t Offset = 0;
  for (size_t N = 0; N != Given.size(); ++N) {
    const ExecArgument &A = Given[N];
    if (Info.argument_count) {
      if (Error E = checkArgument(Wanted[N], A, unsigned(N + 1)))
        return E;
      Offset = Wanted[N].offset;
    } else {
      // Without metadata: as a C structure of numbers and pointers.
      const uint64_t Alignment = std::min<uint64_t>(A.size(), 8);
      Offset = (Offset + Alignment - 1) / Alignment * Alignment;
    }
    Addresses.push_back(Offset);
    Offset += A.size();
    Kernarg.resize(std::max<size_t>(Kernarg.size(), Offset));
  }
  return Error::success();
}

/// Puts buffers into device memory, and values and pointers where the kernel
/// looks for them.
Error Run::place() {
  for (size_t N = 0; N != Given.size(); ++N) {
    ExecArgument &A = Given[N];
    uint8_t *To = Kernarg.data() + Addresses[N];
    if (!A.IsBuffer) {
      std::memcpy(To, A.Bytes.data(), A.Bytes.size());
      continue;
    }
    uint64_t Address;
    if (luthier_emu_allocate(Device.get(), A.Bytes.size(), &Address) !=
            LUTHIER_EMU_OK ||
        luthier_emu_write(Device.get(), Address, A.Bytes.data(),
                          A.Bytes.size()) != LUTHIER_EMU_OK)
      return deviceError();
    std::memcpy(To, &Address, sizeof(Address));
    Addresses[N] = Address;
  }
  Launch.kernarg = Kernarg.data();
  Launch.kernarg_size = uint32_t(Kernarg.size());
  return Error::success();
}

Error Run::execute() {
  if (Error E = place())
    return E;
  auto Stats = sized<luthier_emu_stats>();
  const luthier_emu_status Status =
      luthier_emu_dispatch(Code.get(), Kernel.c_str(), &Launch, &Stats);
  for (size_t N = 0; N != luthier_emu_violation_count(Device.get()); ++N) {
    auto Violation = sized<luthier_emu_violation>();
    luthier_emu_violation_at(Device.get(), N, &Violation);
    errs() << Violation.text << '\n';
  }
  // What a kernel got done is of use, whatever became of it.
  Error Written = writeOutputs();
  if (!Written && !CountsPath.empty())
    Written = writeCounts();
  if (Status != LUTHIER_EMU_OK) {
    consumeError(std::move(Written));
    return deviceError();
  }
  if (Written)
    return Written;
  outs() << readableName(Kernel) << ": " << Stats.wave_instructions
         << " wave instructions, " << Stats.lane_instructions
         << " lane instructions\n";
  return Error::success();
}

Error Run::writeOutputs() {
  for (size_t N = 0; N != Given.size(); ++N) {
    ExecArgument &A = Given[N];
    if (A.OutputPath.empty())
      continue;
    if (luthier_emu_read(Device.get(), Addresses[N], A.Bytes.data(),
                         A.Bytes.size()) != LUTHIER_EMU_OK)
      return deviceError();
    std::error_code Failed;
    raw_fd_ostream OS(A.OutputPath, Failed);
    if (!Failed) {
      OS.write(reinterpret_cast<const char *>(A.Bytes.data()), A.Bytes.size());
      OS.close();
      Failed = OS.error();
      OS.clear_error();
    }
    if (Failed)
      return failed("cannot write " + A.OutputPath + ": " + Failed.message());
  }
  return Error::success();
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
  luthier_emu_kernel(Code.get(), Kernel.c_str(), &Info);
  std::error_code Failed;
  raw_fd_ostream OS(CountsPath, Failed);
  if (Failed)
    return failed("cannot write " + CountsPath + ": " + Failed.message());
  OS << "# address waves lanes instruction\n";
  for (const luthier_emu_count &C : Entries)
    OS << formatv("{0:x8} {1,10} {2,12}  {3}\n", C.pc - Begin, C.waves, C.lanes,
                  luthier_emu_disassemble(Device.get(), C.pc, Info.wave_size));
  return Error::success();
}

} // namespace

int execCommand(int Argc, char **Argv) {
  const auto Args = Arguments::parse(Argc, Argv,
                                     {{"--kernel", true},
                                      {"--target", true},
                                      {"--grid", true},
                                      {"--block", true},
                                      {"--lds", true},
                                      {"--scratch", true},
                                      {"--arg", true, false, true},
                                      {"--seed", true},
                                      {"--threads", true},
                                      {"--strict", false, true},
                                      {"--counts", true},
                                      {"--help"},
                                      {"-h"}});
  if (!Args)
    return Misuse;
  if (Args->has("--help") || Args->has("-h")) {
    outs() << Help;
    return Success;
  }
  const std::string *Path = Args->single("file");
  if (!Path)
    return Misuse;
  Run R;
  if (Error E = R.prepare(*Args, *Path))
    return reportError(std::move(E));
  if (Error E = R.execute())
    return reportError(std::move(E));
  return Success;
}

} // namespace luthier::cli
