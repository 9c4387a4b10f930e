// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tells the processes of a run apart.
#ifndef LUTHIER_RUNTIME_PROCESSNAME_H
#define LUTHIER_RUNTIME_PROCESSNAME_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace luthier::runtime {

/// As MPI's launchers set it; empty without one. Looks into the environment the
/// first time.
std::string rankOfProcess();

/// Such as "process 1234 (python3), rank 2"; empty for the only one that the
/// user started, as far as is known.
std::string nameOfProcess();

/// To stderr, in one piece beside what other processes of the run write so.
void writeWhole(llvm::StringRef Text);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_PROCESSNAME_H
