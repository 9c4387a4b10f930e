// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/Wave.h"
#include "emulator/strict/StrictMode.h"

namespace luthier::emulator::strict {

namespace {

class StrictObserver final : public DispatchObserver {
public:
  void execute(Wave &W, const Inst &I, Handler Fn) override { Fn(W, I); }
};

} // namespace

std::function<std::unique_ptr<DispatchObserver>(const LaunchPlan &)>
observer(const Options &, ViolationSink) {
  return [](const LaunchPlan &) { return std::make_unique<StrictObserver>(); };
}

} // namespace luthier::emulator::strict
