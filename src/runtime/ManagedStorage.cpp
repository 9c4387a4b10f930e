// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ManagedStorage.h"
#include "runtime/HostMemory.h"
#include "runtime/HsaApi.h"
#include "runtime/Verification.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;

namespace luthier::runtime {
namespace {

size_t pageSize() { return static_cast<size_t>(::sysconf(_SC_PAGESIZE)); }

} // namespace

ManagedVariable::ManagedVariable(StringRef Name, const void *Initial,
                                 size_t Size, size_t Alignment)
    : Name(Name), Size(Size) {
  assert(Alignment <= pageSize() && "no variable is aligned beyond a page");
  // Private to the process: a program that forks before it uses the GPU counts
  // in each process by itself. Whole pages: locking works on pages.
  Host = ::mmap(nullptr, alignTo(Size, pageSize()), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (Host == MAP_FAILED)
    report_fatal_error("luthier: no memory for a tool's managed variable");
  if (Initial)
    std::memcpy(Host, Initial, Size);
}

void ManagedVariable::release() {
  if (IsLocked && isHsaOpen() && amdApi().hsa_amd_memory_unlock_fn)
    amdApi().hsa_amd_memory_unlock_fn(Host);
  if (Device)
    includeInVerification(Device);
  ::munmap(Host, alignTo(Size, pageSize()));
  Host = nullptr;
  unlocked();
}

bool ManagedVariable::contains(const void *Pointer, size_t Bytes) const {
  const auto *Begin = static_cast<const uint8_t *>(Host);
  const auto *P = static_cast<const uint8_t *>(Pointer);
  return Begin <= P && P + Bytes <= Begin + Size;
}

/// Has \p Agents reach memory of the host's by the host's addresses, as HIP
/// does for managed memory. False where the driver cannot.
static bool share(void *Host, size_t Bytes, ArrayRef<hsa_agent_t> Agents) {
  bool IsSupported = false;
  if (!amdApi().hsa_amd_svm_attributes_set_fn ||
      coreApi().hsa_system_get_info_fn(
          static_cast<hsa_system_info_t>(HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED),
          &IsSupported) != HSA_STATUS_SUCCESS ||
      !IsSupported)
    return false;
  std::vector<hsa_amd_svm_attribute_pair_t> Attributes = {
      {HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG, HSA_AMD_SVM_GLOBAL_FLAG_FINE_GRAINED}};
  for (hsa_agent_t Agent : Agents)
    Attributes.push_back(
        {HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE, Agent.handle});
  return amdApi().hsa_amd_svm_attributes_set_fn(Host, Bytes, Attributes.data(),
                                                Attributes.size()) ==
         HSA_STATUS_SUCCESS;
}

Expected<uint64_t> ManagedVariable::deviceAddress() {
  if (Device)
    return Device;
  std::vector<hsa_agent_t> Agents = gpuAgents();
  size_t Bytes = alignTo(Size, pageSize());
  if (share(Host, Bytes, Agents)) {
    Device = reinterpret_cast<uintptr_t>(Host);
    return Device;
  }
  void *Address = nullptr;
  hsa_status_t Status;
  // What a kernel writes there, also with atomics, is visible to the host
  // without a copy.
  std::optional<hsa_amd_memory_pool_t> Pool =
      hostPool(HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED);
  if (Pool && amdApi().hsa_amd_memory_lock_to_pool_fn)
    Status = amdApi().hsa_amd_memory_lock_to_pool_fn(
        Host, Bytes, Agents.data(), static_cast<int>(Agents.size()), *Pool,
        /*flags=*/0, &Address);
  else
    Status = amdApi().hsa_amd_memory_lock_fn(
        Host, Bytes, Agents.data(), static_cast<int>(Agents.size()), &Address);
  if (Error E =
          checkHsa(Status, "giving devices access to managed variable " + Name))
    return std::move(E);
  Device = reinterpret_cast<uint64_t>(Address);
  IsLocked = true;
  return Device;
}

} // namespace luthier::runtime
