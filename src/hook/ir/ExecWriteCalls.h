// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definitions of EXEC are terminators (callbr), so that no pass moves or joins
// anything across them. LLVM's structurizer writes the terminators of whatever
// lies in a condition or a loop anew and knows only br: callbr would be lost
// without a word. For that pass alone they are calls.
#ifndef LUTHIER_HOOK_IR_EXECWRITECALLS_H
#define LUTHIER_HOOK_IR_EXECWRITECALLS_H

namespace llvm {
class FunctionPass;
class TargetPassConfig;
} // namespace llvm

namespace luthier {

/// Function attribute: how many definitions of EXEC there have to be behind
/// that pass, at least.
inline constexpr const char *ExecWritesAttribute = "luthier-exec-writes";

/// IR pass: keeps the structurizer from moving what costs nothing out of its
/// block.
llvm::FunctionPass *createPinFreeValuesPass();

/// Has code generation do that.
void surroundStructurizer(llvm::TargetPassConfig &Config);

} // namespace luthier

#endif // LUTHIER_HOOK_IR_EXECWRITECALLS_H
