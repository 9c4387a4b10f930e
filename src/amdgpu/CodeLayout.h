// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts encoded instructions one after the other and resolves the branches
// between them. SOPP branches and s_call_b64 reach 2^15 dwords. Those that must
// go further go to an *island* within their reach: an s_branch that leads on,
// to the destination or to the next island. An island needs no register and
// keeps SCC. Islands for the same destination are shared, and they stand
// together where the caller said that other code may stand:
//   s_branch .Lover        only where control comes along
//   s_branch <destination of one>
//   s_branch <destination of another>
// .Lover:
#ifndef LUTHIER_AMDGPU_CODELAYOUT_H
#define LUTHIER_AMDGPU_CODELAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace luthier::amdgpu {

class CodeLayout {
public:
  using Label = unsigned;

  /// \p BranchWord is an s_branch with distance zero, for islands.
  explicit CodeLayout(uint32_t BranchWord) : BranchWord(BranchWord) {}

  Label createLabel();
  /// \p L is here. Once per label.
  void bind(Label L) { bindAt(L, size()); }
  /// \p L is \p Offset bytes into what was appended so far.
  void bindAt(Label L, size_t Offset);
  /// \p L is wherever \p Other is.
  void alias(Label L, Label Other);
  /// Bytes so far, without islands.
  size_t size() const { return Bytes.size(); }

  void append(llvm::ArrayRef<uint8_t> Code);
  /// What was appended from \p Begin on, until something else is; nothing if it
  /// would be different elsewhere.
  std::optional<llvm::ArrayRef<uint8_t>> movableFrom(size_t Begin) const;
  /// \p Encoding has a distance in dwords, zero, in its low half.
  void branch(uint32_t Encoding, Label Target);
  /// Islands may stand here. \p FallsThrough: control comes along here. What is
  /// appended from one such place to the next stays together.
  void allowIslands(bool FallsThrough);
  /// The 32-bit literals at \p Low and \p High become the halves of the
  /// distance from the code at \p From (offsets as in size(), where no islands
  /// may stand) to \p Address, which counts from the laid-out code's start.
  void distance(size_t Low, size_t High, size_t From, int64_t Address);

  /// The code with all branches resolved. Fails where a branch has no place
  /// for an island within its reach.
  llvm::Expected<std::vector<uint8_t>> finish();
  /// After finish(): where what was appended at \p Offset is now.
  size_t place(size_t Offset) const;

private:
  struct Branch {
    size_t Offset; ///< In Bytes, where the branch's four bytes stand.
    uint32_t Encoding;
    Label Target;
  };
  /// An island by its harbour and its number there.
  struct Island {
    uint32_t Harbour = UINT32_MAX, Index = 0;

    bool isThere() const { return Harbour != UINT32_MAX; }
  };
  struct IslandBranch {
    Label Target;
    /// One in its reach, if it once took one: there need be no further one.
    Island Next;
  };
  /// Where islands may stand, and those that do.
  struct Harbour {
    size_t Offset; ///< In Bytes; what stands there comes after the islands.
    bool FallsThrough;
    std::vector<IslandBranch> Islands;

    size_t size() const;
  };
  struct Distance {
    size_t Low, High, From;
    int64_t Address;
  };
  class Solver;

  Label root(Label L) const;
  /// How many harbours there are up to \p Offset, and where it is with so many.
  size_t harboursUpTo(size_t Offset) const;
  size_t place(size_t Offset, size_t HarboursUpTo) const {
    return HarboursUpTo ? Offset + Shifts[HarboursUpTo - 1] : Offset;
  }
  size_t place(Island I) const;
  void updateShifts();
  void write(std::vector<uint8_t> &Result,
             llvm::ArrayRef<int16_t> Distances) const;

  uint32_t BranchWord;
  std::vector<uint8_t> Bytes;
  std::vector<Branch> Branches;
  std::vector<Harbour> Harbours;
  std::vector<Distance> Distances;
  std::vector<size_t> Labels; ///< Offset in Bytes, or unbound.
  std::vector<Label> AliasOf; ///< Itself for a label with a place of its own.
  std::vector<size_t> Shifts; ///< Bytes of islands before each harbour's code.
  /// The last answer of harboursUpTo(): offsets are mostly asked for in order.
  mutable size_t LastUpTo = 0;
};

} // namespace luthier::amdgpu

#endif // LUTHIER_AMDGPU_CODELAYOUT_H
