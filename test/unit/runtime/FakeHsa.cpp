// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeHsa.h"
#include "runtime/HsaApi.h"
#include <atomic>
#include <cstring>

using namespace luthier::runtime;

namespace luthier::test {
namespace {

FakeHsa *Current = nullptr;

hsa_status_t createSignal(hsa_signal_value_t Value, uint32_t,
                          const hsa_agent_t *, hsa_signal_t *Signal) {
  Current->Signals.push_back(Value);
  Signal->handle = Current->Signals.size();
  return HSA_STATUS_SUCCESS;
}

hsa_status_t destroySignal(hsa_signal_t) { return HSA_STATUS_SUCCESS; }

/// Luthier may look at signals from threads of its own.
std::atomic_ref<int64_t> signal(hsa_signal_t Signal) {
  return std::atomic_ref(Current->Signals[Signal.handle - 1]);
}

void storeSignal(hsa_signal_t Signal, hsa_signal_value_t Value) {
  signal(Signal) = Value;
}

hsa_signal_value_t waitForSignal(hsa_signal_t Signal, hsa_signal_condition_t,
                                 hsa_signal_value_t Bound, uint64_t,
                                 hsa_wait_state_t) {
  if (signal(Signal) >= Bound && Current->WhileWaiting)
    Current->WhileWaiting();
  return signal(Signal);
}

hsa_signal_value_t loadSignal(hsa_signal_t Signal) { return signal(Signal); }

/// Its handle is its type.
hsa_status_t iterateAgents(hsa_status_t (*Callback)(hsa_agent_t, void *),
                           void *Data) {
  for (auto Type : {HSA_DEVICE_TYPE_GPU, HSA_DEVICE_TYPE_CPU})
    if (hsa_status_t Status = Callback({uint64_t(Type)}, Data);
        Status != HSA_STATUS_SUCCESS)
      return Status;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t agentInfo(hsa_agent_t Agent, hsa_agent_info_t, void *Value) {
  const auto Type = hsa_device_type_t(Agent.handle);
  std::memcpy(Value, &Type, sizeof(Type));
  return HSA_STATUS_SUCCESS;
}

/// Each agent has two, the second of which is for kernel arguments. Handles are
/// flags.
hsa_status_t iteratePools(hsa_agent_t,
                          hsa_status_t (*Callback)(hsa_amd_memory_pool_t,
                                                   void *),
                          void *Data) {
  for (uint64_t Flags : {HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED,
                         HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT})
    if (hsa_status_t Status = Callback({Flags}, Data);
        Status != HSA_STATUS_SUCCESS)
      return Status;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t poolInfo(hsa_amd_memory_pool_t Pool,
                      hsa_amd_memory_pool_info_t Attribute, void *Value) {
  const uint32_t Result = Attribute == HSA_AMD_MEMORY_POOL_INFO_SEGMENT
                              ? uint32_t(HSA_AMD_SEGMENT_GLOBAL)
                              : uint32_t(Pool.handle);
  std::memcpy(Value, &Result, sizeof(Result));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t allocateMemory(hsa_amd_memory_pool_t Pool, size_t Size, uint32_t,
                            void **Pointer) {
  if (Pool.handle != HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  Current->Memory.push_back(std::make_unique<uint8_t[]>(Size));
  *Pointer = Current->Memory.back().get();
  return HSA_STATUS_SUCCESS;
}

hsa_status_t freeMemory(void *Pointer) {
  for (auto &Block : Current->Memory)
    if (Block.get() == Pointer) {
      Block.reset();
      return HSA_STATUS_SUCCESS;
    }
  return HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

hsa_status_t allowAccess(uint32_t, const hsa_agent_t *, const uint32_t *,
                         const void *) {
  return HSA_STATUS_SUCCESS;
}

/// A loaded code object has its executable's handle.
hsa_status_t iterateObjects(hsa_executable_t Executable,
                            hsa_status_t (*Callback)(hsa_executable_t,
                                                     hsa_loaded_code_object_t,
                                                     void *),
                            void *Data) {
  return Callback(Executable, {Executable.handle}, Data);
}

hsa_status_t objectInfo(hsa_loaded_code_object_t Handle,
                        hsa_ven_amd_loader_loaded_code_object_info_t Attribute,
                        void *Value) {
  const FakeCodeObject &Object = Current->Executables[Handle.handle];
  auto Return = [&](auto Result) {
    std::memcpy(Value, &Result, sizeof(Result));
    return HSA_STATUS_SUCCESS;
  };
  switch (Attribute) {
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND:
    return Return(uint32_t(HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT));
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT:
    return Return(hsa_agent_t{7});
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE:
    return Return(uint32_t(HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY));
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE:
    return Return(Object.Bytes->data());
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE:
    return Return(uint64_t(Object.Bytes->size()));
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE:
    return Return(Object.Base);
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE:
    return Return(Object.Size);
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA:
    return Return(Object.Delta);
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

hsa_status_t extensionTable(uint16_t, uint16_t, size_t Size, void *Table) {
  LoaderTable Loader = {};
  Loader.hsa_ven_amd_loader_executable_iterate_loaded_code_objects =
      iterateObjects;
  Loader.hsa_ven_amd_loader_loaded_code_object_get_info = objectInfo;
  std::memcpy(Table, &Loader, Size);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t createExecutable(hsa_profile_t, hsa_default_float_rounding_mode_t,
                              const char *, hsa_executable_t *Executable) {
  Executable->handle = ++Current->NumLoaded;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t createReader(const void *, size_t, hsa_code_object_reader_t *) {
  return HSA_STATUS_SUCCESS;
}

hsa_status_t destroyReader(hsa_code_object_reader_t) {
  return HSA_STATUS_SUCCESS;
}

hsa_status_t loadCodeObject(hsa_executable_t, hsa_agent_t,
                            hsa_code_object_reader_t, const char *,
                            hsa_loaded_code_object_t *) {
  return Current->LoadStatus;
}

hsa_status_t freezeExecutable(hsa_executable_t, const char *) {
  return HSA_STATUS_SUCCESS;
}

hsa_status_t destroyExecutable(hsa_executable_t) {
  ++Current->NumUnloaded;
  return HSA_STATUS_SUCCESS;
}

/// An executable has one symbol, of its handle.
hsa_status_t symbolByName(hsa_executable_t Executable, const char *,
                          const hsa_agent_t *,
                          hsa_executable_symbol_t *Symbol) {
  Symbol->handle = Executable.handle;
  return HSA_STATUS_SUCCESS;
}

/// Of variables it is the address of their name and place.
constexpr uint64_t FirstVariable = 1 << 20;

hsa_status_t
variableInfo(const std::pair<const std::string, uint64_t> &Variable,
             hsa_executable_symbol_info_t Info, void *Value) {
  auto Return = [&](auto Result) {
    std::memcpy(Value, &Result, sizeof(Result));
    return HSA_STATUS_SUCCESS;
  };
  switch (Info) {
  case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
    return Return(HSA_SYMBOL_KIND_VARIABLE);
  case HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH:
    return Return(uint32_t(Variable.first.size()));
  case HSA_EXECUTABLE_SYMBOL_INFO_NAME:
    std::memcpy(Value, Variable.first.data(), Variable.first.size());
    return HSA_STATUS_SUCCESS;
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS:
    return Return(Variable.second);
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

hsa_status_t
iterateSymbols(hsa_executable_t, hsa_agent_t Agent,
               hsa_status_t (*Callback)(hsa_executable_t, hsa_agent_t,
                                        hsa_executable_symbol_t, void *),
               void *Data) {
  for (const auto &Variable : Current->Variables)
    if (hsa_status_t Status =
            Callback({}, Agent, {reinterpret_cast<uintptr_t>(&Variable)}, Data);
        Status != HSA_STATUS_SUCCESS)
      return Status;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t copyMemory(void *To, const void *From, size_t Size) {
  ++Current->NumCopies;
  std::memcpy(To, From, Size);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t iterateIsas(hsa_agent_t,
                         hsa_status_t (*Callback)(hsa_isa_t, void *),
                         void *Data) {
  return Callback({1}, Data);
}

hsa_status_t isaInfo(hsa_isa_t, hsa_isa_info_t Info, void *Value) {
  static constexpr char Name[] = "amdgcn-amd-amdhsa--gfx90a";
  constexpr uint32_t Length = sizeof(Name);
  if (Info == HSA_ISA_INFO_NAME_LENGTH)
    std::memcpy(Value, &Length, sizeof(Length));
  else
    std::memcpy(Value, Name, sizeof(Name));
  return HSA_STATUS_SUCCESS;
}

/// The device uses the host's addresses.
hsa_status_t lockMemory(void *Host, size_t, hsa_agent_t *, int,
                        void **OnDevice) {
  *OnDevice = Host;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t statusString(hsa_status_t, const char **Text) {
  *Text = "it fails";
  return HSA_STATUS_SUCCESS;
}

hsa_status_t unlockMemory(void *) { return HSA_STATUS_SUCCESS; }

hsa_status_t symbolInfo(hsa_executable_symbol_t Symbol,
                        hsa_executable_symbol_info_t Info, void *Value) {
  if (Symbol.handle >= FirstVariable)
    return variableInfo(
        *reinterpret_cast<const std::pair<const std::string, uint64_t> *>(
            Symbol.handle),
        Info, Value);
  const uint64_t Object = FakeHsa::kernelObject(Symbol.handle);
  std::memcpy(Value, &Object, sizeof(Object));
  return HSA_STATUS_SUCCESS;
}

template <typename Function> void fill(Function *&Pointer) {
  // Never called; Luthier only asks whether it is there.
  Pointer = reinterpret_cast<Function *>(uintptr_t(1));
}

} // namespace

FakeHsa::FakeHsa() {
  Current = this;
  HsaApiTableContainer Table;
  CoreApiTable &Core = Table.core;
  Core.hsa_executable_create_alt_fn = createExecutable;
  Core.hsa_code_object_reader_create_from_memory_fn = createReader;
  Core.hsa_code_object_reader_destroy_fn = destroyReader;
  Core.hsa_executable_load_agent_code_object_fn = loadCodeObject;
  Core.hsa_executable_freeze_fn = freezeExecutable;
  Core.hsa_executable_destroy_fn = destroyExecutable;
  Core.hsa_executable_get_symbol_by_name_fn = symbolByName;
  Core.hsa_executable_symbol_get_info_fn = symbolInfo;
  Core.hsa_signal_store_screlease_fn = storeSignal;
  Core.hsa_executable_iterate_agent_symbols_fn = iterateSymbols;
  Core.hsa_memory_copy_fn = copyMemory;
  Core.hsa_status_string_fn = statusString;
  Core.hsa_agent_iterate_isas_fn = iterateIsas;
  Core.hsa_isa_get_info_alt_fn = isaInfo;
  fill(Table.amd_ext.hsa_amd_queue_intercept_create_fn);
  fill(Table.amd_ext.hsa_amd_queue_intercept_register_fn);
  Core.hsa_signal_create_fn = createSignal;
  Core.hsa_signal_destroy_fn = destroySignal;
  Core.hsa_signal_store_relaxed_fn = storeSignal;
  Core.hsa_signal_wait_scacquire_fn = waitForSignal;
  Core.hsa_signal_load_scacquire_fn = loadSignal;
  Core.hsa_iterate_agents_fn = iterateAgents;
  Core.hsa_agent_get_info_fn = agentInfo;
  AmdExtTable &Amd = Table.amd_ext;
  Amd.hsa_amd_agent_iterate_memory_pools_fn = iteratePools;
  Amd.hsa_amd_memory_pool_get_info_fn = poolInfo;
  Amd.hsa_amd_memory_pool_allocate_fn = allocateMemory;
  Amd.hsa_amd_memory_pool_free_fn = freeMemory;
  Amd.hsa_amd_agents_allow_access_fn = allowAccess;
  Amd.hsa_amd_svm_attributes_set_fn = nullptr;
  Amd.hsa_amd_memory_lock_to_pool_fn = nullptr;
  Amd.hsa_amd_memory_lock_fn = lockMemory;
  Amd.hsa_amd_memory_unlock_fn = unlockMemory;
  Core.hsa_system_get_major_extension_table_fn = extensionTable;
  llvm::cantFail(saveHsaApi(Table.root));
}

FakeHsa::~FakeHsa() {
  closeHsaApi();
  Current = nullptr;
}

} // namespace luthier::test
