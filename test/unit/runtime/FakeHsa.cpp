// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeHsa.h"
#include "runtime/HsaApi.h"
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

void storeSignal(hsa_signal_t Signal, hsa_signal_value_t Value) {
  Current->Signals[Signal.handle - 1] = Value;
}

hsa_signal_value_t waitForSignal(hsa_signal_t Signal, hsa_signal_condition_t,
                                 hsa_signal_value_t Bound, uint64_t,
                                 hsa_wait_state_t) {
  int64_t &Value = Current->Signals[Signal.handle - 1];
  if (Value >= Bound && Current->WhileWaiting)
    Current->WhileWaiting();
  return Value;
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

template <typename Function> void fill(Function *&Pointer) {
  // Never called; Luthier only asks whether it is there.
  Pointer = reinterpret_cast<Function *>(uintptr_t(1));
}

} // namespace

FakeHsa::FakeHsa() {
  Current = this;
  HsaApiTableContainer Table;
  CoreApiTable &Core = Table.core;
  fill(Core.hsa_executable_load_agent_code_object_fn);
  fill(Core.hsa_executable_iterate_agent_symbols_fn);
  fill(Table.amd_ext.hsa_amd_queue_intercept_create_fn);
  fill(Table.amd_ext.hsa_amd_queue_intercept_register_fn);
  Core.hsa_signal_create_fn = createSignal;
  Core.hsa_signal_destroy_fn = destroySignal;
  Core.hsa_signal_store_relaxed_fn = storeSignal;
  Core.hsa_signal_wait_scacquire_fn = waitForSignal;
  Core.hsa_system_get_major_extension_table_fn = extensionTable;
  saveHsaApi(Table.root);
}

FakeHsa::~FakeHsa() {
  closeHsaApi();
  Current = nullptr;
}

} // namespace luthier::test
