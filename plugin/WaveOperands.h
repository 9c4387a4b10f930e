// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of operations of the wave (luthier::waveAdd and its like, writeExec,
// writeReg of scalar registers) must be made of scalars.
#ifndef LUTHIER_PLUGIN_WAVEOPERANDS_H
#define LUTHIER_PLUGIN_WAVEOPERANDS_H

namespace llvm {
class Function;
class TargetMachine;
} // namespace llvm

namespace luthier {

/// Reports operands in optimised hook \p Hook that depend on lanes, at the line
/// where \p Original, the hook in the module being compiled, has the operation.
/// Parameters and registers whose number is one are taken to be scalar: the
/// engine checks them where the hook is used. Returns whether all is well.
bool checkWaveOperands(const llvm::Function &Hook,
                       const llvm::Function &Original, llvm::TargetMachine &TM);

} // namespace luthier

#endif // LUTHIER_PLUGIN_WAVEOPERANDS_H
