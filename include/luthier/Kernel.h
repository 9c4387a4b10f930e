// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for what the application loaded onto a device.
#ifndef LUTHIER_KERNEL_H
#define LUTHIER_KERNEL_H

#include "luthier/Export.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <hsa/hsa.h>
#include <memory>
#include <string>
#include <vector>

namespace luthier {
class CodeObject;
struct KernelInfo;
namespace runtime {
struct KernelAccess;
}
} // namespace luthier

namespace luthier::hsa {

/// A kernel of a code object that the application loaded on one agent. Cheap to
/// copy; stays valid after the application destroys the executable, when it can
/// still be named but no longer be lifted for dispatch.
class LUTHIER_API LoadedCodeObjectKernel {
public:
  /// As the compiler wrote it (mangled), without ".kd".
  llvm::StringRef name() const;
  /// One of HIP's own, which copies or fills memory for the program, and not
  /// the program's.
  bool isRuntimeKernel() const;
  hsa_agent_t agent() const { return Agent; }
  /// Address of the kernel descriptor on the device; what packets carry.
  uint64_t kernelObject() const { return KernelObject; }

private:
  friend struct runtime::KernelAccess;

  LoadedCodeObjectKernel(std::shared_ptr<const CodeObject> Object,
                         const KernelInfo &Info, hsa_agent_t Agent,
                         uint64_t LoadBias);

  std::shared_ptr<const CodeObject> Object;
  const KernelInfo *Info; ///< Owned by Object.
  hsa_agent_t Agent;
  uint64_t LoadBias; ///< Added to linked addresses to get device addresses.
  uint64_t KernelObject;
};

/// A code object that the application loaded on one agent. Cheap to copy; stays
/// valid after the application destroys the executable.
class LUTHIER_API LoadedCodeObject {
public:
  hsa_agent_t agent() const;
  /// Where it lies on the device, and how many bytes it takes there.
  uint64_t address() const;
  uint64_t size() const;
  /// In no order; none if the code object cannot be read. Reading it takes time
  /// when it is first asked for.
  std::vector<LoadedCodeObjectKernel> kernels() const;

  /// The file as it was loaded, also if it is none that Luthier knows. Valid as
  /// long as this object or a copy.
  llvm::ArrayRef<uint8_t> bytes() const;
  /// Copies what the device has where the file says \p Address. While the
  /// application has it loaded, also in onCodeObjectUnloaded() and onExit().
  llvm::Error read(uint64_t Address, llvm::MutableArrayRef<uint8_t> To) const;

private:
  friend struct runtime::KernelAccess;
  struct Impl;
  explicit LoadedCodeObject(std::shared_ptr<Impl> P) : P(std::move(P)) {}

  std::shared_ptr<Impl> P;
};

} // namespace luthier::hsa

#endif // LUTHIER_KERNEL_H
