// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ToolModule.h"
#include "codeobject/DeviceVariables.h"
#include "hook/HookBitcode.h"
#include "luthier/Refusal.h"
#include "runtime/Channels.h"
#include "runtime/HsaApi.h"
#include "runtime/Log.h"
#include "runtime/Verification.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace luthier::runtime {

Expected<std::shared_ptr<ToolModule>>
ToolModule::makeDynamic(StringRef Name, std::vector<BundledCodeObject> Images) {
  auto New = std::make_shared<ToolModule>(nullptr, Name);
  New->Images = std::move(Images);
  if (Error E = New->makeManaged())
    return std::move(E);
  return New;
}

/// In verification, which it has been excluded from.
static void includeAgain(const ToolModule::OnAgent &Where) {
  if (isVerifying() && Where.Executable)
    for (const AddressRange &Range : Where.Executable->ranges())
      includeInVerification(Range.Begin);
}

ToolModule::~ToolModule() {
  if (isStatic())
    return;
  for (auto &[Agent, Where] : Opened)
    includeAgain(*Where);
  Opened.clear();
  for (const auto &[Name, Member] : ChannelVariables)
    channels().close(&Member);
  for (ManagedVariable &Variable : Managed)
    Variable.release();
  logDebug("module " + name() + " is gone");
}

std::string ToolModule::name() const {
  return sys::path::filename(Library).str();
}

Expected<std::vector<BundledCodeObject>> ToolModule::images() const {
  return isStatic() ? readRegisteredBundle(Bundle) : Images;
}

/// All targets have the same, since they have one source; initial values are
/// those of the first.
Error ToolModule::makeManaged() {
  StringSet<> Made;
  for (const BundledCodeObject &Image : Images) {
    auto Object = CodeObject::create(Image.Bytes);
    if (!Object)
      return Object.takeError();
    auto Variables = variablesOf(**Object);
    if (!Variables)
      return Variables.takeError();
    for (const DeviceVariable &V : *Variables) {
      StringRef Name = V.Name;
      if (!Name.consume_back(ManagedSuffix) || !Made.insert(Name).second)
        continue;
      Managed.emplace_back(
          Name, V.Initial.size() == V.Size ? V.Initial.data() : nullptr, V.Size,
          V.alignment());
    }
  }
  return Error::success();
}

Expected<BundledCodeObject> ToolModule::codeObjectFor(hsa_agent_t Agent) const {
  Expected<std::string> Isa = isaName(Agent);
  if (!Isa)
    return Isa.takeError();
  Expected<TargetID> Device = TargetID::parse(*Isa);
  if (!Device)
    return Device.takeError();
  return codeObjectFor(*Device);
}

Expected<BundledCodeObject>
ToolModule::codeObjectFor(const TargetID &Device) const {
  Expected<std::vector<BundledCodeObject>> Entries = images();
  if (!Entries)
    return Entries.takeError();
  for (BundledCodeObject &Entry : *Entries)
    if (Entry.Target.runsOn(Device))
      return std::move(Entry);
  return refuse(
      RefusalReason::ToolWithoutTarget,
      name() + " is built for " +
          join(map_range(*Entries, [](auto &E) { return E.Target.str(); }),
               ", ") +
          ", not for " + Device.str());
}

/// Fills Read.
Expected<std::unique_ptr<CodeObject>>
ToolModule::readHooks(const BundledCodeObject &Entry) {
  Expected<std::unique_ptr<CodeObject>> Object =
      CodeObject::create(Entry.Bytes);
  if (!Object)
    return Object.takeError();
  std::optional<ArrayRef<uint8_t>> Bitcode = (*Object)->section(HooksSection);
  if (!Bitcode || Bitcode->empty())
    return refuse(RefusalReason::ToolWithoutBitcode,
                  name() + " has no hook bitcode for " + Entry.Target.str() +
                      " (build it with luthier_add_tool; hooks are in a source "
                      "with MARK_LUTHIER_DEVICE_MODULE, begin with "
                      "LUTHIER_HOOK_ANNOTATE and have a handle)");
  auto Defined = variablesOf(**Object);
  if (!Defined)
    return Defined.takeError();
  HookModule &Hooks = Read[Entry.Target.str()];
  Hooks.ToolName = name();
  Hooks.Bitcode.assign(Bitcode->begin(), Bitcode->end());
  for (const DeviceVariable &V : *Defined)
    Hooks.Variables[V.Name] = V.Address;
  return Object;
}

