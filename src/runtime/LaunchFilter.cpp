// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/LaunchFilter.h"
#include "luthier/Tool.h"
#include "runtime/DispatchFilter.h"

using namespace llvm;

namespace luthier {

LaunchFilter::LaunchFilter() = default;
LaunchFilter::LaunchFilter(std::unique_ptr<runtime::DispatchFilter> Counting)
    : P(std::move(Counting)) {}
LaunchFilter::~LaunchFilter() = default;
LaunchFilter::LaunchFilter(LaunchFilter &&) noexcept = default;
LaunchFilter &LaunchFilter::operator=(LaunchFilter &&) noexcept = default;

Expected<LaunchFilter> LaunchFilter::create(Choice Wanted) {
  auto refuse = [](const Twine &What, const Twine &Why) {
    return createStringError("a filter of launches with " + What + ": " + Why);
  };
  runtime::FilterSettings Settings;
  if (!Wanted.Kernel.empty())
    if (const std::string Wrong = Settings.set("--kernel", Wanted.Kernel);
        !Wrong.empty())
      return refuse("Kernel = \"" + Wanted.Kernel + "\"", Wrong);
  if (!Wanted.Process.empty())
    if (const std::string Wrong = Settings.set("--process", Wanted.Process);
        !Wrong.empty())
      return refuse("Process = \"" + Wanted.Process + "\"", Wrong);
  if (Wanted.Every == 0)
    return refuse("Every = 0", "a number from 1 up is needed");
  for (const Range &R : Wanted.Launches) {
    if (R.First == 0 || R.Last < R.First)
      return refuse("launches " + Twine(R.First) + " to " + Twine(R.Last),
                    "they are counted from 1 up");
    Settings.Launches.push_back({R.First, R.Last});
  }
  Settings.Device = Wanted.Device;
  Settings.Every = Wanted.Every;
  return LaunchFilter(runtime::filterOfThisProcess(std::move(Settings)));
}

bool LaunchFilter::admits(const KernelDispatch &Dispatch) {
  return !P || P->admits(Dispatch.Kernel);
}

} // namespace luthier
