// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is said about a wave that faulted.
#ifndef LUTHIER_EMULATOR_EXEC_FAULTTEXT_H
#define LUTHIER_EMULATOR_EXEC_FAULTTEXT_H

#include "emulator/core/ExecutionFault.h"

namespace luthier::emulator {

class CodeCache;
struct Dispatch;
struct WaveFault;

/// With kernel, PC and instruction.
ExecutionFault describeFault(const Dispatch &D, CodeCache &Code,
                             const WaveFault &Fault);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_FAULTTEXT_H
