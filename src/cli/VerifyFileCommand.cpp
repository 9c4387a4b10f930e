// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier verify FILE`: one kernel of a file against its instrumented version.
#include "cli/FileCommand.h"
#include "cli/KernelComparison.h"
#include "cli/OfflineTool.h"
#include "cli/VerifyHelp.h"
#include "cli/VerifyReport.h"
#include "luthier/Refusal.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;

namespace luthier::cli {
namespace {

/// What the tool scramble reads, and its name of before.
constexpr const char *GarbageSeed = "LUTHIER_SCRAMBLE_SEED";
constexpr const char *OldGarbageSeed = "LUTHIER_POISON_SEED";

Expected<ChosenKernel> choose(const Arguments &Args, const std::string &Path) {
  Expected<ChosenKernel> Chosen = chooseKernel(Args, Path);
  if (Chosen || Args.has("--kernel") || !sys::fs::can_execute(Path))
    return Chosen;
  return failed(detailOf(Chosen.takeError()) + "\nto run " + Path +
                " as a program: luthier verify -- " + Path);
}

Expected<ComparedLaunch> readLaunch(const Arguments &Args,
                                    const ChosenKernel &Chosen) {
  Expected<DeviceHandle> Device = deviceFor(Chosen, 0, strictChecks(Args));
  if (!Device)
    return Device.takeError();
  Expected<CodeHandle> Code = loadCode(Device->get(), Chosen.Image->Bytes);
  if (!Code)
    return Code.takeError();
  Expected<LaunchRequest> Request =
      LaunchRequest::read(Args, Code->get(), Chosen.name());
  if (!Request)
    return Request.takeError();
  ComparedLaunch Result{Chosen, std::move(*Request), 0, strictChecks(Args)};
  Result.LaunchStack = Result.Request.launch().private_segment_size;
  // What luthier/emulator.h promises to a launch that does not say.
  constexpr uint32_t DynamicStack = 1024;
  const KernelDescriptor &D = Chosen.Kernel->Descriptor;
  if (!Result.LaunchStack && D.usesDynamicStack())
    Result.LaunchStack =
        std::max<uint32_t>(D.raw().private_segment_fixed_size, DynamicStack);
  return Result;
}

Expected<std::string> compare(const ComparedLaunch &Launch, uint64_t Seed) {
  const std::string &Name = Launch.Chosen.name();
  Expected<offline::Result> Made = offline::instrument(
      Launch.Chosen.Image->Bytes,
      [&](StringRef Kernel) { return Kernel == Name; }, Launch.LaunchStack);
  if (!Made)
    return Made.takeError();
  if (const std::string &Why = Made->Kernels.front().Unchanged; !Why.empty())
    return "unchanged\t" + Name + "\t" + Why;
  return KernelComparison(Launch, *Made).run(Seed);
}

/// What the command line asks for.
struct Request {
  ComparedLaunch Launch;
  uint64_t Seed, Count;
  std::string Tool;
};

Expected<Request> readRequest(const Arguments &Args,
                              const ChosenKernel &Chosen) {
  Expected<ComparedLaunch> Launch = readLaunch(Args, Chosen);
  if (!Launch)
    return Launch.takeError();
  Expected<uint64_t> Seed = numberOf(Args, "--seed", UINT64_MAX);
  if (!Seed)
    return Seed.takeError();
  Expected<uint64_t> Count = numberOf(Args, "--seeds", UINT32_MAX);
  if (!Count)
    return Count.takeError();
  if (!*Count && Args.has("--seeds"))
    return failed("--seeds 0: nothing would be compared");
  Expected<std::string> Loaded = loadOfflineTools(Args.values("--tool"));
  if (!Loaded)
    return Loaded.takeError();
  return Request{std::move(*Launch), *Seed, std::max<uint64_t>(*Count, 1),
                 std::move(*Loaded)};
}

Expected<int> verify(const Arguments &Args, const std::string &Path) {
  auto Refuse = [](Error E) {
    reportError(std::move(E));
    return Misuse;
  };
  Expected<ChosenKernel> Chosen = choose(Args, Path);
  if (!Chosen)
    return Refuse(Chosen.takeError());
  Expected<Request> Wanted = readRequest(Args, *Chosen);
  if (!Wanted)
    return Refuse(Wanted.takeError());
  const bool ChoosesGarbage =
      !std::getenv(GarbageSeed) && !std::getenv(OldGarbageSeed);
  VerifyReport Report;
  bool IsSame = true;
  for (uint64_t N = 0; N != Wanted->Count; ++N) {
    const uint64_t Seed = Wanted->Seed + N;
    if (ChoosesGarbage)
      ::setenv(GarbageSeed, std::to_string(Seed).c_str(), 1);
    Expected<std::string> Line = compare(Wanted->Launch, Seed);
    if (!Line)
      return Line.takeError();
    Report.add(*Line);
    IsSame = StringRef(*Line).starts_with("verified\t");
    if (!IsSame)
      break;
  }
  outs() << Report.text(Wanted->Tool);
  return IsSame ? Success : Failed;
}

} // namespace

int verifyFileCommand(int Argc, char **Argv) {
  FileCommand Command{VerifyHelp,
                      {{"--tool", true, false, true},
                       {"--seed", true},
                       {"--seeds", true},
                       {"--strict", false, true}}};
  append_range(Command.Options, kernelOptions());
  append_range(Command.Options, LaunchRequest::options());
  return runFileCommand(Argc, Argv, Command, verify);
}

} // namespace luthier::cli
