// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ToolModules.h"
#include "luthier/Refusal.h"
#include "runtime/Channels.h"
#include "runtime/EngineLock.h"
#include "runtime/HsaApi.h"
#include "runtime/Log.h"
#include "runtime/Verification.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <cstring>

using namespace llvm;

namespace luthier::runtime {
namespace {

/// LUTHIER_EXPORT_HOOK_HANDLE(H) exports this kernel for hook H.
constexpr StringLiteral HandlePrefix = "__luthier_hook_handle_";

} // namespace

std::string ToolModule::name() const {
  return sys::path::filename(Library).str();
}

ToolModule *ToolModules::addModule(const void *Bundle, StringRef Library) {
  std::lock_guard Guard(Lock);
  ToolModule &Module = Modules.emplace_back();
  Module.Bundle = Bundle;
  Module.Library = Library;
  return &Module;
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

Expected<HookReference> ToolModules::resolve(const void *Handle,
                                             hsa_agent_t Agent) {
  std::lock_guard Guard(Lock);
  Expected<Function> Hook = hookOf(Handle);
  if (!Hook)
    return Hook.takeError();
  Expected<ToolModule::OnAgent &> Where = load(*Hook->Module, Agent);
  if (!Where)
    return Where.takeError();
  return HookReference{&Where->Hooks, Hook->Name};
}

Expected<HookReference> ToolModules::resolveOffline(const void *Handle,
                                                    const TargetID &Target) {
  std::lock_guard Guard(Lock);
  Expected<Function> Hook = hookOf(Handle);
  if (!Hook)
    return Hook.takeError();
  ToolModule &Module = *Hook->Module;
  for (ToolModule::Offline &Known : Module.Unloaded)
    if (Known.Target.str() == Target.str())
      return HookReference{&Known.Hooks, Hook->Name};
  Expected<BundledCodeObject> Entry = codeObjectFor(Module, Target);
  if (!Entry)
    return Entry.takeError();
  ToolModule::Offline New{Target, nullptr, {}};
  Expected<std::unique_ptr<CodeObject>> Code =
      readHooks(Module, *Entry, New.Hooks);
  if (!Code)
    return Code.takeError();
  New.Code = std::move(*Code);
  New.Hooks.SymbolicVariables = true;
  if (Error E = listHostVariables(Module, New.Hooks, /*IsLoaded=*/false))
    return std::move(E);
  Module.Unloaded.push_back(std::move(New));
  return HookReference{&Module.Unloaded.back().Hooks, Hook->Name};
}

const CodeObject *ToolModules::offlineCode(const HookModule &Hooks) {
  std::lock_guard Guard(Lock);
  for (ToolModule &Module : Modules)
    for (ToolModule::Offline &Known : Module.Unloaded)
      if (&Known.Hooks == &Hooks)
        return Known.Code.get();
  return nullptr;
}

Expected<BundledCodeObject> ToolModules::codeObjectFor(const ToolModule &Module,
                                                       hsa_agent_t Agent) {
  Expected<std::string> Isa = isaName(Agent);
  if (!Isa)
    return Isa.takeError();
  Expected<TargetID> Device = TargetID::parse(*Isa);
  if (!Device)
    return Device.takeError();
  return codeObjectFor(Module, *Device);
}

Expected<BundledCodeObject> ToolModules::codeObjectFor(const ToolModule &Module,
                                                       const TargetID &Device) {
  Expected<std::vector<BundledCodeObject>> Entries =
      readRegisteredBundle(Module.Bundle);
  if (!Entries)
    return Entries.takeError();
  for (BundledCodeObject &Entry : *Entries)
    if (Entry.Target.runsOn(Device))
      return std::move(Entry);
  return refuse(
      RefusalReason::ToolWithoutTarget,
      Module.name() + " is built for " +
          join(map_range(*Entries, [](auto &E) { return E.Target.str(); }),
               ", ") +
          ", not for " + Device.str());
}

/// Gives \p Hooks what it has without any device.
Expected<std::unique_ptr<CodeObject>>
ToolModules::readHooks(const ToolModule &Module, const BundledCodeObject &Entry,
                       HookModule &Hooks) {
  Expected<std::unique_ptr<CodeObject>> Object =
      CodeObject::create(Entry.Bytes);
  if (!Object)
    return Object.takeError();
  std::optional<ArrayRef<uint8_t>> Bitcode = (*Object)->section(".llvmbc");
  if (!Bitcode || Bitcode->empty())
    return refuse(RefusalReason::ToolWithoutBitcode,
                  Module.name() + " has no hook bitcode for " +
                      Entry.Target.str() +
                      " (build it with luthier_add_tool; hooks are in a source "
                      "with MARK_LUTHIER_DEVICE_MODULE, begin with "
                      "LUTHIER_HOOK_ANNOTATE and have a handle)");
  Hooks.ToolName = Module.name();
  Hooks.Bitcode.assign(Bitcode->begin(), Bitcode->end());
  return Object;
}

Expected<ToolModule::OnAgent &> ToolModules::load(ToolModule &Module,
                                                  hsa_agent_t Agent) {
  std::unique_ptr<ToolModule::OnAgent> &Slot = Module.Loaded[Agent.handle];
  if (Slot)
    return *Slot;
  if (auto Known = Module.Failed.find(Agent.handle);
      Known != Module.Failed.end())
    return Known->second.error();
  auto New = loadAnew(Module, Agent);
  if (!New)
    return Module.Failed.emplace(Agent.handle, RememberedError(New.takeError()))
        .first->second.error();
  Slot = std::move(*New);
  return *Slot;
}

Expected<std::unique_ptr<ToolModule::OnAgent>>
ToolModules::loadAnew(ToolModule &Module, hsa_agent_t Agent) {
  Expected<BundledCodeObject> Entry = codeObjectFor(Module, Agent);
  if (!Entry)
    return Entry.takeError();
  auto New = std::make_unique<ToolModule::OnAgent>();
  if (auto Read = readHooks(Module, *Entry, New->Hooks); !Read)
    return Read.takeError();
  Expected<std::unique_ptr<OwnExecutable>> Executable =
      OwnExecutable::load(Entry->Bytes.vec(), Agent);
  if (!Executable)
    return Executable.takeError();
  New->Executable = std::move(*Executable);
  if (Expected<StringMap<uint64_t>> Found = New->Executable->variables())
    New->Hooks.Variables = std::move(*Found);
  else
    return Found.takeError();
  if (Error E = linkManaged(Module, *New))
    return std::move(E);
  if (Error E = listHostVariables(Module, New->Hooks, /*IsLoaded=*/true))
    return std::move(E);
  if (isVerifying())
    for (const AddressRange &Range : New->Executable->ranges())
      excludeFromVerification(Range.Begin, Range.End);
  if (Error E = tellOfVariables(Module, Agent, *New))
    return std::move(E);
  logDebug("loaded the device code of " + Module.name() + " for " +
           Entry->Target.str());
  return New;
}

/// A managed variable X is, in device code, a pointer named X.
Error ToolModules::linkManaged(ToolModule &Module, ToolModule::OnAgent &Where) {
  for (ManagedVariable &Variable : Module.Managed) {
    auto Cell = Where.Hooks.Variables.find(Variable.name());
    if (Cell == Where.Hooks.Variables.end())
      continue;
    Expected<uint64_t> Address = Variable.deviceAddress();
    if (!Address)
      return Address.takeError();
    if (Error E = checkHsa(
            coreApi().hsa_memory_copy_fn(reinterpret_cast<void *>(Cell->second),
                                         &*Address, sizeof(*Address)),
            "linking managed variable " + Variable.name()))
      return E;
    Where.Hooks.ManagedStorage[Variable.name()] = *Address;
    excludeFromVerification(*Address, *Address + Variable.contents().size());
  }
  return Error::success();
}

/// What pointers of the host mean that a tool passes to \p Module's hooks.
Error ToolModules::listHostVariables(const ToolModule &Module,
                                     HookModule &Hooks, bool IsLoaded) {
  for (ToolModule &Other : Modules)
    if (Other.Library == Module.Library)
      for (ManagedVariable &Variable : Other.Managed) {
        std::optional<uint64_t> Device;
        if (IsLoaded) {
          Expected<uint64_t> Address = Variable.deviceAddress();
          if (!Address)
            return Address.takeError();
          Device = *Address;
        }
        Hooks.HostVariables.push_back(
            {Variable.name().str(),
             reinterpret_cast<uintptr_t>(Variable.host()),
             Variable.contents().size(), Device});
      }
  for (const auto &[Shadow, Variable] : Variables)
    if (Variable.Module == &Module) {
      auto Found = Hooks.Variables.find(Variable.Name);
      Hooks.HostVariables.push_back(
          {Variable.Name, reinterpret_cast<uintptr_t>(Shadow), Variable.Size,
           Found == Hooks.Variables.end() ? std::nullopt
                                          : std::optional(Found->second)});
    }
  return Error::success();
}

/// Every file of a tool that uses an inline variable has one of its own.
Error ToolModules::tellOfVariables(const ToolModule &Module, hsa_agent_t Agent,
                                   const ToolModule::OnAgent &Where) {
  for (const auto &[Shadow, Variable] : Variables) {
    const auto Found = Where.Hooks.Variables.find(Variable.Name);
    if (Variable.Module->Library != Module.Library ||
        Found == Where.Hooks.Variables.end())
      continue;
    if (Error E =
            channels().loaded(Shadow, *Where.Executable, Agent, Found->second))
      return E;
  }
  return Error::success();
}

bool ToolModules::isManaged(const void *Host, size_t Size) const {
  return any_of(Modules, [&](const ToolModule &Module) {
    return any_of(Module.Managed, [&](const ManagedVariable &Variable) {
      return Variable.contains(Host, Size);
    });
  });
}

Expected<uint64_t> ToolModules::addressOf(const void *Host, hsa_agent_t Agent,
                                          size_t Size, size_t Offset) {
  auto It = Variables.find(Host);
  if (It == Variables.end())
    return createStringError("not a device variable of a loaded tool");
  const Variable &V = It->second;
  if (Size > V.Size || Offset > V.Size - Size)
    return createStringError("variable %s has %zu bytes, not %zu",
                             V.Name.c_str(), V.Size, Offset + Size);
  if (!isHsaOpen())
    return createStringError("the GPU runtime is not running");
  Expected<ToolModule::OnAgent &> Where = load(*V.Module, Agent);
  if (!Where)
    return Where.takeError();
  auto Found = Where->Hooks.Variables.find(V.Name);
  if (Found == Where->Hooks.Variables.end())
    return createStringError("the device code of %s lacks variable %s",
                             V.Module->name().c_str(), V.Name.c_str());
  return Found->second + Offset;
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
  for (const ToolModule &Module : Modules)
    for (const ManagedVariable &Variable : Module.Managed)
      Hash = hash_combine(Hash, hash_value(Variable.contents()));
  return Hash;
}

void ToolModules::unloaded() {
  // Another thread may be compiling from a hook module.
  std::lock_guard EngineGuard(EngineLock);
  std::lock_guard Guard(Lock);
  for (ToolModule &Module : Modules) {
    Module.Loaded.clear();
    Module.Failed.clear();
    for (ManagedVariable &Variable : Module.Managed)
      Variable.unlocked();
  }
}

} // namespace luthier::runtime
