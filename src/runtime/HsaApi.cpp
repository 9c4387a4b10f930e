// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/HsaApi.h"
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <optional>

using namespace llvm;

namespace luthier::runtime {
namespace {

CoreApiTable Core;
AmdExtTable AmdExt;
std::atomic<bool> Open = false;

/// An older runtime's table ends earlier; what it lacks stays null.
template <typename Table> void copyTable(Table &To, const Table &From) {
  std::memset(&To, 0, sizeof(To));
  std::memcpy(&To, &From, std::min<size_t>(sizeof(To), From.version.minor_id));
}

} // namespace

bool saveHsaApi(const HsaApiTable &Table) {
  if (Table.version.major_id != HSA_API_TABLE_MAJOR_VERSION)
    return false;
  copyTable(Core, *Table.core_);
  copyTable(AmdExt, *Table.amd_ext_);
  bool Complete = Core.hsa_executable_load_agent_code_object_fn &&
                  Core.hsa_executable_iterate_agent_symbols_fn &&
                  AmdExt.hsa_amd_queue_intercept_create_fn &&
                  AmdExt.hsa_amd_queue_intercept_register_fn;
  Open = Complete;
  return Complete;
}

bool isHsaOpen() { return Open; }
void closeHsaApi() { Open = false; }
const CoreApiTable &coreApi() { return Core; }
const AmdExtTable &amdApi() { return AmdExt; }

const LoaderTable *loaderApi() {
  // Not in OnLoad: extensions are asked for when they are first needed.
  static const std::optional<LoaderTable> Loader = [] {
    LoaderTable Table = {};
    hsa_status_t Status = Core.hsa_system_get_major_extension_table_fn(
        HSA_EXTENSION_AMD_LOADER, 1, sizeof(Table), &Table);
    return Status == HSA_STATUS_SUCCESS ? std::optional(Table) : std::nullopt;
  }();
  return Loader ? &*Loader : nullptr;
}

Error checkHsa(hsa_status_t Status, const Twine &What) {
  if (Status == HSA_STATUS_SUCCESS)
    return Error::success();
  const char *Text = nullptr;
  if (Core.hsa_status_string_fn(Status, &Text) != HSA_STATUS_SUCCESS || !Text)
    Text = "unknown status";
  return createStringError(What + ": " + Text + " (0x" +
                           Twine::utohexstr(Status) + ")");
}

Expected<std::string> isaName(hsa_agent_t Agent) {
  std::string Name;
  auto Take = [](hsa_isa_t Isa, void *Data) -> hsa_status_t {
    uint32_t Length = 0;
    hsa_status_t Status =
        Core.hsa_isa_get_info_alt_fn(Isa, HSA_ISA_INFO_NAME_LENGTH, &Length);
    if (Status != HSA_STATUS_SUCCESS)
      return Status;
    std::string Text(Length, '\0');
    Status = Core.hsa_isa_get_info_alt_fn(Isa, HSA_ISA_INFO_NAME, Text.data());
    if (Status != HSA_STATUS_SUCCESS)
      return Status;
    // The length counts a terminator in some versions and not in others.
    Text.resize(std::strlen(Text.c_str()));
    *static_cast<std::string *>(Data) = std::move(Text);
    return HSA_STATUS_INFO_BREAK;
  };
  hsa_status_t Status = Core.hsa_agent_iterate_isas_fn(Agent, Take, &Name);
  if (Status != HSA_STATUS_INFO_BREAK)
    return checkHsa(Status == HSA_STATUS_SUCCESS ? HSA_STATUS_ERROR : Status,
                    "asking a device for its ISA");
  return Name;
}

std::vector<hsa_agent_t> gpuAgents() {
  std::vector<hsa_agent_t> Agents;
  auto Take = [](hsa_agent_t Agent, void *Data) -> hsa_status_t {
    hsa_device_type_t Type;
    hsa_status_t Status =
        Core.hsa_agent_get_info_fn(Agent, HSA_AGENT_INFO_DEVICE, &Type);
    if (Status == HSA_STATUS_SUCCESS && Type == HSA_DEVICE_TYPE_GPU)
      static_cast<std::vector<hsa_agent_t> *>(Data)->push_back(Agent);
    return Status;
  };
  Core.hsa_iterate_agents_fn(Take, &Agents);
  return Agents;
}

} // namespace luthier::runtime
