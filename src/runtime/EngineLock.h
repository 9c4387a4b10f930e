// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Held while hooks are compiled and kernels built: what those refer to stays.
//
// The linker that finishes a kernel runs in this process and keeps its state in
// globals, so one kernel is built at a time. Tools run outside. Recursive: when
// the compiler ends the program, exit handlers come here again.
#ifndef LUTHIER_RUNTIME_ENGINELOCK_H
#define LUTHIER_RUNTIME_ENGINELOCK_H

#include <mutex>

namespace luthier::runtime {

inline std::recursive_mutex EngineLock;

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_ENGINELOCK_H
