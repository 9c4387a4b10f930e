// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts encoded instructions one after the other and resolves the branches
// between them. SOPP branches reach 2^15 dwords; those that must go further
// become a computed jump.
#ifndef LUTHIER_AMDGPU_CODELAYOUT_H
#define LUTHIER_AMDGPU_CODELAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace luthier::amdgpu {

/// How to reach any distance, with two literals left to fill in:
///   s_cselect_b32 Scc, 1, 0        keeps SCC, which the additions destroy
///   s_getpc_b64   Pair             LowOffset and HighOffset lead from here
///   s_add_u32     Pair.lo, Pair.lo, <low half of the distance>
///   s_addc_u32    Pair.hi, Pair.hi, <high half>
///   s_cmp_lg_u32  Scc, 0
///   s_setpc_b64   Pair
struct LongJump {
  llvm::SmallVector<uint8_t, 40> Code;
  unsigned PCOffset = 0;   ///< Of the byte after s_getpc.
  unsigned LowOffset = 0;  ///< Of the literal for the low half.
  unsigned HighOffset = 0; ///< Of the literal for the high half.
};

class CodeLayout {
public:
  using Label = unsigned;

  Label createLabel();
  /// \p L is here. Once per label.
  void bind(Label L);
  /// Asks for where this place ends up; \p Key says which it is.
  void mark(uint64_t Key) { Marks.push_back({Bytes.size(), Key}); }
  /// Bytes so far, before any branch grows.
  size_t size() const { return Bytes.size(); }

  void append(llvm::ArrayRef<uint8_t> Code);
  /// \p Encoding is a SOPP branch with a zero distance. \p Inverse is the
  /// branch on the opposite condition; unset for an unconditional branch.
  void branch(uint32_t Encoding, std::optional<uint32_t> Inverse, Label Target);

  /// A place that was marked.
  struct Mark {
    size_t Offset;
    uint64_t Key;
  };
  /// The code. \p Long is used where a branch does not reach; without one that
  /// is an error. \p Places, if given, receives all marks, in order.
  llvm::Expected<std::vector<uint8_t>>
  finish(const LongJump *Long = nullptr,
         std::vector<Mark> *Places = nullptr) const;

private:
  struct Branch {
    size_t Offset; ///< In Bytes, where the branch's four bytes stand.
    uint32_t Encoding;
    std::optional<uint32_t> Inverse;
    Label Target;
  };
  std::vector<uint8_t> Bytes;
  std::vector<Branch> Branches;
  std::vector<size_t> Labels; ///< Offset in Bytes, or unbound.
  std::vector<Mark> Marks;    ///< With offsets in Bytes.
};

} // namespace luthier::amdgpu

#endif // LUTHIER_AMDGPU_CODELAYOUT_H
