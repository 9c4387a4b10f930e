// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LUTHIER_HOOK_CODEGEN_WAVEOPERANDS_H
#define LUTHIER_HOOK_CODEGEN_WAVEOPERANDS_H

namespace llvm {
class MachineFunction;
} // namespace llvm

namespace luthier {

/// Reports an error if a vector instruction or a mask of lanes has part in what
/// an operation of the wave takes. To be called right after instruction
/// selection: whatever LLVM makes of scalar IR, garbage does not get through.
void checkWaveOperands(llvm::MachineFunction &MF);

} // namespace luthier

#endif // LUTHIER_HOOK_CODEGEN_WAVEOPERANDS_H
