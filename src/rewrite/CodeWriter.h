// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine functions to machine code, with whatever is to be inserted.
#ifndef LUTHIER_REWRITE_CODEWRITER_H
#define LUTHIER_REWRITE_CODEWRITER_H

#include "amdgpu/MachineEncoder.h"
#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace luthier {

struct CodeWriterOptions {
  /// Appends what comes before an instruction.
  llvm::function_ref<void(const llvm::MachineInstr &, amdgpu::CodeLayout &)>
      Before;
  /// Added to linked addresses for code that asks for its own position; unset
  /// to leave such code as it is.
  std::optional<uint64_t> LoadBias;
  /// For branches that do not reach.
  const amdgpu::LongJump *Long = nullptr;
  /// Receives, for each instruction of the original that was kept, where it is
  /// now and its address as linked.
  std::vector<amdgpu::CodeLayout::Mark> *Map = nullptr;
};

/// The code of all functions of \p LR. Refuses with UnsupportedEdit.
llvm::Expected<std::vector<uint8_t>>
writeCode(const LiftedRepresentation &LR, amdgpu::MachineEncoder &Encoder,
          const CodeWriterOptions &Options);

} // namespace luthier

#endif // LUTHIER_REWRITE_CODEWRITER_H