ToolModule::OnAgent *ToolModule::find(hsa_agent_t Agent) {
  auto It = Opened.find(Agent.handle);
  return It == Opened.end() ? nullptr : It->second.get();
}

Expected<ToolModule::OnAgent &>
ToolModule::open(hsa_agent_t Agent, function_ref<Error(OnAgent &)> Complete) {
  if (auto Known = Failed.find(Agent.handle); Known != Failed.end())
    return Known->second.error();
  auto fail = [&](Error E) {
    return Failed.emplace(Agent.handle, RememberedError(std::move(E)))
        .first->second.error();
  };
  auto New = openAnew(Agent);
  if (!New)
    return fail(New.takeError());
  if (Error E = Complete(**New))
    return fail(std::move(E));
  return *(Opened[Agent.handle] = std::move(*New));
}

Expected<std::unique_ptr<ToolModule::OnAgent>>
ToolModule::openAnew(hsa_agent_t Agent) {
  Expected<BundledCodeObject> Entry = codeObjectFor(Agent);
  if (!Entry)
    return Entry.takeError();
  auto New = std::make_unique<OnAgent>();
  New->Code = std::move(*Entry);
  const std::string Target = New->Code.Target.str();
  if (!Read.count(Target))
    if (auto Code = readHooks(New->Code); !Code)
      return Code.takeError();
  New->Hooks = Read.at(Target);
  if (Error E = findStorage(Agent, *New))
    return std::move(E);
  return New;
}

/// Where managed variables are, and those that are bound to memory.
Error ToolModule::findStorage(hsa_agent_t Agent, OnAgent &Where) {
  for (ManagedVariable &Variable : Managed) {
    if (!Where.Hooks.Variables.contains(Variable.name()))
      continue;
    Expected<uint64_t> Address = Variable.deviceAddress();
    if (!Address)
      return Address.takeError();
    Where.Hooks.ManagedStorage[Variable.name()] = *Address;
    excludeFromVerification(*Address, *Address + Variable.contents().size());
  }
  auto Here = Bound.find(Agent.handle);
  if (Here == Bound.end())
    return Error::success();
  Expected<const Contents &> All = contents();
  if (!All)
    return All.takeError();
  for (const auto &[Name, Memory] : Here->second) {
    excludeFromVerification(Memory.Address, Memory.Address + Memory.Size);
    const bool IsManaged = All->Variables.at(Name.str()).IsManaged;
    (IsManaged ? Where.Hooks.ManagedStorage : Where.Hooks.Variables)[Name] =
        Memory.Address;
  }
  return Error::success();
}

Error ToolModule::place(hsa_agent_t Agent, OnAgent &Where,
                        function_ref<Error()> Complete) {
  if (Where.PlaceError)
    return Where.PlaceError->error();
  if (Where.Executable)
    return Error::success();
  Error E = placeAnew(Agent, Where);
  if (!E)
    E = Complete();
  if (!E)
    return Error::success();
  includeAgain(Where);
  Where.Executable.reset();
  Where.Addresses.clear();
  Where.EmptyCells.clear();
  return Where.PlaceError.emplace(std::move(E)).error();
}

Error ToolModule::placeAnew(hsa_agent_t Agent, OnAgent &Where) {
  const BundledCodeObject Code = std::move(Where.Code);
  Expected<std::unique_ptr<OwnExecutable>> Executable =
      OwnExecutable::load(Code.Bytes.vec(), Agent);
  if (!Executable)
    return createStringError(name() + ": " + toString(Executable.takeError()));
  Where.Executable = std::move(*Executable);
  if (Expected<StringMap<uint64_t>> Found = Where.Executable->variables())
    Where.Addresses = std::move(*Found);
  else
    return Found.takeError();
  for (const auto &[Name, Storage] : Where.Hooks.ManagedStorage)
    if (auto Cell = Where.Addresses.find(Name); Cell != Where.Addresses.end()) {
      Where.EmptyCells[Name] = Cell->second;
      Where.Addresses.erase(Cell);
    }
  if (isVerifying())
    for (const AddressRange &Range : Where.Executable->ranges())
      excludeFromVerification(Range.Begin, Range.End);
  logDebug("loaded the device code of " + name() + " for " + Code.Target.str());
  return Error::success();
}

