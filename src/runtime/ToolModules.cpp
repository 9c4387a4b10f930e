// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ToolModules.h"
#include "hook/VariableAddresses.h"
#include "luthier/Refusal.h"
#include "runtime/Channels.h"
#include "runtime/EngineLock.h"
#include "runtime/HsaApi.h"
#include "runtime/Log.h"
#include "runtime/ToolLibrary.h"
#include "runtime/Verification.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"
#include <cstring>

using namespace llvm;

namespace luthier::runtime {

char UnloadedHook::ID = 0;

namespace {

/// LUTHIER_EXPORT_HOOK_HANDLE(H) exports this kernel for hook H.
constexpr StringLiteral HandlePrefix = "__luthier_hook_handle_";

} // namespace

ToolModule *ToolModules::addModule(const void *Bundle, StringRef Library) {
  return addDynamic(std::make_shared<ToolModule>(Bundle, Library)).get();
}

std::shared_ptr<ToolModule>
ToolModules::addDynamic(std::shared_ptr<ToolModule> New) {
  std::lock_guard Guard(Lock);
  const uint64_t Number = Described.size();
  Modules[Number] = New;
  Described.push_back(nullptr);
  describe(Number, {New->name(), {}});
  return New;
}

void ToolModules::addFunction(ToolModule &Module, const void *Stub,
                              StringRef Name) {
  std::lock_guard Guard(Lock);
  Functions[Stub] = {&Module, Name.str()};
}

void ToolModules::addVariable(ToolModule &Module, const void *Shadow,
                              StringRef Name, size_t Size) {
  std::lock_guard Guard(Lock);
  Variables[Shadow] = {&Module, Name.str(), Size};
}

void *ToolModules::addManagedVariable(ToolModule &Module, StringRef Name,
                                      const void *Initial, size_t Size,
                                      size_t Alignment) {
  std::lock_guard Guard(Lock);
  return Module.Managed.emplace_back(Name, Initial, Size, Alignment).host();
}

Expected<ToolModules::Function> ToolModules::hookOf(const void *Handle) const {
  if (std::optional<NumberedHook> Hook = numbered(Handle);
      Hook && Hook->Module < Described.size() &&
      Hook->Index < Described[Hook->Module]->Hooks.size()) {
    const Description &Of = *Described[Hook->Module];
    const std::string &Name = Of.Hooks[Hook->Index];
    auto It = Modules.find(Hook->Module);
    if (It == Modules.end())
      return make_error<UnloadedHook>("hook " + Name + " is of the module " +
                                      Of.Name + ", which is unloaded");
    return Function{It->second.get(), Name};
  }
  auto It = Functions.find(Handle);
  if (It == Functions.end())
    return refuse(RefusalReason::UnknownHook,
                  "no loaded tool exports the hook handle 0x" +
                      Twine::utohexstr(reinterpret_cast<uintptr_t>(Handle)) +
                      " (is LUTHIER_EXPORT_HOOK_HANDLE missing?)");
  const auto &[Module, Name] = It->second;
  StringRef Hook = Name;
  if (!Hook.consume_front(HandlePrefix))
    return refuse(RefusalReason::UnknownHook, "kernel " + Name + " of " +
                                                  Module->name() +
                                                  " is not a hook handle");
  return Function{Module, Hook.str()};
}

std::shared_ptr<ToolModule>
ToolModules::shared(const ToolModule &Module) const {
  for (const auto &[Number, Known] : Modules)
    if (Known.get() == &Module)
      return Known;
  return nullptr;
}

Expected<ResolvedHook> ToolModules::resolve(const void *Handle,
                                            hsa_agent_t Agent) {
  std::lock_guard Guard(Lock);
  Expected<Function> Hook = hookOf(Handle);
  if (!Hook)
    return Hook.takeError();
  Expected<ToolModule::OnAgent &> Where = open(*Hook->Module, Agent);
  if (!Where)
    return Where.takeError();
  return ResolvedHook({&Where->Hooks, Hook->Name}, Hook->Module->isStatic()
                                                       ? nullptr
                                                       : shared(*Hook->Module));
}

Expected<HookReference> ToolModules::resolveOffline(const void *Handle,
                                                    const TargetID &Target) {
  std::lock_guard Guard(Lock);
  Expected<Function> Hook = hookOf(Handle);
  if (!Hook)
    return Hook.takeError();
  bool IsNew = false;
  Expected<ToolModule::Offline &> Found =
      Hook->Module->findOffline(Target, IsNew);
  if (!Found)
    return Found.takeError();
  if (IsNew)
    if (Error E = listHostVariables(*Hook->Module, Found->Hooks,
                                    /*IsOnDevice=*/false))
      return std::move(E);
  return HookReference{&Found->Hooks, Hook->Name};
}

std::optional<OwnHooks> ToolModules::hooksFor(const TargetID &Target) {
  std::lock_guard Guard(Lock);
  for (auto &[Number, Module] : Modules) {
    OwnHooks Result;
    for (const auto &[Stub, Kernel] : Functions)
      if (StringRef Hook = Kernel.Name;
          Kernel.Module == Module.get() && Hook.consume_front(HandlePrefix))
        Result.All.push_back({Hook.str(), Kernel.Name});
    if (Result.All.empty())
      continue;
    sort(Result.All, [](auto &A, auto &B) { return A.Name < B.Name; });
    Expected<ToolModule::Offline> Made = Module->makeOffline(Target);
    if (!Made) {
      consumeError(Made.takeError());
      continue;
    }
    Made->Code->assume(Target);
    Result.Code = std::move(Made->Code);
    Result.Module = std::move(Made->Hooks);
    return Result;
  }
  return std::nullopt;
}

const CodeObject *ToolModules::offlineCode(const HookModule &Hooks) {
  std::lock_guard Guard(Lock);
  for (auto &[Number, Module] : Modules)
    for (ToolModule::Offline &Known : Module->Unloaded)
      if (&Known.Hooks == &Hooks)
        return Known.Code.get();
  return nullptr;
}

/// For the engine's thread, which does not hold the lock.
class ToolModules::Places : public VariablePlaces {
public:
  Places(ToolModules &All, std::weak_ptr<ToolModule> Module, hsa_agent_t Agent)
      : All(All), Module(std::move(Module)), Agent(Agent) {}

