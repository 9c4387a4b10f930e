// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strict mode as an observer of dispatches.
#ifndef LUTHIER_EMULATOR_STRICT_STRICTMODE_H
#define LUTHIER_EMULATOR_STRICT_STRICTMODE_H

#include "emulator/core/Observer.h"
#include "emulator/strict/Options.h"
#include "emulator/strict/Violation.h"
#include <functional>
#include <memory>

namespace luthier::emulator {
struct LaunchPlan;
}

namespace luthier::emulator::strict {

/// For ShaderArray::Options::Observe. \p Sink gets each violation once per rule
/// and PC of a dispatch, from the thread that runs it. Without
/// Options::Continue the first one also ends the dispatch, with
/// ExecutionFault::Kind::Violation.
std::function<std::unique_ptr<DispatchObserver>(const LaunchPlan &)>
observer(const Options &O, ViolationSink Sink);

} // namespace luthier::emulator::strict

#endif // LUTHIER_EMULATOR_STRICT_STRICTMODE_H
