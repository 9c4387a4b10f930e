// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/Offline.h"
#include "luthier/Tool.h"
#include "offline/FileInstrumentation.h"
#include "runtime/PayloadCache.h"
#include "runtime/Settings.h"
#include "runtime/State.h"
#include "runtime/ToolExceptions.h"
#include "runtime/ToolOptions.h"
#include "runtime/ToolRegistry.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace luthier {

Error offline::loadTool(StringRef Path) {
  if (!sys::fs::exists(Path))
    return createStringError("there is no tool " + Path);
  runtime::toolRegistry().loadLibraries(Path);
  if (runtime::toolRegistry().loaded().size() != 1)
    return createStringError(Path + " does not register one tool");
  return Error::success();
}

Error offline::setToolOptions(StringRef Options) {
  const runtime::ToolLibrary Library =
      runtime::toolRegistry().libraries().front();
  return Options.empty() ? Error::success()
                         : runtime::toolOptions().set(Library.Base, Options,
                                                      Library.name());
}

std::string offline::toolOptions() {
  return runtime::toolOptions().list(
      runtime::toolRegistry().libraries().front().Base);
}

Expected<offline::Result>
offline::instrument(ArrayRef<uint8_t> Bytes,
                    function_ref<bool(StringRef)> IsWanted,
                    uint32_t LaunchStack) {
  ArrayRef<Tool *> Tools = runtime::toolRegistry().loaded();
  if (Tools.size() != 1)
    return createStringError("no tool is loaded");
  auto Instrument = [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
    auto What = [&] {
      return "tool " + runtime::nameOf(Tools.front()) +
             ", asked what to insert into it,";
    };
    return runtime::withoutExceptions(
        What, [&] { return Tools.front()->instrument(LR, Task); });
  };
  auto Resolve = [](const void *Handle, const TargetID &Target) {
    return runtime::state().Modules.resolveOffline(Handle, Target);
  };
  auto CodeOf = [](const HookModule &Module) {
    return runtime::state().Modules.offlineCode(Module);
  };
  InstrumenterOptions Options = runtime::settings();
  Options.ApplicationStack = LaunchStack;
  Options.Payloads = runtime::payloadCache();
  return instrumentFile(Bytes, IsWanted, {Instrument, Resolve, CodeOf},
                        Options);
}

} // namespace luthier