/// A managed variable X is, in device code, a pointer named X.
Error ToolModule::fillCell(StringRef Name, OnAgent &Where) {
  auto Cell = Where.EmptyCells.find(Name);
  if (Cell == Where.EmptyCells.end())
    return Error::success();
  const uint64_t Address = Cell->second;
  const uint64_t Storage = Where.Hooks.ManagedStorage.lookup(Name);
  if (Error E = checkHsa(
          coreApi().hsa_memory_copy_fn(reinterpret_cast<void *>(Address),
                                       &Storage, sizeof(Storage)),
          "linking managed variable " + Name))
    return E;
  Where.EmptyCells.erase(Cell);
  Where.Addresses[Name] = Address;
  return Error::success();
}

std::optional<uint64_t> ToolModule::placeOf(StringRef Name, hsa_agent_t Agent,
                                            const OnAgent &Where) const {
  const bool IsOpenChannel = ChannelVariables.contains(Name.str());
  if (auto Here = Bound.find(Agent.handle);
      Here != Bound.end() && !Where.Hooks.ManagedStorage.contains(Name) &&
      (Where.Executable || !IsOpenChannel))
    if (auto Memory = Here->second.find(Name); Memory != Here->second.end())
      return Memory->second.Address;
  auto Found = Where.Addresses.find(Name);
  return Found == Where.Addresses.end() ? std::nullopt
                                        : std::optional(Found->second);
}

Expected<ToolModule::Offline> ToolModule::makeOffline(const TargetID &Target) {
  Expected<BundledCodeObject> Entry = codeObjectFor(Target);
  if (!Entry)
    return Entry.takeError();
  Expected<std::unique_ptr<CodeObject>> Code = readHooks(*Entry);
  if (!Code)
    return Code.takeError();
  Offline New{Target, std::move(*Code), Read.at(Entry->Target.str())};
  New.Hooks.SymbolicVariables = true;
  return New;
}

Expected<ToolModule::Offline &> ToolModule::findOffline(const TargetID &Target,
                                                        bool &IsNew) {
  IsNew = false;
  for (Offline &Known : Unloaded)
    if (Known.Target.str() == Target.str())
      return Known;
  Expected<Offline> New = makeOffline(Target);
  if (!New)
    return New.takeError();
  Unloaded.push_back(std::move(*New));
  IsNew = true;
  return Unloaded.back();
}

Error ToolModule::add(const BundledCodeObject &Image, Contents &To) const {
  auto Object = CodeObject::create(Image.Bytes);
  if (!Object)
    return Object.takeError();
  To.Targets.push_back(Image.Target.str());
  auto Compilation = compilationOf(**Object);
  if (!Compilation)
    return Compilation.takeError();
  if (!Compilation->empty())
    To.Compilation = std::move(*Compilation);
  if (auto Bitcode = (*Object)->section(HooksSection);
      Bitcode && !Bitcode->empty()) {
    auto InHooks = readHookBitcode(*Bitcode);
    if (!InHooks)
      return InHooks.takeError();
    append_range(To.Hooks, InHooks->Hooks);
    for (const BitcodeContents::Variable &V : InHooks->Variables)
      To.Variables.try_emplace(V.Name, V.IsManaged ? 0 : V.Size, V.IsManaged);
  }
  auto Defined = variablesOf(**Object);
  if (!Defined)
    return Defined.takeError();
  for (const DeviceVariable &V : *Defined)
    if (!V.IsCell && !StringRef(V.Name).ends_with(ManagedSuffix))
      To.Variables[V.Name] = {V.Size, false};
  for (const DeviceVariable &V : *Defined)
    if (StringRef Name = V.Name; Name.consume_back(ManagedSuffix))
      To.Variables[Name.str()] = {V.Size, true};
  return Error::success();
}

Expected<const ToolModule::Contents &> ToolModule::contents() {
  if (Known)
    return *Known;
  Expected<std::vector<BundledCodeObject>> All = images();
  if (!All)
    return All.takeError();
  Contents New;
  for (const BundledCodeObject &Image : *All)
    if (Error E = add(Image, New))
      return std::move(E);
  llvm::sort(New.Hooks);
  New.Hooks.erase(unique(New.Hooks), New.Hooks.end());
  return Known.emplace(std::move(New));
}

void ToolModule::bind(StringRef Name, hsa_agent_t Agent, uint64_t Address,
                      size_t Size) {
  Bound[Agent.handle][Name] = {Address, Size};
}

ManagedVariable *ToolModule::findManaged(StringRef Name) {
  auto It = find_if(Managed, [&](auto &V) { return V.name() == Name; });
  return It == Managed.end() ? nullptr : &*It;
}

void ToolModule::closed() {
  Opened.clear();
  Failed.clear();
  Bound.clear();
  for (ManagedVariable &Variable : Managed)
    Variable.unlocked();
}

} // namespace luthier::runtime
