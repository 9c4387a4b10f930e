// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/KernelComparison.h"
#include "cli/FileCommand.h"
#include "codeobject/CodeObjectExtender.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace luthier::cli {

Expected<DeviceHandle> deviceFor(const ChosenKernel &Chosen, uint64_t Seed,
                                 const std::string &Strict) {
  auto Options = sized<luthier_emu_device_options>();
  Options.target = Chosen.Image->Target.Processor.c_str();
  Options.seed = Seed;
  Options.strict = Strict.empty() ? nullptr : Strict.c_str();
  return createDevice(Options);
}

Error KernelComparison::load(Side &S, ArrayRef<uint8_t> CodeObject) {
  Expected<CodeHandle> Loaded = loadCode(S.Device.get(), CodeObject);
  if (!Loaded)
    return Loaded.takeError();
  S.Code = std::move(*Loaded);
  if (luthier_emu_kernel(S.Code.get(), What.Chosen.name().c_str(), &S.Info) !=
      LUTHIER_EMU_OK)
    return deviceError(S.Device.get());
  return Error::success();
}

/// Buffers and code, at the same addresses on both devices.
Error KernelComparison::load(uint64_t Seed) {
  Expected<DeviceHandle> Device = deviceFor(What.Chosen, Seed);
  if (!Device)
    return Device.takeError();
  Old.Device = std::move(*Device);
  if (Error E = Launch.place(Old.Device.get()))
    return E;
  Expected<DeviceHandle> Clone = cloneDevice(Old.Device.get());
  if (!Clone)
    return Clone.takeError();
  New.Device = std::move(*Clone);
  if (Error E = load(Old, Made.Uninstrumented))
    return E;
  if (Error E = load(New, Made.CodeObject))
    return E;
  Bias = Old.Info.descriptor_address - What.Chosen.Kernel->DescriptorAddress;
  return Error::success();
}

Error KernelComparison::start(Side &S) {
  luthier_emu_launch L = Launch.launch();
  if (What.LaunchStack)
    L.private_segment_size =
        std::max(What.LaunchStack, S.Info.private_segment_size);
  // The larger version's, so that scratch lies at the same addresses.
  L.scratch_reserve = std::max(What.LaunchStack, New.Info.private_segment_size);
  luthier_emu_execution *Created = nullptr;
  if (luthier_emu_execution_create(S.Code.get(), What.Chosen.name().c_str(), &L,
                                   &Created) != LUTHIER_EMU_OK)
    return deviceError(S.Device.get());
  S.Execution.reset(Created);
  return Error::success();
}

std::string KernelComparison::line(const char *Result,
                                   const Twine &Text) const {
  std::string Line = Text.str();
  llvm::replace(Line, '\n', ' ');
  return Result + ("\t" + What.Chosen.name()) + "\t" + Line;
}

/// The hooks that wrote the register, else those that ran last. Payload lies
/// before the instruction that it belongs to.
std::string KernelComparison::hooksNear(const luthier_emu_difference &D) const {
  uint64_t At = D.original_pc;
  if (D.writer_pc)
    for (const auto &[Instrumented, Original] : kernel().Map)
      if (Instrumented + Bias >= D.writer_pc) {
        if (Instrumented + Bias != D.writer_pc)
          At = Original + Bias;
        break;
      }
  std::string Names;
  for (const auto &[Original, Name] : kernel().Hooks)
    if (Original + Bias == At)
      Names += (Names.empty() ? "; hook " : ", ") + Name;
  return Names;
}

std::string KernelComparison::describe(const luthier_emu_difference &D) const {
  std::string Text = D.text;
  if (D.original_pc)
    Text += "; in the file at 0x" +
            utohexstr(D.original_pc - Bias, /*LowerCase=*/true);
  return Text + hooksNear(D);
}

Expected<std::string> KernelComparison::compare(uint64_t Seed) {
  std::vector<luthier_emu_pc_pair> Map;
  for (const auto &[Instrumented, Original] : kernel().Map)
    Map.push_back({Instrumented + Bias, Original + Bias});
  const uint64_t Descriptor = Old.Info.descriptor_address;
  std::vector<luthier_emu_range> Ignored = {
      {Descriptor, Descriptor + sizeof(amdhsa::kernel_descriptor_t)}};
  for (const auto &[Address, Size] : Made.Variables)
    Ignored.push_back({Address + Bias, Address + Bias + Size});
  auto How = sized<luthier_emu_lockstep_options>();
  How.map = Map.data();
  How.map_count = Map.size();
  luthier_emu_code_range(Old.Code.get(), &How.in_place.begin, nullptr);
  How.in_place.end = codeAddress(*What.Chosen.Object) + Bias;
  How.ignored = Ignored.data();
  How.ignored_count = Ignored.size();
  How.seed = Seed;
  How.strict = What.Strict.c_str();
  // Code that depends on its position is written differently.
  How.allow_other_instructions = 1;
  // Values that nobody reads again need not be saved.
  How.only_what_is_read = 1;
  auto Found = sized<luthier_emu_difference>();
  switch (luthier_emu_lockstep(Old.Execution.get(), New.Execution.get(), &How,
                               &Found)) {
  case LUTHIER_EMU_OK:
    return line("verified",
                Twine(Found.compared) + "\t" + Twine(Found.inserted));
  case LUTHIER_EMU_DIFFERENT:
    return line("differs", describe(Found));
  case LUTHIER_EMU_FAULT:
    return line("unjudged", Twine("the original cannot run to its end: ") +
                                luthier_emu_error(Old.Device.get()));
  default:
    return deviceError(Old.Device.get());
  }
}

Expected<std::string> KernelComparison::run(uint64_t Seed) {
  if (Error E = load(Seed))
    return E;
  if (Error E = start(Old))
    return E;
  if (Error E = start(New))
    return line("differs", "the instrumented version cannot be launched: " +
                               detailOf(std::move(E)));
  Expected<std::string> Result = compare(Seed);
  if (Result)
    if (Error E = Launch.writeOutputs(Old.Device.get()))
      return E;
  return Result;
}

} // namespace luthier::cli
