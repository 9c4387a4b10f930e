// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool does that does not say otherwise.
#include "luthier/Tool.h"
#include "luthier/Instrument.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier {

Tool::~Tool() = default;

Error Tool::instrument(LiftedRepresentation &, InstrumentationTask &) {
  return createStringError("the tool decides at each dispatch what to insert: "
                           "it has no instrument()");
}

/// What instrument() asked for; presets of different tools do not mix.
static constexpr StringLiteral DefaultPreset = "default";

static Error redirect(Tool &T, KernelDispatch &Dispatch) {
  Expected<const LiftedRepresentation &> Lifted = lift(Dispatch.Kernel);
  if (!Lifted)
    return Lifted.takeError();
  auto Mutate = [&](InstrumentationTask &Task, LiftedRepresentation &LR) {
    return T.instrument(LR, Task);
  };
  if (Error E =
          instrumentAndLoad(Dispatch.Kernel, *Lifted, Mutate, DefaultPreset))
    return E;
  return overrideWithInstrumented(Dispatch.Packet, DefaultPreset);
}

void Tool::onDispatch(KernelDispatch &Dispatch) {
  if (Error E = redirect(*this, Dispatch))
    reportRefusal(Dispatch.Kernel, std::move(E));
}

void Tool::onExit() { report(errs()); }

} // namespace luthier
