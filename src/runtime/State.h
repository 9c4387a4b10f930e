// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything the runtime knows of the process. Never destroyed: threads of the
// application may still submit work while the process ends.
#ifndef LUTHIER_RUNTIME_STATE_H
#define LUTHIER_RUNTIME_STATE_H

#include "runtime/InstrumentationCache.h"
#include "runtime/InterceptedQueues.h"
#include "runtime/LoadedCode.h"
#include "runtime/ToolModules.h"

namespace luthier::runtime {

struct State {
  LoadedCode Code;
  ToolModules Modules;
  InstrumentationCache Versions;
  InterceptedQueues Queues;
};

State &state();

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_STATE_H
