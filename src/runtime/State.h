// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything the runtime knows of the process. Never destroyed: threads of the
// application may still submit work while the process ends. Its parts know one
// another by what they are given here; none of them includes this file.
#ifndef LUTHIER_RUNTIME_STATE_H
#define LUTHIER_RUNTIME_STATE_H

#include "runtime/CallbackGate.h"
#include "runtime/Dispatcher.h"
#include "runtime/InterceptedQueues.h"
#include "runtime/LoadedCode.h"
#include "runtime/ToolMemory.h"
#include "runtime/ToolModules.h"
#include "runtime/VersionCache.h"

namespace luthier::runtime {

struct State {
  LoadedCode Code;
  ToolModules Modules;
  ToolMemory Memory;
  VersionCache Versions{[this](const void *Handle, hsa_agent_t Agent) {
                          return Modules.resolve(Handle, Agent);
                        },
                        [] { return toolRegistry().hasSeveral(); }};
  CallbackGate Tools;
  std::unique_ptr<DispatchFilter> Filter = filterOfEnvironment();
  Dispatcher Packets{Code, toolRegistry(), *Filter};
  InterceptedQueues Queues{Packets, Tools,
                           [this] { return Modules.managedFingerprint(); }};
};

State &state();

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_STATE_H
