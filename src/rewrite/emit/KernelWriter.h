// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The write step: the application's instructions, what runs before the first of
// them, and what inserters put between them.
#ifndef LUTHIER_REWRITE_EMIT_KERNELWRITER_H
#define LUTHIER_REWRITE_EMIT_KERNELWRITER_H

#include "codeobject/KernelDescriptor.h"
#include "rewrite/Options.h"
#include "rewrite/emit/CodeWriter.h"
#include "rewrite/emit/Inserter.h"
#include "rewrite/plan/HookPlan.h"

namespace luthier {

struct KernelCode {
  WrittenCode Written;
  /// The original's, and asks for what the prologue takes of the launch.
  KernelDescriptor Descriptor;
  /// What must be allocated for the prologue, the inserters' code and a tool's
  /// edits.
  RegisterUse Registers;
};

/// At each point, \p Inserters append in their order. \p Edited is
/// editedRegisterUse(). Refuses with UnsupportedEdit.
llvm::Expected<KernelCode> writeKernel(const LiftedRepresentation &LR,
                                       const HookPlan &Hooks,
                                       const RegisterUse &Edited,
                                       llvm::ArrayRef<Inserter *> Inserters,
                                       const InstrumenterOptions &Options,
                                       amdgpu::MachineEncoder &Encoder);

} // namespace luthier

#endif // LUTHIER_REWRITE_EMIT_KERNELWRITER_H
