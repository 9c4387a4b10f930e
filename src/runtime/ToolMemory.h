// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory that tools allocate in their callbacks, for the verification of
// dispatches: hooks may write it, kernels of the application do not know it.
#ifndef LUTHIER_RUNTIME_TOOLMEMORY_H
#define LUTHIER_RUNTIME_TOOLMEMORY_H

#include <cstddef>
#include <mutex>
#include <set>

namespace luthier::runtime {

/// Thread-safe.
class ToolMemory {
public:
  /// By whoever calls; only what a tool allocates is remembered.
  void allocated(void *Memory, size_t Size);
  /// Before others may get the addresses.
  void aboutToBeFreed(void *Memory);

private:
  std::mutex Lock;
  std::set<void *> Known;
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_TOOLMEMORY_H
