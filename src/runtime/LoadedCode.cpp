// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/LoadedCode.h"
#include "codeobject/CodeObject.h"
#include "codeobject/GenericTarget.h"
#include "runtime/HsaApi.h"
#include "runtime/Log.h"
#include "runtime/Refusals.h"
#include "runtime/RememberedError.h"
#include "llvm/ADT/StringExtras.h"
#include <unistd.h>

using namespace llvm;

namespace luthier {

struct hsa::LoadedCodeObject::Impl {
  hsa_executable_t Executable = {0};
  hsa_agent_t Agent = {0};
  runtime::AddressRange Range;
  uint64_t LoadBias = 0;

  /// Fails if the bytes are no AMD GPU code object.
  Expected<std::shared_ptr<const CodeObject>> parsed() {
    std::call_once(ParseOnce, [&] {
      Expected<std::unique_ptr<CodeObject>> Result = CodeObject::create(Bytes);
      if (Result) {
        takeForDevice(**Result);
        Parsed = std::move(*Result);
        std::vector<uint8_t>().swap(Bytes);
      } else {
        Failure.emplace(Result.takeError());
      }
    });
    if (Failure)
      return Failure->error();
    return Parsed;
  }

  std::vector<uint8_t> Bytes;

private:
  /// Code for a generic target is that of a device that runs it; where nobody
  /// knows what that is, it is refused as what it is.
  void takeForDevice(CodeObject &Code) const {
    if (!StringRef(Code.target().Processor).ends_with("-generic"))
      return;
    Expected<std::string> Name = runtime::isaName(Agent);
    auto Device = Name ? TargetID::parse(*Name) : Name.takeError();
    if (!Device)
      return consumeError(Device.takeError());
    Code.assume(targetOn(Code.target(), *Device));
  }

  std::once_flag ParseOnce;
  std::shared_ptr<const CodeObject> Parsed;
  std::optional<runtime::RememberedError> Failure;
};

hsa_agent_t hsa::LoadedCodeObject::agent() const { return P->Agent; }
uint64_t hsa::LoadedCodeObject::address() const { return P->Range.Begin; }
uint64_t hsa::LoadedCodeObject::size() const {
  return P->Range.End - P->Range.Begin;
}

std::vector<hsa::LoadedCodeObjectKernel>
hsa::LoadedCodeObject::kernels() const {
  std::vector<LoadedCodeObjectKernel> Result;
  Expected<std::shared_ptr<const CodeObject>> Code = P->parsed();
  if (!Code) {
    runtime::reportRefusal("unknown at 0x" + utohexstr(P->Range.Begin),
                           Code.takeError());
    return Result;
  }
  for (const KernelInfo &Info : (*Code)->kernels())
    Result.push_back(
        runtime::KernelAccess::make(*Code, Info, P->Agent, P->LoadBias));
  return Result;
}

ArrayRef<uint8_t> hsa::LoadedCodeObject::bytes() const {
  Expected<std::shared_ptr<const CodeObject>> Code = P->parsed();
  if (Code)
    return (*Code)->bytes();
  consumeError(Code.takeError());
  return P->Bytes;
}

Error hsa::LoadedCodeObject::read(uint64_t Address,
                                  MutableArrayRef<uint8_t> To) const {
  const uint64_t From = Address + P->LoadBias;
  if (From < P->Range.Begin || To.size() > P->Range.End - P->Range.Begin ||
      From - P->Range.Begin > P->Range.End - P->Range.Begin - To.size())
    return createStringError("a code object has no " + Twine(To.size()) +
                             " bytes at 0x" + Twine::utohexstr(Address));
  if (To.empty())
    return Error::success();
  return runtime::checkHsa(
      runtime::coreApi().hsa_memory_copy_fn(
          To.data(), reinterpret_cast<const void *>(From), To.size()),
      "reading a code object from the device");
}

} // namespace luthier

