// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the application has loaded: from the kernel object in a packet to the
// kernel's code object and name.
//
// Bytes are copied when the application loads a code object: it may free them
// once the load has returned, and HIP lets its users do so. They are parsed
// only when one of their kernels is dispatched, so a library with thousands of
// kernels costs a copy and no more.
#ifndef LUTHIER_RUNTIME_LOADEDCODE_H
#define LUTHIER_RUNTIME_LOADEDCODE_H

#include "runtime/KernelAccess.h"
#include <cstdint>
#include <hsa/hsa.h>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace luthier::runtime {

using KernelPointer = std::shared_ptr<const hsa::LoadedCodeObjectKernel>;

/// Device addresses that a code object occupies.
struct AddressRange {
  uint64_t Begin = 0, End = 0;
};

/// Thread-safe.
class LoadedCode {
public:
  /// After a code object was loaded, before its executable is frozen.
  void loaded(hsa_executable_t Executable, hsa_loaded_code_object_t Object);
  /// After the executable was frozen, which fixes addresses. Returns what is
  /// in it.
  std::vector<hsa::LoadedCodeObject> frozen(hsa_executable_t Executable);
  /// What the executable holds.
  std::vector<hsa::LoadedCodeObject> objectsOf(hsa_executable_t Executable);
  /// What that occupies.
  std::vector<AddressRange> rangesOf(hsa_executable_t Executable);
  /// Before the executable is destroyed. Returns what it occupied.
  std::vector<AddressRange> destroyed(hsa_executable_t Executable);
  /// Forgets everything.
  void clear();

  /// Null for a kernel that is not the application's, or of which nothing is
  /// known.
  KernelPointer findKernel(uint64_t KernelObject);

private:
  using Object = KernelAccess::ObjectImpl;

  std::shared_ptr<Object> freezeOne(hsa_executable_t Executable,
                                    hsa_loaded_code_object_t Object);
  KernelPointer findInObject(uint64_t KernelObject);

  std::shared_mutex Lock;
  /// Loaded but not frozen; by handle of the loaded code object.
  std::unordered_map<uint64_t, std::shared_ptr<Object>> Pending;
  /// By first address.
  std::map<uint64_t, std::shared_ptr<Object>> Objects;
  /// Kernels that were dispatched, by kernel object; null if unknown.
  std::unordered_map<uint64_t, KernelPointer> Kernels;
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_LOADEDCODE_H
