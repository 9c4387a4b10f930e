// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tells the processes of a run apart.
#ifndef LUTHIER_RUNTIME_PROCESSNAME_H
#define LUTHIER_RUNTIME_PROCESSNAME_H

#include <string>

namespace luthier::runtime {

/// As MPI's launchers set it; empty without one.
std::string rankOfProcess();

/// Such as "process 1234 (python3), rank 2"; empty for the only one that the
/// user started, as far as is known.
std::string nameOfProcess();

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_PROCESSNAME_H
