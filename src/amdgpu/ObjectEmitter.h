// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's whole code generator, for modules that become code objects as they
// are.
#ifndef LUTHIER_AMDGPU_OBJECTEMITTER_H
#define LUTHIER_AMDGPU_OBJECTEMITTER_H

#include "amdgpu/MCTarget.h"
#include <cstdint>

namespace llvm {
class Module;
}

namespace luthier::amdgpu {

/// A relocatable object file of what \p M defines. Changes \p M. Fails with
/// what LLVM says of it.
llvm::Expected<std::vector<uint8_t>> emitObject(llvm::Module &M,
                                                const MCTarget &Target);

} // namespace luthier::amdgpu

#endif // LUTHIER_AMDGPU_OBJECTEMITTER_H
