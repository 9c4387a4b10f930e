// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of the host that devices read and write directly.
#ifndef LUTHIER_RUNTIME_HOSTMEMORY_H
#define LUTHIER_RUNTIME_HOSTMEMORY_H

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <optional>

namespace luthier::runtime {

/// The first pool of host memory with \p Flag, one of
/// hsa_amd_memory_pool_global_flag_t.
std::optional<hsa_amd_memory_pool_t> hostPool(uint32_t Flag);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_HOSTMEMORY_H
