// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ToolModules does with modules by the names of what is in them.
#include "runtime/HsaApi.h"
#include "runtime/ModuleImages.h"
#include "runtime/Prints.h"
#include "runtime/ToolModules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;

namespace luthier::runtime {

/// Handles are numbers from here on, since no address of a program is there:
/// the module's number, and below it the hook's place among the module's hooks.
/// They need no memory, which nothing would free: tools keep handles.
static constexpr uint64_t FirstHandle = 0xffff'0000'0000'0000;
static constexpr unsigned IndexBits = 16;

std::optional<ToolModules::NumberedHook>
ToolModules::numbered(const void *Handle) {
  const auto Value = reinterpret_cast<uintptr_t>(Handle);
  if (Value < FirstHandle)
    return std::nullopt;
  return NumberedHook{(Value - FirstHandle) >> IndexBits,
                      unsigned(Value & maskTrailingOnes<uint64_t>(IndexBits))};
}

void ToolModules::describe(uint64_t Number, Description What) {
  Described[Number] = &*Descriptions.insert(std::move(What)).first;
}

uint64_t ToolModules::remove(const ToolModule &Module) {
  std::shared_ptr<ToolModule> Last; // Goes after the lock.
  std::lock_guard Guard(Lock);
  auto It = find_if(Modules,
                    [&](auto &Each) { return Each.second.get() == &Module; });
  if (It == Modules.end())
    return UINT64_MAX;
  const uint64_t Number = It->first;
  Last = std::move(It->second);
  Last->IsUnloaded = true;
  Modules.erase(It);
  return Number;
}

std::vector<std::shared_ptr<ToolModule>>
ToolModules::ofLibrary(StringRef Path) {
  std::lock_guard Guard(Lock);
  std::vector<std::shared_ptr<ToolModule>> Result;
  for (const auto &[Number, Module] : Modules)
    if (Module->isStatic() && Module->Library == Path)
      Result.push_back(Module);
  return Result;
}

bool ToolModules::isHookOf(const void *Handle, uint64_t Number) {
  const std::optional<NumberedHook> Hook = numbered(Handle);
  return Hook && Hook->Module == Number;
}

Error ToolModules::ask(ToolModule &Module,
                       function_ref<void(const ToolModule::Contents &)> Ask) {
  std::lock_guard Guard(Lock);
  Expected<const ToolModule::Contents &> All = Module.contents();
  if (!All)
    return All.takeError();
  Ask(*All);
  return Error::success();
}

Expected<const void *> ToolModules::handleOf(ToolModule &Module,
                                             StringRef Hook) {
  std::lock_guard Guard(Lock);
  Expected<const ToolModule::Contents &> All = Module.contents();
  if (!All)
    return All.takeError();
  auto It = llvm::find(All->Hooks, Hook);
  if (It == All->Hooks.end())
    return moduleError(ModuleFault::NoHook,
                       Module.name() + " has no hook " + Hook +
                           (All->Hooks.empty()
                                ? std::string()
                                : "; it has " + join(All->Hooks, ", ")));
  auto Where = find_if(
      Modules, [&](auto &Each) { return Each.second.get() == &Module; });
  if (Where == Modules.end())
    return moduleError(ModuleFault::Unloaded,
                       "the module " + Module.name() + " is unloaded");
  const uint64_t Number = Where->first, Index = It - All->Hooks.begin();
  if (Index >> IndexBits)
    return moduleError(ModuleFault::NoHook,
                       Module.name() + " has too many hooks for a handle of " +
                           Hook);
  describe(Number, {Module.name(), All->Hooks});
  return reinterpret_cast<const void *>(FirstHandle + (Number << IndexBits) +
                                        Index);
}

Expected<ToolModule::Contents::Variable>
ToolModules::variable(ToolModule &Module, StringRef Name,
                      std::optional<size_t> Size) {
  Expected<const ToolModule::Contents &> All = Module.contents();
  if (!All)
    return All.takeError();
  auto It = All->Variables.find(Name.str());
  if (It == All->Variables.end())
    return moduleError(
        ModuleFault::NoVariable,
        Module.name() + " has no variable " + Name +
            (All->Variables.empty()
                 ? std::string(" that hooks use")
                 : "; it has " + join(make_first_range(All->Variables), ", ")));
  const ToolModule::Contents::Variable &Found = It->second;
  if (Size && Found.Size && *Size != Found.Size)
    return moduleError(ModuleFault::WrongSize,
                       "variable " + Name + " of " + Module.name() + " has " +
                           Twine(Found.Size) + " bytes, not " + Twine(*Size));
  return Found;
}

Expected<uint64_t> ToolModules::find(ToolModule &Module, StringRef Name,
                                     hsa_agent_t Agent,
                                     std::optional<size_t> Size) {
  auto Known = variable(Module, Name, Size);
  if (!Known)
    return Known.takeError();
  if (!isHsaOpen())
    return createStringError("the GPU runtime is not running");
  auto isNotDefined = [&] {
    return moduleError(ModuleFault::NoVariable,
                       "the code of " + Module.name() +
                           " for that device does not define variable " + Name +
                           ": bind memory to it");
  };
  if (!Known->IsManaged) {
    auto Found = place(Module, Name, Agent);
    if (!Found)
      return Found.takeError();
    if (!*Found)
      return isNotDefined();
    return **Found;
  }
  Expected<ToolModule::OnAgent &> Where = open(Module, Agent);
  if (!Where)
    return Where.takeError();
  auto Found = Where->Hooks.ManagedStorage.find(Name);
  if (Found == Where->Hooks.ManagedStorage.end())
    return isNotDefined();
  return Found->second;
}

Expected<uint64_t> ToolModules::addressOf(ToolModule &Module, StringRef Name,
                                          hsa_agent_t Agent,
                                          std::optional<size_t> Size) {
  std::lock_guard Guard(Lock);
  return find(Module, Name, Agent, Size);
}

Error ToolModules::read(ToolModule &Module, StringRef Name, hsa_agent_t Agent,
                        void *To, size_t Size) {
  std::lock_guard Guard(Lock);
  Expected<uint64_t> Address = find(Module, Name, Agent, Size);
  if (!Address)
    return Address.takeError();
  return checkHsa(coreApi().hsa_memory_copy_fn(
                      To, reinterpret_cast<const void *>(*Address), Size),
                  "reading variable " + Name + " of " + Module.name());
}

Error ToolModules::write(ToolModule &Module, StringRef Name, hsa_agent_t Agent,
                         const void *From, size_t Size) {
  std::lock_guard Guard(Lock);
  Expected<uint64_t> Address = find(Module, Name, Agent, Size);
  if (!Address)
    return Address.takeError();
  return checkHsa(coreApi().hsa_memory_copy_fn(
                      reinterpret_cast<void *>(*Address), From, Size),
                  "writing variable " + Name + " of " + Module.name());
}

Error ToolModules::bind(ToolModule &Module, StringRef Name, hsa_agent_t Agent,
                        uint64_t Address, size_t Size) {
  std::lock_guard Guard(Lock);
  auto Known = variable(Module, Name, Size);
  if (!Known)
    return Known.takeError();
  if (Module.find(Agent))
    return moduleError(ModuleFault::InUse,
                       "variable " + Name + " of " + Module.name() +
                           " cannot be bound any more: the device has the "
                           "module already");
  Module.bind(Name, Agent, Address, Size);
  return Error::success();
}

Expected<void *> ToolModules::managed(ToolModule &Module, StringRef Name,
                                      size_t Size) {
  std::lock_guard Guard(Lock);
  auto Known = variable(Module, Name, Size);
  if (!Known)
    return Known.takeError();
  ManagedVariable *Found = Module.findManaged(Name);
  if (!Found)
    return moduleError(ModuleFault::NoVariable, "variable " + Name + " of " +
                                                    Module.name() +
                                                    " is not managed");
  return Found->host();
}

Expected<Channels::Pointer>
ToolModules::openChannel(ToolModule &Module, StringRef Name,
                         uint32_t LargestRecord, detail::RawConsumer Consume,
                         const ChannelOptions &Options) {
  std::lock_guard Guard(Lock);
  if (Module.isStatic())
    return moduleError(ModuleFault::Static,
                       "channel " + Name + " of " + Module.name() +
                           " is opened by the variable itself: the module is "
                           "a part of the tool");
  auto Known = variable(Module, Name, sizeof(detail::ChannelState));
  if (!Known)
    return Known.takeError();
  if (Module.isOnAnyAgent())
    return moduleError(ModuleFault::InUse,
                       "channel " + Name + " of " + Module.name() +
                           " cannot be opened any more: a device has the "
                           "module already");
  return channels().open(&Module.ChannelVariables[Name.str()],
                         "module " + Module.name(), LargestRecord,
                         std::move(Consume), Options);
}

Error ToolModules::openPrints(ToolModule &Module) {
  std::lock_guard Guard(Lock);
  Expected<const ToolModule::Contents &> All = Module.contents();
  if (!All)
    return All.takeError();
  if (!All->Variables.count(PrintsVariable.str()))
    return Error::success();
  return runtime::openPrints(&Module.ChannelVariables[PrintsVariable.str()],
                             "module " + Module.name());
}

} // namespace luthier::runtime
