// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for what the application loaded onto a device.
#ifndef LUTHIER_KERNEL_H
#define LUTHIER_KERNEL_H

#include "luthier/Export.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <hsa/hsa.h>
#include <memory>
#include <string>

namespace luthier {
class CodeObject;
struct KernelInfo;
} // namespace luthier

namespace luthier::hsa {

/// A kernel of a code object that the application loaded on one agent. Cheap to
/// copy; stays valid after the application destroys the executable, when it can
/// still be named but no longer be lifted for dispatch.
class LUTHIER_API LoadedCodeObjectKernel {
public:
  /// As the compiler wrote it (mangled), without ".kd".
  llvm::StringRef name() const;
  hsa_agent_t agent() const { return Agent; }
  /// Address of the kernel descriptor on the device; what packets carry.
  uint64_t kernelObject() const { return KernelObject; }

  // Private to Luthier.
  LoadedCodeObjectKernel(std::shared_ptr<const CodeObject> Object,
                         const KernelInfo &Info, hsa_agent_t Agent,
                         uint64_t LoadBias);
  const CodeObject &codeObject() const { return *Object; }
  std::shared_ptr<const CodeObject> sharedCodeObject() const { return Object; }
  const KernelInfo &info() const { return *Info; }
  /// Added to linked addresses to get device addresses.
  uint64_t loadBias() const { return LoadBias; }

private:
  std::shared_ptr<const CodeObject> Object;
  const KernelInfo *Info; ///< Owned by Object.
  hsa_agent_t Agent;
  uint64_t LoadBias;
  uint64_t KernelObject;
};

} // namespace luthier::hsa

#endif // LUTHIER_KERNEL_H
