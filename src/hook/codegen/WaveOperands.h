// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever LLVM makes of scalar IR, garbage does not get through.
#ifndef LUTHIER_HOOK_CODEGEN_WAVEOPERANDS_H
#define LUTHIER_HOOK_CODEGEN_WAVEOPERANDS_H

#include "hook/PassContext.h"

namespace llvm {
class Pass;
} // namespace llvm

namespace luthier {

/// A machine pass that changes nothing. Expects the code that instruction
/// selection made, placeholders included. Reports an error if a vector
/// instruction or a mask of lanes has part in what an operation of the wave
/// takes, since both depend on EXEC.
llvm::Pass *createWaveOperandPass(PassContext &C);

} // namespace luthier

#endif // LUTHIER_HOOK_CODEGEN_WAVEOPERANDS_H