  Expected<uint64_t> find(StringRef Name) override {
    const std::shared_ptr<ToolModule> Of = Module.lock();
    if (!Of)
      return createStringError("the module of a hook is unloaded");
    if (!isHsaOpen())
      return createStringError("the GPU runtime is not running");
    std::lock_guard Guard(All.Lock);
    auto Found = All.place(*Of, Name, Agent);
    if (!Found)
      return Found.takeError();
    if (!*Found)
      return refuse(RefusalReason::UnsupportedHook,
                    "the device code of " + Of->name() + " lacks variable " +
                        Name);
    return **Found;
  }

  std::optional<uint64_t> findPlaced(StringRef Name) override {
    const std::shared_ptr<ToolModule> Of = Module.lock();
    std::lock_guard Guard(All.Lock);
    const ToolModule::OnAgent *Where = Of ? Of->find(Agent) : nullptr;
    return Where ? Of->placeOf(Name, Agent, *Where) : std::nullopt;
  }

private:
  ToolModules &All;
  const std::weak_ptr<ToolModule> Module;
  const hsa_agent_t Agent;
};

Expected<ToolModule::OnAgent &> ToolModules::open(ToolModule &Module,
                                                  hsa_agent_t Agent) {
  if (ToolModule::OnAgent *Known = Module.find(Agent))
    return *Known;
  return Module.open(Agent, [&](ToolModule::OnAgent &Where) {
    Where.Hooks.Places = std::make_shared<Places>(*this, shared(Module), Agent);
    return listHostVariables(Module, Where.Hooks, /*IsOnDevice=*/true);
  });
}

Expected<std::optional<uint64_t>>
ToolModules::place(ToolModule &Module, StringRef Name, hsa_agent_t Agent) {
  Expected<ToolModule::OnAgent &> Where = open(Module, Agent);
  if (!Where)
    return Where.takeError();
  if (auto Known = Module.placeOf(Name, Agent, *Where))
    return Known;
  if (Error E = Module.place(Agent, *Where, [&] {
        return tellOfVariables(Module, Agent, *Where);
      }))
    return std::move(E);
  if (Error E = ToolModule::fillCell(Name, *Where))
    return std::move(E);
  return Module.placeOf(Name, Agent, *Where);
}

/// What pointers of the host mean that a tool passes to \p Module's hooks.
Error ToolModules::listHostVariables(const ToolModule &Module,
                                     HookModule &Hooks, bool IsOnDevice) {
  // A dynamic module may be given what any tool has.
  StringSet<> Libraries;
  for (auto &[Number, Other] : Modules)
    if (Other->Library == Module.Library ||
        (!Module.isStatic() && Other->isStatic())) {
      if (Libraries.insert(Other->Library).second)
        append_range(Hooks.HostConstants, readOnlyMemoryOf(Other->Library));
      for (ManagedVariable &Variable : Other->Managed) {
        std::optional<uint64_t> Device;
        if (IsOnDevice) {
          Expected<uint64_t> Address = Variable.deviceAddress();
          if (!Address)
            return Address.takeError();
          Device = *Address;
        } else if (Other.get() == &Module &&
                   Hooks.Variables.contains(Variable.name())) {
          Device = nextStandIn(Hooks);
        }
        Hooks.HostVariables.push_back(
            {Variable.name().str(),
             reinterpret_cast<uintptr_t>(Variable.host()),
             Variable.contents().size(), Device});
      }
    }
  for (const auto &[Shadow, Variable] : Variables)
    if (Variable.Module == &Module) {
      std::optional<uint64_t> Device;
      if (!IsOnDevice && Hooks.Variables.contains(Variable.Name))
        Device = nextStandIn(Hooks);
      Hooks.HostVariables.push_back({Variable.Name,
                                     reinterpret_cast<uintptr_t>(Shadow),
                                     Variable.Size, Device});
    }
  return Error::success();
}

/// Every file of a tool that uses an inline variable has one of its own.
Error ToolModules::tellOfVariables(const ToolModule &Module, hsa_agent_t Agent,
                                   const ToolModule::OnAgent &Where) {
  for (const auto &[Shadow, Variable] : Variables) {
    const auto Found = Where.Addresses.find(Variable.Name);
    if (Variable.Module->Library != Module.Library ||
        Found == Where.Addresses.end())
      continue;
    if (Error E =
            channels().loaded(Shadow, *Where.Executable, Agent, Found->second))
      return E;
  }
  for (const auto &[Name, Member] : Module.ChannelVariables) {
    const auto Found = Module.placeOf(Name, Agent, Where);
    if (!Found)
      continue;
    if (Error E = channels().loaded(&Member, *Where.Executable, Agent, *Found))
      return E;
  }
  return Error::success();
}

bool ToolModules::isManaged(const void *Host, size_t Size) const {
  return any_of(Modules, [&](const auto &Module) {
    return any_of(Module.second->Managed, [&](const ManagedVariable &Variable) {
      return Variable.contains(Host, Size);
    });
  });
}

Expected<uint64_t> ToolModules::addressOf(const void *Host, hsa_agent_t Agent,
                                          size_t Size, size_t Offset) {
  auto It = Variables.find(Host);
  if (It == Variables.end()) {
    // A part of one.
    const auto Address = reinterpret_cast<uintptr_t>(Host);
    It = find_if(Variables, [&](const auto &Known) {
      return Address - reinterpret_cast<uintptr_t>(Known.first) <
             Known.second.Size;
    });
    if (It == Variables.end())
      return createStringError("the address is of no __device__ or managed "
                               "variable of a loaded tool");
    Offset += Address - reinterpret_cast<uintptr_t>(It->first);
  }
  const Variable &V = It->second;
  if (Size > V.Size || Offset > V.Size - Size)
    return createStringError("variable %s has %zu bytes, too few for %zu from "
                             "byte %zu on",
                             V.Name.c_str(), V.Size, Size, Offset);
  if (!isHsaOpen())
    return createStringError("the GPU runtime is not running");
  auto Found = place(*V.Module, V.Name, Agent);
  if (!Found)
    return Found.takeError();
  if (!*Found)
    return createStringError("the device code of %s lacks variable %s",
                             V.Module->name().c_str(), V.Name.c_str());
  return **Found + Offset;
}

Error ToolModules::read(const void *Host, hsa_agent_t Agent, void *To,
                        size_t Size, size_t Offset) {
  std::lock_guard Guard(Lock);
  const char *Managed = static_cast<const char *>(Host) + Offset;
  if (isManaged(Managed, Size)) {
    std::memcpy(To, Managed, Size);
    return Error::success();
  }
  Expected<uint64_t> Address = addressOf(Host, Agent, Size, Offset);
  if (!Address)
    return Address.takeError();
  return checkHsa(coreApi().hsa_memory_copy_fn(
                      To, reinterpret_cast<const void *>(*Address), Size),
                  "reading a device variable");
}

Error ToolModules::write(const void *Host, hsa_agent_t Agent, const void *From,
                         size_t Size, size_t Offset) {
  std::lock_guard Guard(Lock);
  const char *Managed = static_cast<const char *>(Host) + Offset;
  if (isManaged(Managed, Size)) {
    std::memcpy(const_cast<char *>(Managed), From, Size);
    return Error::success();
  }
  Expected<uint64_t> Address = addressOf(Host, Agent, Size, Offset);
  if (!Address)
    return Address.takeError();
  return checkHsa(coreApi().hsa_memory_copy_fn(
                      reinterpret_cast<void *>(*Address), From, Size),
                  "writing a device variable");
}

uint64_t ToolModules::managedFingerprint() {
  std::lock_guard Guard(Lock);
  hash_code Hash = 0;
  for (const auto &[Number, Module] : Modules)
    for (const ManagedVariable &Variable : Module->Managed)
      Hash = hash_combine(Hash, hash_value(Variable.contents()));
  return Hash;
}

void ToolModules::unloaded() {
  // Another thread may be compiling from a hook module.
  std::lock_guard EngineGuard(EngineLock);
  std::lock_guard Guard(Lock);
  for (auto &[Number, Module] : Modules)
    Module->closed();
}

} // namespace luthier::runtime
