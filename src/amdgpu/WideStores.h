// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LUTHIER_AMDGPU_WIDESTORES_H
#define LUTHIER_AMDGPU_WIDESTORES_H

#include "amdgpu/RegisterFiles.h"

namespace llvm {
class MachineInstr;
}

namespace luthier::amdgpu {

/// Stores more than 64 bits of vector registers to memory. Generation 9 reads
/// the data after it has issued the store, and does not hold back vector
/// instructions that overwrite them (ISA manuals, "Manually Inserted Wait
/// States").
bool isWideStore(const llvm::MachineInstr &MI, const RegisterFiles &Files);

} // namespace luthier::amdgpu

#endif // LUTHIER_AMDGPU_WIDESTORES_H
