// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the classes of luthier/Kernel.h keep from tools.
#ifndef LUTHIER_RUNTIME_KERNELACCESS_H
#define LUTHIER_RUNTIME_KERNELACCESS_H

#include "codeobject/CodeObject.h"
#include "luthier/Kernel.h"
#include <memory>

namespace luthier::runtime {

struct KernelAccess {
  using Kernel = hsa::LoadedCodeObjectKernel;
  using ObjectImpl = hsa::LoadedCodeObject::Impl;

  static Kernel make(std::shared_ptr<const CodeObject> Object,
                     const KernelInfo &Info, hsa_agent_t Agent,
                     uint64_t LoadBias) {
    return Kernel(std::move(Object), Info, Agent, LoadBias);
  }
  static hsa::LoadedCodeObject make(std::shared_ptr<ObjectImpl> P) {
    return hsa::LoadedCodeObject(std::move(P));
  }

  static const std::shared_ptr<const CodeObject> &codeObject(const Kernel &K) {
    return K.Object;
  }
  static const KernelInfo &info(const Kernel &K) { return *K.Info; }
  /// Added to linked addresses to get device addresses.
  static uint64_t loadBias(const Kernel &K) { return K.LoadBias; }
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_KERNELACCESS_H
