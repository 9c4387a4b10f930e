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
AmdApi Amd;
std::atomic<bool> Open = false;

/// Which members AmdExtTable has where.
enum class AmdExtLayout { Early, Late };

/// Nothing for one that is unknown. Within major version 1, the length tells:
/// 48 members in ROCm 5.2; then three for the streaming performance monitor,
/// behind all that Luthier uses; then two for dmabufs at the end, and only then
/// the two that moved others. (hsa_ext_amd.h numbers the last two steps 1.1 and
/// 1.2; a hsa_api_trace.h of 55 members, of major version 1, has all of them.)
std::optional<AmdExtLayout> layoutOf(const ApiTableVersion &Version) {
  constexpr size_t NumIn52 = 48, NumWithMonitor = 51, NumWithDmabuf = 53,
                   NumWithEngines = 55;
  const size_t Bytes = Version.minor_id;
  if (Bytes < sizeof(ApiTableVersion) || Bytes % sizeof(void *) != 0)
    return std::nullopt;
  const size_t Num = (Bytes - sizeof(ApiTableVersion)) / sizeof(void *);
  switch (Version.major_id) {
  case 1:
    if (Num <= NumIn52 || Num == NumWithMonitor || Num == NumWithDmabuf)
      return AmdExtLayout::Early;
    return Num >= NumWithEngines ? std::optional(AmdExtLayout::Late)
                                 : std::nullopt;
  case 2:
    return AmdExtLayout::Late;
  default:
    return std::nullopt;
  }
}

/// Null if the table ends before it.
template <class Function>
Function **slot(AmdExtTable &Table, AmdExtLayout Layout, size_t Early,
                size_t Late) {
  const size_t Index = Layout == AmdExtLayout::Early ? Early : Late;
  const size_t Offset = sizeof(ApiTableVersion) + Index * sizeof(void *);
  if (Offset + sizeof(void *) > Table.version.minor_id)
    return nullptr;
  return reinterpret_cast<Function **>(reinterpret_cast<char *>(&Table) +
                                       Offset);
}

AmdApiSlots slotsOf(AmdExtTable &Table, AmdExtLayout Layout) {
  return {
#define LUTHIER_AMD_EXT(Function, Early, Late)                                 \
  slot<decltype(::Function)>(Table, Layout, Early, Late),
#include "runtime/AmdExtMembers.def"
  };
}

} // namespace

Error saveHsaApi(const HsaApiTable &Table) {
  // Members were only ever added to the root and to the core's table.
  constexpr unsigned LastRoot = 3, LastCore = 2;
  const ApiTableVersion &Root = Table.version;
  if (Root.major_id < 1 || Root.major_id > LastRoot ||
      Table.core_->version.major_id > LastCore ||
      !layoutOf(Table.amd_ext_->version))
    return createStringError(
        "this GPU runtime's interface is of a version that Luthier does not "
        "know (tables " +
        Twine(Root.major_id) + ", core " +
        Twine(Table.core_->version.major_id) + ", AMD extensions " +
        Twine(Table.amd_ext_->version.major_id) + " of " +
        Twine(Table.amd_ext_->version.minor_id) + " bytes)");
  // An older runtime's table ends earlier; what it lacks stays null.
  Core = {};
  std::memcpy(&Core, Table.core_,
              std::min<size_t>(sizeof(Core), Table.core_->version.minor_id));
  const AmdApiSlots Slots =
      slotsOf(*Table.amd_ext_, *layoutOf(Table.amd_ext_->version));
  Amd = {};
#define LUTHIER_AMD_EXT(Function, Early, Late)                                 \
  if (Slots.Function##_fn)                                                     \
    Amd.Function##_fn = *Slots.Function##_fn;
#include "runtime/AmdExtMembers.def"
  Open = Core.hsa_executable_load_agent_code_object_fn &&
         Core.hsa_executable_iterate_agent_symbols_fn &&
         Amd.hsa_amd_queue_intercept_create_fn &&
         Amd.hsa_amd_queue_intercept_register_fn;
  return Open ? Error::success()
              : createStringError("this GPU runtime is too old: it cannot show "
                                  "what its queues are given");
}

AmdApiSlots amdApiSlots(HsaApiTable &Table) {
  return slotsOf(*Table.amd_ext_, *layoutOf(Table.amd_ext_->version));
}

bool isHsaOpen() { return Open; }
void closeHsaApi() { Open = false; }

/// Threads come here after OnLoad by ROCr's locks. This says the same where
/// that is not known.
static void orderAfterOpening() { (void)Open.load(std::memory_order_acquire); }

const CoreApiTable &coreApi() {
  orderAfterOpening();
  return Core;
}

const AmdApi &amdApi() {
  orderAfterOpening();
  return Amd;
}

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
