// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/Kernel.h"
#include "codeobject/CodeObject.h"

namespace luthier::hsa {

LoadedCodeObjectKernel::LoadedCodeObjectKernel(
    std::shared_ptr<const CodeObject> Object, const KernelInfo &Info,
    hsa_agent_t Agent, uint64_t LoadBias)
    : Object(std::move(Object)), Info(&Info), Agent(Agent), LoadBias(LoadBias),
      KernelObject(Info.DescriptorAddress + LoadBias) {}

llvm::StringRef LoadedCodeObjectKernel::name() const { return Info->Name; }

/// HIP compiles them itself, as a code object that is like any other.
bool LoadedCodeObjectKernel::isRuntimeKernel() const {
  return name().starts_with("__amd_rocclr_");
}

} // namespace luthier::hsa
