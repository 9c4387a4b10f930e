// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ToolRegistry.h"
#include "runtime/Log.h"
#include "runtime/ToolExceptions.h"
#include "runtime/ToolOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <set>

using namespace llvm;

namespace luthier {

namespace runtime {
namespace {

/// A preloaded tool works without further settings: it names this library as
/// what the GPU runtime is to load, behind what the user named.
void announceToGPURuntime() {
  Dl_info Self;
  if (!::dladdr(reinterpret_cast<void *>(&announceToGPURuntime), &Self))
    return;
  const char *Named = std::getenv("HSA_TOOLS_LIB");
  ::setenv("HSA_TOOLS_LIB",
           withToolsLibrary(Named ? Named : "", Self.dli_fname).c_str(),
           /*overwrite=*/1);
}

/// Of a dlopen() handle; 0 if it is none.
uintptr_t baseOf(void *Library) {
  link_map *Map = nullptr;
  return ::dlinfo(Library, RTLD_DI_LINKMAP, &Map) == 0 ? Map->l_addr : 0;
}

} // namespace

std::string withToolsLibrary(StringRef Named, StringRef Library) {
  SmallVector<StringRef, 4> List;
  Named.split(List, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  // However it is spelled: by the loader's search path, through a link.
  auto IsLibrary = [&](StringRef Name) {
    return sys::path::filename(Name) == sys::path::filename(Library) ||
           sys::fs::equivalent(Name, Library);
  };
  if (any_of(List, IsLibrary))
    return Named.str();
  return List.empty() ? Library.str() : (Named + " " + Library).str();
}

ToolRegistry &toolRegistry() {
  static auto *Registry = new ToolRegistry;
  return *Registry;
}

void ToolRegistry::add(Maker Make, bool SeesCompletion) {
  announceToGPURuntime();
  std::lock_guard Guard(MakeLock);
  Makers.push_back({Make, SeesCompletion});
  ++Count;
}

void ToolRegistry::loadLibraries(StringRef Paths, StringRef Options) {
  SmallVector<StringRef, 4> List;
  Paths.split(List, ':', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Path : List) {
    auto [Given, Others] = Options.split('\n');
    Options = Others;
    void *Library = ::dlopen(Path.str().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!Library)
      logWarning("cannot load tool: " + Twine(::dlerror()));
    else if (!registeredBy(Library))
      logWarning(Path + " is not a Luthier tool: it registers none "
                        "(is LUTHIER_TOOL missing?)");
    else if (!Given.empty())
      if (Error E = toolOptions().set(baseOf(Library), Given,
                                      ToolLibrary{0, Path.str()}.name()))
        logWarning(toString(std::move(E)));
  }
}

bool ToolRegistry::registeredBy(void *Library) {
  const uintptr_t Base = baseOf(Library);
  std::lock_guard Guard(MakeLock);
  return any_of(Makers, [&](const Registered &R) {
    return Base && libraryOf(reinterpret_cast<void *>(R.Make)).Base == Base;
  });
}

/// Null if the tool cannot be made.
static Tool *make(ToolRegistry::Maker Make) {
  std::unique_ptr<Tool> New;
  auto What = [&] {
    return "the constructor of tool " +
           fileNameOf(reinterpret_cast<void *>(Make));
  };
  Error E = withoutExceptions(What, [&] {
    New = Make();
    return Error::success();
  });
  if (E)
    logWarning(toString(std::move(E)) + "; the tool is left out");
  return New.release();
}

/// Has a tool called. False after an exception, which is said once for each
/// text.
template <typename Callable>
static bool call(const CallContext &Context, const char *Callback,
                 const hsa::LoadedCodeObjectKernel *Kernel, Callable Call) {
  const CallScope Scope(Context);
  auto What = [&] {
    return "tool " + nameOf(Context.Owner) + ": " + Callback + "()" +
           (Kernel ? " for kernel " + Kernel->name().str() : "");
  };
  Error E = withoutExceptions(What, [&] {
    Call();
    return Error::success();
  });
  if (!E)
    return true;
  static std::mutex Lock;
  static auto *Said = new std::set<std::string>;
  const std::string Text = toString(std::move(E));
  std::lock_guard Guard(Lock);
  if (Said->insert(Text).second)
    logWarning(Text);
  return false;
}

ToolRegistry::ToolList ToolRegistry::tools() {
  {
    std::shared_lock Guard(ToolsLock);
    if (Tools.size() == Count)
      return Tools;
  }
  std::lock_guard MakeGuard(MakeLock);
  while (Tools.size() != Makers.size()) {
    Tool *New = make(Makers[Tools.size()].Make);
    std::unique_lock Guard(ToolsLock);
    if (New) {
      Tools.push_back(New);
    } else {
      Makers.erase(Makers.begin() + ptrdiff_t(Tools.size()));
      --Count;
    }
  }
  return Tools;
}

ArrayRef<Tool *> ToolRegistry::loaded() {
  tools();
  return Tools;
}

SmallVector<ToolLibrary, 4> ToolRegistry::libraries() {
  std::lock_guard Guard(MakeLock);
  SmallVector<ToolLibrary, 4> Result;
  for (const Registered &R : Makers)
    Result.push_back(libraryOf(reinterpret_cast<void *>(R.Make)));
  return Result;
}

bool ToolRegistry::seesCompletion(const Tool *T) {
  std::lock_guard MakeGuard(MakeLock);
  std::shared_lock Guard(ToolsLock);
  return Makers[find(Tools, T) - Tools.begin()].SeesCompletion;
}

SmallVector<ToolToCall, 1>
ToolRegistry::onDispatch(const hsa::LoadedCodeObjectKernel &Kernel,
                         hsa_kernel_dispatch_packet_t &Packet, uint64_t Id,
                         const Launch *About, RedirectedLaunch *Redirected) {
  SmallVector<ToolToCall, 1> ToCall;
  if (Ended || empty())
    return ToCall;
  Seen = true;
  for (Tool *T : tools()) {
    CallContext Context = {T, About, Redirected};
    const hsa_kernel_dispatch_packet_t Before = Packet;
    const std::optional<RedirectedLaunch> LaunchBefore =
        Redirected ? std::optional(*Redirected) : std::nullopt;
    KernelDispatch Dispatch(Kernel, Packet, Id, &Context);
    Context.Dispatch = &Dispatch;
    if (!call(Context, "onDispatch", &Kernel,
              [&] { T->onDispatch(Dispatch); })) {
      Packet = Before;
      if (Redirected)
        *Redirected = *LaunchBefore;
    } else if (!Dispatch.SkipCompletion && seesCompletion(T))
      ToCall.push_back({T, Dispatch.LaunchValue, Dispatch.WithTimes});
  }
  return ToCall;
}

void ToolRegistry::onComplete(ArrayRef<ToolToCall> Of, KernelDispatch Dispatch,
                              std::optional<DispatchTimes> Times) {
  for (auto [T, LaunchValue, WithTimes] : Of) {
    if (Ended)
      return;
    Dispatch.LaunchValue = LaunchValue;
    Dispatch.WithTimes = WithTimes;
    Dispatch.Times = WithTimes ? Times : std::nullopt;
    call({T}, "onComplete", &Dispatch.Kernel, [&] { T->onComplete(Dispatch); });
  }
}

void ToolRegistry::onCodeObject(const hsa::LoadedCodeObject &Object,
                                bool IsLoaded) {
  if (Ended || empty())
    return;
  for (Tool *T : tools()) {
    if (IsLoaded)
      call({T}, "onCodeObjectLoaded", nullptr,
           [&] { T->onCodeObjectLoaded(Object); });
    else
      call({T}, "onCodeObjectUnloaded", nullptr,
           [&] { T->onCodeObjectUnloaded(Object); });
  }
}

void ToolRegistry::onExit() {
  if (Ended.exchange(true))
    return;
  for (Tool *T : tools()) {
    call({T}, "onExit", nullptr, [&] { T->onExit(); });
  }
}

} // namespace runtime

void detail::registerTool(std::unique_ptr<Tool> (*Make)(),
                          bool SeesCompletion) {
  runtime::toolRegistry().add(Make, SeesCompletion);
}

} // namespace luthier