namespace luthier::runtime {
namespace {

template <typename T>
T get(hsa_loaded_code_object_t Object,
      hsa_ven_amd_loader_loaded_code_object_info_t Attribute) {
  T Value = {};
  hsa_status_t Status =
      loaderApi()->hsa_ven_amd_loader_loaded_code_object_get_info(
          Object, Attribute, &Value);
  return Status == HSA_STATUS_SUCCESS ? Value : T{};
}

std::vector<uint8_t> readFile(int File) {
  std::vector<uint8_t> Bytes;
  // Positional reads: the descriptor and its offset are the application's.
  uint8_t Buffer[1 << 16];
  for (ssize_t Read; (Read = ::pread(File, Buffer, sizeof(Buffer),
                                     static_cast<off_t>(Bytes.size()))) > 0;)
    Bytes.insert(Bytes.end(), Buffer, Buffer + Read);
  return Bytes;
}

std::vector<uint8_t> copyBytes(hsa_loaded_code_object_t Object) {
  switch (get<uint32_t>(
      Object,
      HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE)) {
  case HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY: {
    auto Base = get<uint64_t>(
        Object,
        HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE);
    auto Size = get<uint64_t>(
        Object,
        HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE);
    const auto *Begin = reinterpret_cast<const uint8_t *>(Base);
    return std::vector<uint8_t>(Begin, Begin + Size);
  }
  case HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_FILE:
    return readFile(get<int>(
        Object,
        HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_FILE));
  default:
    return {};
  }
}

bool isAgentCode(hsa_loaded_code_object_t Object) {
  return get<uint32_t>(Object,
                       HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND) ==
         HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT;
}

} // namespace

void LoadedCode::loaded(hsa_executable_t Executable,
                        hsa_loaded_code_object_t Handle) {
  if (!loaderApi() || !isAgentCode(Handle))
    return;
  auto New = std::make_shared<Object>();
  New->Executable = Executable;
  New->Bytes = copyBytes(Handle);
  std::unique_lock Guard(Lock);
  Pending[Handle.handle] = std::move(New);
}

std::vector<hsa::LoadedCodeObject>
LoadedCode::frozen(hsa_executable_t Executable) {
  std::vector<hsa_loaded_code_object_t> Handles;
  auto Visit = [](hsa_executable_t, hsa_loaded_code_object_t Handle,
                  void *Data) -> hsa_status_t {
    if (isAgentCode(Handle))
      static_cast<decltype(Handles) *>(Data)->push_back(Handle);
    return HSA_STATUS_SUCCESS;
  };
  if (loaderApi())
    loaderApi()->hsa_ven_amd_loader_executable_iterate_loaded_code_objects(
        Executable, Visit, &Handles);
  std::vector<hsa::LoadedCodeObject> Result;
  for (hsa_loaded_code_object_t Handle : Handles)
    Result.push_back(KernelAccess::make(freezeOne(Executable, Handle)));
  return Result;
}

std::vector<hsa::LoadedCodeObject>
LoadedCode::objectsOf(hsa_executable_t Executable) {
  std::vector<hsa::LoadedCodeObject> Result;
  std::shared_lock Guard(Lock);
  for (auto &[Begin, O] : Objects)
    if (O->Executable.handle == Executable.handle)
      Result.push_back(KernelAccess::make(O));
  return Result;
}

std::vector<AddressRange> LoadedCode::rangesOf(hsa_executable_t Executable) {
  std::vector<AddressRange> Result;
  std::shared_lock Guard(Lock);
  for (auto &[Begin, O] : Objects)
    if (O->Executable.handle == Executable.handle)
      Result.push_back(O->Range);
  return Result;
}

std::shared_ptr<LoadedCode::Object>
LoadedCode::freezeOne(hsa_executable_t Executable,
                      hsa_loaded_code_object_t Handle) {
  std::shared_ptr<Object> New;
  {
    std::unique_lock Guard(Lock);
    if (auto Node = Pending.extract(Handle.handle))
      New = std::move(Node.mapped());
  }
  if (!New) {
    // Loaded through the deprecated call that takes a deserialised object.
    New = std::make_shared<Object>();
    New->Executable = Executable;
    New->Bytes = copyBytes(Handle);
  }
  New->Agent = get<hsa_agent_t>(
      Handle, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT);
  New->Range.Begin = get<uint64_t>(
      Handle, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE);
  New->Range.End =
      New->Range.Begin +
      get<uint64_t>(Handle,
                    HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE);
  New->LoadBias = get<int64_t>(
      Handle, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA);
  logDebug("code object of " + Twine(New->Bytes.size()) + " bytes at 0x" +
           Twine::utohexstr(New->Range.Begin));

  std::unique_lock Guard(Lock);
  // A null entry says that a kernel object was unknown; it may be known now.
  std::erase_if(Kernels, [](const auto &Entry) { return !Entry.second; });
  Objects[New->Range.Begin] = New;
  return New;
}

std::vector<AddressRange> LoadedCode::destroyed(hsa_executable_t Executable) {
  auto IsOurs = [&](const std::shared_ptr<Object> &O) {
    return O->Executable.handle == Executable.handle;
  };
  std::vector<AddressRange> Freed;
  std::unique_lock Guard(Lock);
  std::erase_if(Pending, [&](auto &Entry) { return IsOurs(Entry.second); });
  std::erase_if(Objects, [&](auto &Entry) {
    if (!IsOurs(Entry.second))
      return false;
    Freed.push_back(Entry.second->Range);
    return true;
  });
  std::erase_if(Kernels, [&](auto &Entry) {
    for (const AddressRange &Range : Freed)
      if (Range.Begin <= Entry.first && Entry.first < Range.End)
        return true;
    return false;
  });
  return Freed;
}

void LoadedCode::clear() {
  std::unique_lock Guard(Lock);
  Pending.clear();
  Objects.clear();
  Kernels.clear();
}

KernelPointer LoadedCode::findKernel(uint64_t KernelObject) {
  {
    std::shared_lock Guard(Lock);
    if (auto It = Kernels.find(KernelObject); It != Kernels.end())
      return It->second;
  }
  KernelPointer Kernel = findInObject(KernelObject);
  if (!Kernel)
    logDebug("a dispatch of an unknown kernel, object 0x" +
             Twine::utohexstr(KernelObject));
  std::unique_lock Guard(Lock);
  // Another thread may have been faster; all must see the same object.
  return Kernels.try_emplace(KernelObject, std::move(Kernel)).first->second;
}

KernelPointer LoadedCode::findInObject(uint64_t KernelObject) {
  std::shared_ptr<Object> Found;
  {
    std::shared_lock Guard(Lock);
    auto It = Objects.upper_bound(KernelObject);
    if (It == Objects.begin())
      return nullptr;
    Found = std::prev(It)->second;
  }
  if (KernelObject >= Found->Range.End)
    return nullptr;
  Expected<std::shared_ptr<const CodeObject>> Code = Found->parsed();
  if (!Code) {
    reportRefusal("unknown at 0x" + utohexstr(KernelObject), Code.takeError());
    return nullptr;
  }
  const KernelInfo *Info =
      (*Code)->findKernelAt(KernelObject - Found->LoadBias);
  if (!Info)
    return nullptr;
  return std::make_shared<hsa::LoadedCodeObjectKernel>(
      KernelAccess::make(*Code, *Info, Found->Agent, Found->LoadBias));
}

} // namespace luthier::runtime
