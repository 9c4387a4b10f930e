// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/OwnExecutable.h"
#include "runtime/HsaApi.h"
#include "llvm/ADT/ScopeExit.h"
#include <string>

using namespace llvm;

namespace luthier::runtime {

Expected<std::unique_ptr<OwnExecutable>>
OwnExecutable::load(std::vector<uint8_t> CodeObject, hsa_agent_t Agent) {
  const CoreApiTable &Api = coreApi();
  std::unique_ptr<OwnExecutable> Own(
      new OwnExecutable(std::move(CodeObject), Agent));

  hsa_profile_t Profile = HSA_PROFILE_BASE;
  Api.hsa_agent_get_info_fn(Agent, HSA_AGENT_INFO_PROFILE, &Profile);
  if (Error E = checkHsa(Api.hsa_executable_create_alt_fn(
                             Profile, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
                             nullptr, &Own->Executable),
                         "creating an executable"))
    return std::move(E);

  hsa_code_object_reader_t Reader;
  if (Error E = checkHsa(Api.hsa_code_object_reader_create_from_memory_fn(
                             Own->Bytes.data(), Own->Bytes.size(), &Reader),
                         "reading a code object"))
    return std::move(E);
  scope_exit DestroyReader(
      [&] { Api.hsa_code_object_reader_destroy_fn(Reader); });

  if (Error E = checkHsa(Api.hsa_executable_load_agent_code_object_fn(
                             Own->Executable, Agent, Reader, nullptr, nullptr),
                         "loading a code object"))
    return std::move(E);
  if (Error E = checkHsa(Api.hsa_executable_freeze_fn(Own->Executable, nullptr),
                         "freezing an executable"))
    return std::move(E);
  return Own;
}

OwnExecutable::~OwnExecutable() {
  if (Executable.handle && isHsaOpen())
    coreApi().hsa_executable_destroy_fn(Executable);
}

Expected<uint64_t> OwnExecutable::kernelObject(StringRef Name) const {
  const CoreApiTable &Api = coreApi();
  std::string SymbolName = (Name + ".kd").str();
  hsa_executable_symbol_t Symbol;
  if (Error E = checkHsa(Api.hsa_executable_get_symbol_by_name_fn(
                             Executable, SymbolName.c_str(), &Agent, &Symbol),
                         "looking up " + SymbolName))
    return std::move(E);
  uint64_t Object = 0;
  if (Error E = checkHsa(
          Api.hsa_executable_symbol_get_info_fn(
              Symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &Object),
          "asking for the kernel object of " + SymbolName))
    return std::move(E);
  return Object;
}

SmallVector<AddressRange, 1> OwnExecutable::ranges() const {
  auto Take = [](hsa_executable_t, hsa_loaded_code_object_t Object,
                 void *Data) -> hsa_status_t {
    const auto &GetInfo =
        loaderApi()->hsa_ven_amd_loader_loaded_code_object_get_info;
    uint64_t Begin = 0, Size = 0;
    GetInfo(Object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE,
            &Begin);
    GetInfo(Object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE,
            &Size);
    static_cast<SmallVector<AddressRange, 1> *>(Data)->push_back(
        {Begin, Begin + Size});
    return HSA_STATUS_SUCCESS;
  };
  SmallVector<AddressRange, 1> Ranges;
  if (loaderApi())
    loaderApi()->hsa_ven_amd_loader_executable_iterate_loaded_code_objects(
        Executable, Take, &Ranges);
  return Ranges;
}

Expected<StringMap<uint64_t>> OwnExecutable::variables() const {
  auto Take = [](hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t Symbol,
                 void *Data) -> hsa_status_t {
    const auto &GetInfo = coreApi().hsa_executable_symbol_get_info_fn;
    hsa_symbol_kind_t Kind;
    uint32_t Length = 0;
    uint64_t Address = 0;
    if (GetInfo(Symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &Kind) !=
            HSA_STATUS_SUCCESS ||
        Kind != HSA_SYMBOL_KIND_VARIABLE)
      return HSA_STATUS_SUCCESS;
    hsa_status_t Status =
        GetInfo(Symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &Length);
    if (Status != HSA_STATUS_SUCCESS)
      return Status;
    std::string Name(Length, '\0');
    Status = GetInfo(Symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, Name.data());
    if (Status != HSA_STATUS_SUCCESS)
      return Status;
    Status =
        GetInfo(Symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &Address);
    if (Status != HSA_STATUS_SUCCESS)
      return Status;
    (*static_cast<StringMap<uint64_t> *>(Data))[Name] = Address;
    return HSA_STATUS_SUCCESS;
  };
  StringMap<uint64_t> Variables;
  if (Error E = checkHsa(coreApi().hsa_executable_iterate_agent_symbols_fn(
                             Executable, Agent, Take, &Variables),
                         "listing variables"))
    return std::move(E);
  return Variables;
}

} // namespace luthier::runtime
