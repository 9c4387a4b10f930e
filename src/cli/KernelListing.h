// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel executed, as `luthier pgo show` prints it.
#ifndef LUTHIER_CLI_KERNELLISTING_H
#define LUTHIER_CLI_KERNELLISTING_H

#include "pgo/KernelBlocks.h"
#include "pgo/KernelLoads.h"

namespace luthier::cli {

void printBlocks(const pgo::KernelBlocks &K);
/// How much of what was executed a profile would know.
llvm::Error printMarks(const CodeObject &Object, const pgo::KernelBlocks &K);
void printBranches(const pgo::BranchCounts &Of);
void printLoads(llvm::ArrayRef<pgo::CountedLoad> Loads);
void printCalls(const CodeObject &Object, const pgo::CallTargets &Calls);
/// The lines that its blocks come from, and those between, as far as their
/// files can be read.
void printSource(const pgo::KernelBlocks &K);

} // namespace luthier::cli

#endif // LUTHIER_CLI_KERNELLISTING_H
