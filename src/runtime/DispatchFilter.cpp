// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/DispatchFilter.h"
#include "codeobject/KernelName.h"
#include "runtime/HsaApi.h"
#include "runtime/Log.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <cstdlib>

using namespace llvm;

namespace luthier::runtime {

DispatchFilter::DispatchFilter(FilterSettings S, DeviceNumber Number,
                               const std::vector<std::string> &ProcessNames)
    : Settings(std::move(S)), NumberOf(std::move(Number)),
      ThisProcess(ProcessNames.empty() ? "" : ProcessNames.front()),
      IsOtherProcess(!Settings.Process.empty() &&
                     !is_contained(ProcessNames, Settings.Process)) {
  std::string Ignored; // FilterSettings has compiled it before.
  if (!Settings.Kernel.empty())
    Pattern = NamePattern::create(Settings.Kernel, Ignored);
}

bool DispatchFilter::isWanted(StringRef Name) const {
  return !Pattern || Pattern->matches(Name.str(), readableKernelName(Name));
}

bool DispatchFilter::isInRange(uint64_t Launch) const {
  return Settings.Launches.empty() ||
         any_of(Settings.Launches, [&](const FilterSettings::Range &R) {
           return R.First <= Launch && Launch <= R.Last;
         });
}

bool DispatchFilter::admits(const hsa::LoadedCodeObjectKernel &Kernel) {
  if (!IsOtherProcess && !Settings.any())
    return true;
  std::lock_guard Guard(Lock);
  ++Seen;
  auto [It, IsNew] = Rows.try_emplace(Kernel.name());
  Row &R = It->second;
  if (IsNew)
    R.IsWanted = isWanted(Kernel.name());
  if (IsOtherProcess || !R.IsWanted ||
      (Settings.Device && NumberOf(Kernel.agent()) != Settings.Device))
    return false;
  if (!isInRange(++R.Launches) || R.Selected++ % Settings.Every != 0)
    return false;
  ++Admitted;
  return true;
}

/// Near names if there are any, else those that there are.
std::string DispatchFilter::kernelsLaunched() const {
  constexpr size_t MaxListed = 5;
  std::vector<std::string> All, Near;
  for (const auto &Entry : Rows) {
    const auto Spellings = spellingsOf(Entry.getKey());
    All.push_back(Spellings[1]);
    if (isNearName(Spellings.back(), Settings.Kernel))
      Near.push_back(Spellings[1]);
  }
  std::vector<std::string> &Shown = Near.empty() ? All : Near;
  sort(Shown);
  std::string Text = Near.empty() ? "there were " : "near it: ";
  Text += join(ArrayRef(Shown).take_front(MaxListed), ", ");
  if (Shown.size() > MaxListed)
    Text += ", and " + utostr(Shown.size() - MaxListed) + " more";
  return Text;
}

std::string DispatchFilter::complaint() const {
  std::lock_guard Guard(Lock);
  if (!Seen || Admitted)
    return "";
  const std::string Launches =
      "none of the " + utostr(Seen) + " launches" +
      (ThisProcess.empty() ? "" : " of " + ThisProcess);
  if (IsOtherProcess)
    return Launches + " was shown to tools: --process " + Settings.Process;
  if (none_of(Rows, [](const auto &Entry) { return Entry.second.IsWanted; }))
    return Launches + " is of a kernel that --kernel '" + Settings.Kernel +
           "' names; " + kernelsLaunched();
  if (none_of(Rows, [](const auto &Entry) { return Entry.second.Launches; }))
    return Launches + " that are chosen otherwise was on GPU " +
           utostr(*Settings.Device) + " (--device)";
  uint64_t Most = 0;
  for (const auto &Entry : Rows)
    Most = std::max(Most, Entry.second.Launches);
  return Launches + " is among those that --launches names: no kernel has " +
         "more than " + utostr(Most);
}

namespace {

/// In the order in which the runtime lists them, which is HIP's.
std::optional<unsigned> numberOfGPU(hsa_agent_t Agent) {
  for (const auto &[Number, Each] : enumerate(gpuAgents()))
    if (Each.handle == Agent.handle)
      return Number;
  return std::nullopt;
}

/// Of its file, and as it was called: of a link, or of a script's interpreter.
std::vector<std::string> namesOfThisProcess() {
  return {
      sys::path::filename(sys::fs::getMainExecutable(nullptr, nullptr)).str(),
      program_invocation_short_name};
}

} // namespace

std::unique_ptr<DispatchFilter> filterOfThisProcess(FilterSettings Settings) {
  return std::make_unique<DispatchFilter>(std::move(Settings), numberOfGPU,
                                          namesOfThisProcess());
}

std::unique_ptr<DispatchFilter> filterOfEnvironment() {
  return filterOfThisProcess(FilterSettings::read(
      [](const char *Name) { return std::getenv(Name); },
      [](const std::string &Message) { logWarning(Message); }));
}

} // namespace luthier::runtime
