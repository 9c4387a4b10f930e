// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lift/LiftedImpl.h"
#include "luthier/Offline.h"
#include "luthier/Refusal.h"
#include "luthier/Tool.h"
#include "offline/FileInstrumentation.h"
#include "runtime/PayloadCache.h"
#include "runtime/Settings.h"
#include "runtime/State.h"
#include "runtime/ToolExceptions.h"
#include "runtime/ToolOptions.h"
#include "runtime/ToolRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace luthier {

/// Files call variables by the file name of their tool where names are equal.
static Error checkNameIsNew(StringRef Path) {
  const StringRef Name = sys::path::filename(Path);
  for (const runtime::ToolLibrary &Known : runtime::toolRegistry().libraries())
    if (sys::path::filename(Known.Path) == Name &&
        !sys::fs::equivalent(Known.Path, Path))
      return createStringError(Path + " and " + Known.Path +
                               " have one name, by which their variables are "
                               "told apart: rename one of them");
  return Error::success();
}

Error offline::loadTool(StringRef Path) {
  if (!sys::fs::exists(Path))
    return createStringError("there is no tool " + Path);
  if (Error E = checkNameIsNew(Path))
    return E;
  const size_t Before = runtime::toolRegistry().loaded().size();
  runtime::toolRegistry().loadLibraries(Path);
  const size_t Now = runtime::toolRegistry().loaded().size();
  if (Now == Before && Before)
    return createStringError(Path + " is given twice, or registers no tool");
  if (Now != Before + 1)
    return createStringError(Path + " does not register one tool");
  return Error::success();
}

Error offline::setToolOptions(StringRef Options) {
  const runtime::ToolLibrary Library =
      runtime::toolRegistry().libraries().back();
  return Options.empty() ? Error::success()
                         : runtime::toolOptions().set(Library.Base, Options,
                                                      Library.name());
}

std::string offline::toolOptions() {
  return runtime::toolOptions().list(
      runtime::toolRegistry().libraries().back().Base);
}

/// What one tool asks for comes behind what those before it have.
static Error ask(Tool &Asked, bool IsAlone, LiftedRepresentation &LR,
                 InstrumentationTask &Task) {
  auto What = [&] {
    return "tool " + runtime::nameOf(&Asked) +
           ", asked what to insert into it,";
  };
  if (Error E = runtime::withoutExceptions(
          What, [&] { return Asked.instrument(LR, Task); }))
    return E;
  if (!IsAlone && isEdited(LR))
    return refuse(RefusalReason::UnsupportedEdit,
                  "tool " + runtime::nameOf(&Asked) +
                      " changes the kernel's code: it has to be the only tool");
  return Error::success();
}

Expected<offline::Result>
offline::instrument(ArrayRef<uint8_t> Bytes,
                    function_ref<bool(StringRef)> IsWanted,
                    uint32_t LaunchStack) {
  ArrayRef<Tool *> Tools = runtime::toolRegistry().loaded();
  if (Tools.empty())
    return createStringError("no tool is loaded");
  auto Instrument = [&](LiftedRepresentation &LR,
                        InstrumentationTask &Task) -> Error {
    for (Tool *Each : Tools)
      if (Error E = ask(*Each, Tools.size() == 1, LR, Task))
        return E;
    return Error::success();
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
