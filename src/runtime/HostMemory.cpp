// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/HostMemory.h"
#include "runtime/HsaApi.h"

namespace luthier::runtime {
namespace {

struct Search {
  uint32_t Flag;
  std::optional<hsa_amd_memory_pool_t> Found;
};

hsa_status_t visitPool(hsa_amd_memory_pool_t Pool, void *Data) {
  auto &S = *static_cast<Search *>(Data);
  const auto &GetInfo = amdApi().hsa_amd_memory_pool_get_info_fn;
  hsa_amd_segment_t Segment;
  uint32_t Flags = 0;
  if (GetInfo(Pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &Segment) !=
          HSA_STATUS_SUCCESS ||
      Segment != HSA_AMD_SEGMENT_GLOBAL)
    return HSA_STATUS_SUCCESS;
  GetInfo(Pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &Flags);
  if (!(Flags & S.Flag))
    return HSA_STATUS_SUCCESS;
  S.Found = Pool;
  return HSA_STATUS_INFO_BREAK;
}

hsa_status_t visitAgent(hsa_agent_t Agent, void *Data) {
  auto &S = *static_cast<Search *>(Data);
  hsa_device_type_t Type;
  if (coreApi().hsa_agent_get_info_fn(Agent, HSA_AGENT_INFO_DEVICE, &Type) ==
          HSA_STATUS_SUCCESS &&
      Type == HSA_DEVICE_TYPE_CPU)
    amdApi().hsa_amd_agent_iterate_memory_pools_fn(Agent, visitPool, &S);
  return S.Found ? HSA_STATUS_INFO_BREAK : HSA_STATUS_SUCCESS;
}

} // namespace

std::optional<hsa_amd_memory_pool_t> hostPool(uint32_t Flag) {
  Search S{Flag, std::nullopt};
  coreApi().hsa_iterate_agents_fn(visitAgent, &S);
  return S.Found;
}

} // namespace luthier::runtime
