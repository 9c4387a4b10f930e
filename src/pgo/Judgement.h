// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kernels became better or worse from one build of a program to another.
#ifndef LUTHIER_PGO_JUDGEMENT_H
#define LUTHIER_PGO_JUDGEMENT_H

#include "pgo/KernelCosts.h"
#include "llvm/Support/raw_ostream.h"

namespace luthier::pgo {

enum class Measure { Cycles, Instructions };

struct JudgedKernel {
  enum ChangeType { Same, Better, Worse, OnlyBefore, OnlyAfter };
  std::string Name;
  ChangeType Change = Same;
  KernelCosts Before, After;
};

/// Sorted by name. Less than \p TolerancePercent is no change.
std::vector<JudgedKernel> judge(const ProgramCosts &Before,
                                const ProgramCosts &After, Measure By,
                                double TolerancePercent);

/// Of each kernel what it costs now, and by how much that changed; resources
/// that changed as "before>after".
void printTable(llvm::ArrayRef<JudgedKernel> Kernels, llvm::raw_ostream &OS);
/// {"output": "same" or "different", "difference", "kernels": [...]}
void printJson(llvm::ArrayRef<JudgedKernel> Kernels, llvm::StringRef Difference,
               llvm::raw_ostream &OS);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_JUDGEMENT_H
