// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool does that does not say otherwise.
#include "luthier/Tool.h"
#include "luthier/Instrument.h"
#include "luthier/Report.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier {

Tool::~Tool() = default;

Error Tool::instrument(LiftedRepresentation &, InstrumentationTask &) {
  return createStringError(
      "the tool has no instrument() that says what to insert (nor an "
      "onDispatch() that inserts something)");
}

/// What instrument() asked for; presets of different tools do not mix.
static constexpr StringLiteral DefaultPreset = "default";

void Tool::onDispatch(KernelDispatch &Dispatch) {
  auto Mutate = [&](InstrumentationTask &Task, LiftedRepresentation &LR) {
    return instrument(LR, Task);
  };
  if (Error E = instrumentAndOverride(Dispatch, Mutate, DefaultPreset))
    reportRefusal(Dispatch.Kernel, std::move(E));
}

void Tool::onComplete(const KernelDispatch &) {}
void Tool::onCodeObjectLoaded(const hsa::LoadedCodeObject &) {}
void Tool::onCodeObjectUnloaded(const hsa::LoadedCodeObject &) {}

void Tool::onExit() {
  std::string Text;
  raw_string_ostream OS(Text);
  report(OS);
  printReport(Text);
}

} // namespace luthier
