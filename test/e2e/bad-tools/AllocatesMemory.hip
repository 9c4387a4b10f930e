// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool that gives each dispatch a counter in device memory that it allocates
// for it, and frees the counter of the one before.
#include "luthier/luthier.h"
#include <hsa/hsa_ext_amd.h>

MARK_LUTHIER_DEVICE_MODULE

LUTHIER_HOOK_ANNOTATE countWave() {
  const auto *Packet =
      (const __attribute__((address_space(4)))
       hsa_kernel_dispatch_packet_t *)__builtin_amdgcn_dispatch_ptr();
  luthier::writeExec(1);
  atomicAdd(reinterpret_cast<unsigned long long *>(Packet->reserved2), 1);
}
LUTHIER_EXPORT_HOOK_HANDLE(countWave);

static hsa_status_t takeGlobal(hsa_amd_memory_pool_t Pool, void *Data) {
  hsa_amd_segment_t Segment;
  bool CanAllocate = false;
  hsa_amd_memory_pool_get_info(Pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT,
                               &Segment);
  hsa_amd_memory_pool_get_info(
      Pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &CanAllocate);
  if (Segment != HSA_AMD_SEGMENT_GLOBAL || !CanAllocate)
    return HSA_STATUS_SUCCESS;
  *static_cast<hsa_amd_memory_pool_t *>(Data) = Pool;
  return HSA_STATUS_INFO_BREAK;
}

class AllocatesMemory : public luthier::Tool {
  uint64_t *Counter = nullptr;

  llvm::Error instrument(luthier::LiftedRepresentation &,
                         luthier::InstrumentationTask &Task) override {
    Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(countWave));
    return llvm::Error::success();
  }

  void onDispatch(luthier::KernelDispatch &Dispatch) override {
    if (Counter)
      hsa_amd_memory_pool_free(Counter);
    hsa_amd_memory_pool_t Pool{};
    hsa_amd_agent_iterate_memory_pools(Dispatch.Kernel.agent(), takeGlobal,
                                       &Pool);
    void *Memory = nullptr;
    if (hsa_amd_memory_pool_allocate(Pool, sizeof(*Counter), 0, &Memory) !=
        HSA_STATUS_SUCCESS)
      std::abort();
    Counter = static_cast<uint64_t *>(Memory);
    hsa_amd_memory_fill(Counter, 0, sizeof(*Counter) / 4);
    Dispatch.Packet.reserved2 = reinterpret_cast<uint64_t>(Counter);
    Tool::onDispatch(Dispatch);
  }

  void report(llvm::raw_ostream &OS) override {
    uint64_t Waves = 0;
    hsa_memory_copy(&Waves, Counter, sizeof(Waves));
    OS << "waves: " << Waves << '\n';
  }
};
LUTHIER_TOOL(AllocatesMemory)
