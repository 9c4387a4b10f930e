// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine functions to machine code, with whatever is to be inserted.
#ifndef LUTHIER_REWRITE_EMIT_CODEWRITER_H
#define LUTHIER_REWRITE_EMIT_CODEWRITER_H

#include "amdgpu/MachineEncoder.h"
#include "analysis/InsertionPoint.h"
#include "luthier/LiftedRepresentation.h"
#include "rewrite/emit/PointerDispatch.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <vector>

namespace luthier {

/// Appends to the layout what is to run at a point, or nothing. What one call
/// appends stays together; it must not bind or use labels of its own beyond
/// what it appends.
using InsertionCallback =
    llvm::function_ref<void(const InsertionPoint &, amdgpu::CodeLayout &)>;

struct CodeWriterOptions {
  /// Called once for each point, in the order of the code; the kernel's entry
  /// comes first. Code on an edge stands between the blocks where control falls
  /// through, and behind the function where a branch is taken.
  InsertionCallback Insert = nullptr;

  /// The code is to run elsewhere than the original, which stays loaded: calls
  /// that were resolved go to the functions written here, and code that asks
  /// for its own position gets the original's. One of these says where that is;
  /// without either, the code is written as it stands.
  /// What the loader adds to the original's addresses.
  std::optional<uint64_t> LoadBias = std::nullopt;
  /// The address as linked that the new code will have, in one image with the
  /// original: the distance is enough.
  std::optional<uint64_t> LinkedAt = std::nullopt;
  /// Otherwise an instruction that no tool has changed is copied as it is.
  bool Reencode = false;
};

/// What stands for an instruction of the original. Code that no such range
/// covers was inserted, or leads from one place to the next.
struct KeptInstruction {
  uint64_t Offset = 0;   ///< From the start of the code.
  unsigned Size = 0;     ///< More than the original's where it was replaced.
  uint64_t Original = 0; ///< Address, as linked.
};

struct WrittenCode {
  struct Extent {
    uint64_t Begin = 0, End = 0;
    bool isEmpty() const { return Begin == End; }
  };
  struct Insertion : Extent {
    uint64_t LayoutBegin = 0; ///< The layout's size before it was appended.
  };
  std::vector<uint8_t> Code;
  std::vector<KeptInstruction> Map; ///< In order of Offset.
  std::vector<Insertion> Inserted;  ///< In order, none empty.
  std::vector<Extent> Functions;    ///< As in LiftedRepresentation.
  /// To be filled in, where CodeWriterOptions say LinkedAt.
  std::vector<OriginalAddress> Addresses;

  /// Where in the code that is which was inserted when the layout had the size
  /// \p LayoutOffset.
  uint64_t offsetOf(uint64_t LayoutOffset) const;
};

/// The code of all functions of \p LR, the kernel first. Refuses with
/// UnsupportedEdit.
llvm::Expected<WrittenCode> writeCode(const LiftedRepresentation &LR,
                                      amdgpu::MachineEncoder &Encoder,
                                      const CodeWriterOptions &Options);

} // namespace luthier

#endif // LUTHIER_REWRITE_EMIT_CODEWRITER_H
