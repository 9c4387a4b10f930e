// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/LaunchRequest.h"
#include "cli/FileCommand.h"
#include "cli/InspectedFile.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;

namespace luthier::cli {
namespace {

using ArgumentInfo = luthier_emu_argument_info;

/// "X", "X,Y" or "X,Y,Z", none of them zero.
Error parseAxes(StringRef Option, StringRef Text, uint32_t (&Axes)[3]) {
  SmallVector<StringRef, 3> Parts;
  std::fill_n(Axes, 3, 1);
  Text.split(Parts, ',');
  bool Good = Parts.size() <= 3;
  for (size_t N = 0; Good && N != Parts.size(); ++N)
    Good = !Parts[N].getAsInteger(10, Axes[N]) && Axes[N];
  if (Good)
    return Error::success();
  return failed(Option + " " + Text + ": one to three numbers from 1 up");
}

std::vector<ArgumentInfo> explicitArguments(luthier_emu_code *Code,
                                            const std::string &Kernel) {
  std::vector<ArgumentInfo> All;
  auto Info = sized<ArgumentInfo>();
  for (uint32_t N = 0; luthier_emu_kernel_argument(Code, Kernel.c_str(), N,
                                                   &Info) == LUTHIER_EMU_OK;
       ++N)
    if (!Info.is_hidden)
      All.push_back(Info);
  return All;
}

/// "name: type", as far as the metadata knows.
std::string signatureOf(const ArgumentInfo &Info) {
  std::string Type = *Info.type_name ? std::string(Info.type_name)
                                     : formatv("{0} bytes", Info.size).str();
  return *Info.name ? Info.name + (": " + Type) : Type;
}

/// Something that may stand behind --arg.
std::string exampleOf(const ArgumentInfo &Info) {
  if (StringRef(Info.kind) == "global_buffer")
    return "buf:4K";
  const StringRef Type = Info.type_name;
  if (Type == "float" || Type == "double" || Type == "half")
    return formatv("f{0}:1", 8 * Info.size);
  if (isPowerOf2_32(Info.size) && Info.size <= 8)
    return formatv("u{0}:1", 8 * Info.size);
  return "hex:" + std::string(2 * std::min<size_t>(Info.size, 32), '0') +
         (Info.size > 32 ? "..." : "");
}

/// How a kernel could be launched, for errors.
std::string teach(luthier_emu_code *Code, const std::string &Kernel) {
  std::string Text, Options = " --grid 1024 --block 64";
  for (const ArgumentInfo &A : explicitArguments(Code, Kernel)) {
    Text += "\n  " + signatureOf(A);
    Options += " --arg " + exampleOf(A);
  }
  return Text + "\nfor example:" + Options;
}

Error checkArgument(const std::string &Kernel, const ArgumentInfo &Info,
                    const ExecArgument &A, size_t Number) {
  if (A.size() == Info.size)
    return Error::success();
  return failed(formatv("argument {0} of {1} ({2}) has {3} bytes, --arg {4} "
                        "has {5}",
                        Number, readableName(Kernel), signatureOf(Info),
                        Info.size, A.Text, A.size()));
}

} // namespace

std::vector<OptionSpec> LaunchRequest::options() {
  return {{"--grid", true},
          {"--block", true},
          {"--lds", true},
          {"--scratch", true},
          {"--arg", true, false, true}};
}

Expected<LaunchRequest> LaunchRequest::read(const Arguments &Args,
                                            luthier_emu_code *Code,
                                            std::string Kernel) {
  LaunchRequest Result;
  Result.Kernel = std::move(Kernel);
  for (const char *Needed : {"--grid", "--block"})
    if (!Args.has(Needed))
      return failed(Twine("no ") + Needed + " given for " +
                    readableName(Result.Kernel) + teach(Code, Result.Kernel));
  if (Error E = Result.readShape(Args))
    return E;
  for (const std::string &Text : Args.values("--arg")) {
    Expected<ExecArgument> A = ExecArgument::parse(Text);
    if (!A)
      return A.takeError();
    Result.Given.push_back(std::move(*A));
  }
  if (Error E = Result.layOut(Code))
    return E;
  return Result;
}

Error LaunchRequest::readShape(const Arguments &Args) {
  if (Error E = parseAxes("--grid", *Args.value("--grid"), Shape.grid))
    return E;
  if (Error E = parseAxes("--block", *Args.value("--block"), Shape.workgroup))
    return E;
  Expected<uint64_t> Lds = numberOf(Args, "--lds", UINT32_MAX);
  if (!Lds)
    return Lds.takeError();
  Expected<uint64_t> Scratch = numberOf(Args, "--scratch", UINT32_MAX);
  if (!Scratch)
    return Scratch.takeError();
  Shape.dynamic_lds = uint32_t(*Lds);
  Shape.private_segment_size = uint32_t(*Scratch);
  return Error::success();
}

Error LaunchRequest::layOut(luthier_emu_code *Code) {
  auto Info = sized<luthier_emu_kernel_info>();
  if (luthier_emu_kernel(Code, Kernel.c_str(), &Info) != LUTHIER_EMU_OK)
    return failed("the code object does not describe " + Kernel);
  const auto Wanted = explicitArguments(Code, Kernel);
  if (Info.argument_count && Wanted.size() != Given.size())
    return failed(
        formatv("{0} takes {1} argument{2}, {3} given", readableName(Kernel),
                Wanted.size(), Wanted.size() == 1 ? "" : "s",
                Given.size() == 1 ? "1 is"
                                  : std::to_string(Given.size()) + " are") +
        teach(Code, Kernel));
  uint64_t Offset = 0;
  for (size_t N = 0; N != Given.size(); ++N) {
    const ExecArgument &A = Given[N];
    if (Info.argument_count) {
      if (Error E = checkArgument(Kernel, Wanted[N], A, N + 1))
        return E;
      Offset = Wanted[N].offset;
    } else {
      // Without metadata: as a C structure of numbers and pointers.
      Offset = alignTo(Offset, std::min<uint64_t>(A.size(), 8));
    }
    Offsets.push_back(Offset);
    Offset += A.size();
    Kernarg.resize(std::max<size_t>(Kernarg.size(), Offset));
  }
  return Error::success();
}

Error LaunchRequest::place(luthier_emu_device *Device) {
  for (size_t N = 0; N != Given.size(); ++N) {
    const ExecArgument &A = Given[N];
    uint8_t *To = Kernarg.data() + Offsets[N];
    uint64_t Address = 0;
    if (!A.IsBuffer) {
      std::memcpy(To, A.Bytes.data(), A.Bytes.size());
    } else {
      if (luthier_emu_allocate(Device, A.Bytes.size(), &Address) !=
              LUTHIER_EMU_OK ||
          luthier_emu_write(Device, Address, A.Bytes.data(), A.Bytes.size()) !=
              LUTHIER_EMU_OK)
        return deviceError(Device);
      std::memcpy(To, &Address, sizeof(Address));
    }
    Addresses.push_back(Address);
  }
  return Error::success();
}

luthier_emu_launch LaunchRequest::launch() const {
  luthier_emu_launch Result = Shape;
  Result.kernarg = Kernarg.data();
  Result.kernarg_size = uint32_t(Kernarg.size());
  return Result;
}

Error LaunchRequest::writeOutputs(luthier_emu_device *Device) const {
  for (auto [A, Address] : zip(Given, Addresses)) {
    if (A.OutputPath.empty())
      continue;
    std::vector<uint8_t> Bytes(A.Bytes.size());
    if (luthier_emu_read(Device, Address, Bytes.data(), Bytes.size()) !=
        LUTHIER_EMU_OK)
      return deviceError(Device);
    if (Error E = writeFile(A.OutputPath, Bytes))
      return E;
  }
  return Error::success();
}

} // namespace luthier::cli
