// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program's kernels cost: what they executed on the emulated GPU, and
// what they take of a compute unit.
#ifndef LUTHIER_PGO_KERNELCOSTS_H
#define LUTHIER_PGO_KERNELCOSTS_H

#include "codeobject/FatBinary.h"
#include "pgo/Execution.h"
#include <optional>

namespace luthier::pgo {

struct KernelResources {
  unsigned VGPRs = 0, AGPRs = 0, SGPRs = 0; ///< As the compiler counts them.
  unsigned Spills = 0;  ///< Registers of both kinds that it put into others.
  unsigned Scratch = 0; ///< Bytes of a work-item.
  unsigned LDS = 0;     ///< Bytes of a workgroup.
  unsigned Waves = 0;   ///< On a SIMD, going by registers; 0 if unknown.
  bool operator==(const KernelResources &) const = default;
};

struct KernelCosts {
  ExecutedKernel Executed;
  /// Nothing if the kernel is in none of the files, or differently in several.
  std::optional<KernelResources> Resources;
};
/// By symbol.
using ProgramCosts = std::map<std::string, KernelCosts>;

/// \p Images are the code of the program for the processors that it ran on.
/// Fails if one cannot be read.
llvm::Expected<ProgramCosts>
programCosts(const ExecutedKernels &Executed,
             llvm::ArrayRef<BundledCodeObject> Images);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_KERNELCOSTS_H
