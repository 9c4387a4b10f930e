// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that the loader changes: what the file shows of them is not what
// runs, and their copies would stay as the file has them.
#ifndef LUTHIER_LIFT_RELOCATEDCODE_H
#define LUTHIER_LIFT_RELOCATEDCODE_H

#include "codeobject/CodeObject.h"
#include "lift/Decoder.h"

namespace luthier {

class RelocatedCode {
public:
  explicit RelocatedCode(const CodeObject &Object);

  /// Refuses with UndecodableInstruction if \p Code has such an instruction.
  llvm::Error check(llvm::ArrayRef<DecodedInstruction> Code) const;

private:
  std::vector<uint64_t> Dwords; ///< Addresses, in order.
};

} // namespace luthier

#endif // LUTHIER_LIFT_RELOCATEDCODE_H
