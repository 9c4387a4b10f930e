// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hook as machine code, ready to be copied to any number of points of one
// kernel, and what the code around each copy must do for it.
#ifndef LUTHIER_HOOK_PAYLOAD_H
#define LUTHIER_HOOK_PAYLOAD_H

#include "hook/ComputedArgument.h"
#include "hook/HookModule.h"
#include "hook/PayloadABI.h"
#include "luthier/detail/WorkgroupRange.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCRegister.h"
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace luthier {

/// What makes one compilation differ from another.
struct PayloadVariant {
  HookReference Hook;
  /// For each parameter: the bits of a constant, where the value arrives, or
  /// how the payload computes it.
  llvm::SmallVector<std::variant<uint64_t, ArgumentSlot, ComputedArgument>, 2>
      Arguments;
  /// Nothing but s_endpgm follows, which does not care for EXEC.
  bool EndsWave = false;
  /// Does nothing in others.
  detail::WorkgroupRange Workgroups = {};

  bool operator==(const PayloadVariant &Other) const {
    return Hook.Module == Other.Hook.Module &&
           Hook.Function == Other.Hook.Function &&
           Arguments == Other.Arguments && EndsWave == Other.EndsWave &&
           Workgroups == Other.Workgroups;
  }
};

/// A literal in a payload's code that waits for a variable's address.
struct Fixup {
  enum FixupKind { Abs32Lo, Abs32Hi };
  unsigned Offset = 0; ///< Of the four bytes in Payload::Code.
  FixupKind Kind = Abs32Lo;
  std::string Variable; ///< As the tool's code object calls it.
  int64_t Addend = 0;   ///< To the address, before it is split.
};

/// A literal in a payload's code that differs between its copies.
struct PayloadLiteral {
  unsigned Offset = 0; ///< Of the four bytes in Payload::Code.
  /// See ArgumentSlot; from FirstLiteralSum on, halves of LiteralSums.
  unsigned Index = 0;
};

/// A number of 64 bits that each copy of a payload has its own of, as two
/// literals: a place in a variable or a constant, and multiples of literals of
/// the call site.
struct LiteralSum {
  struct Term {
    unsigned Index; ///< See ArgumentSlot.
    bool IsWide;    ///< The next literal is its upper half.
    bool IsSigned;  ///< Else zeros are above one that is not wide.
    uint64_t Factor;
    bool operator==(const Term &) const = default;
  };
  std::string Symbol; ///< A variable, or "". Filled in before valueFor().
  uint64_t Constant = 0;
  llvm::SmallVector<Term, 1> Terms; ///< At most one of each literal.

  /// \p Other has no symbol, or Factor is 1 and this has none.
  void add(const LiteralSum &Other, uint64_t Factor);
  /// Nothing but one literal.
  bool isLiteral() const {
    return Symbol.empty() && !Constant && Terms.size() == 1 &&
           Terms.front().Factor == 1;
  }
  uint64_t valueFor(llvm::ArrayRef<uint32_t> Literals) const;
};

/// PayloadLiteral::Index of the first half of the first LiteralSum. Halves
/// follow each other.
inline constexpr unsigned FirstLiteralSum = 1 << 20;

/// What a payload adds to a counter in scalar registers: \p Number, or the
/// literals of the call site that \p Literal names.
struct CounterAddition {
  unsigned Counter = 0; ///< Its place among PayloadABI's.
  bool IsLow = false;   ///< Of 32 bits; see waveAddLow.
  uint64_t Number = 0;
  std::optional<ArgumentSlot> Literal;
};

/// From \p Offset up to the next entry, code comes from here.
struct LineEntry {
  unsigned Offset = 0;
  std::string File;
  unsigned Line = 0;
  /// Where the hook itself calls what that line belongs to; the same place if
  /// the line is the hook's own.
  std::string HookFile;
  unsigned HookLine = 0;
};

struct Payload {
  /// Falls through at its end; touches nothing of the application's but what
  /// the fields below say.
  std::vector<uint8_t> Code;
  bool ClobbersSCC = false;
  bool ClobbersVCC = false;
  bool ClobbersM0 = false;
  bool WritesEXEC = false; ///< And may leave it changed.
  /// Copies that the hook reads, or writes so that the application sees it:
  /// they must be made and restored even where the flag is dead.
  bool UsesSCC = false, UsesVCC = false, UsesEXEC = false, UsesM0 = false;
  /// The same of MODE: the application's value is in ABI.ModeSave.
  bool UsesMODE = false;
  /// Depends on MODE, which must be set to what hooks expect.
  bool UsesFloat = false;
  /// Reads ABI.State; writes lanes of it that must be kept.
  bool UsesState = false, WritesState = false;
  bool UsesWorkItemIds = false;
  /// Reads registers of the application, where a load may still be in flight.
  bool ReadsApplication = false;
  /// Writes registers of the application from vector instructions.
  bool WritesApplication = false;
  /// Contains what happens whatever the active lanes are; see isWaveEffect().
  bool ActsOnWave = false;
  /// Contains instructions that hardware does not hold back until what they
  /// read has been written (DPP, s_getreg, access to single lanes).
  bool NeedsDistance = false;
  /// Must not run where no lane is active: it has a loop that only an active
  /// lane ends, and what it does is for lanes alone.
  bool SkipsWithoutLanes = false;
  /// Has v_cmpx, possibly as its latest vector operation.
  bool ComparesIntoEXEC = false;
  /// Possibly with its last instructions; see amdgpu/WideStores.h.
  bool StoresWide = false;
  /// One past the last register used; the ABI's first where none is.
  unsigned SGPREnd = 0, VGPREnd = 0;
  /// Registers by number whose old value is lost, wherever they lie; of a
  /// vector register possibly in inactive lanes too. Without those that the
  /// hook writes for the application to see.
  llvm::BitVector SGPRs, VGPRs, AGPRs;
  /// Of SGPRs, what vector instructions take as a mask of 64 lanes.
  llvm::BitVector Masks;
  /// SGPRs that vector instructions read.
  llvm::BitVector ReadByVectors;
  bool VectorsReadVCC = false;
  /// Registers of the application that the hook names; not the flags above.
  llvm::SmallVector<llvm::MCRegister, 2> Reads, Writes;
  /// Bytes per lane from ABI.StackPointer on; 0: the register is not read.
  unsigned StackSize = 0;
  unsigned StackAlign = 1;  ///< In bytes, of where they begin.
  uint64_t StateValues = 0; ///< stateBit() of what it reads or writes.
  llvm::SmallVector<Fixup, 0> Fixups;
  llvm::SmallVector<PayloadLiteral, 2> Literals;
  llvm::SmallVector<LiteralSum, 0> LiteralSums;
  /// If that is all that it does.
  std::optional<llvm::SmallVector<CounterAddition, 1>> OnlyAdds;
  llvm::SmallVector<LineEntry, 0> Lines; ///< In the order of their offsets.

  /// PayloadLiteral::Index \p Index of a copy whose call site has \p Given.
  uint32_t literalFor(unsigned Index, llvm::ArrayRef<uint32_t> Given) const;
  /// The code of a copy whose call site has \p Given for literals.
  llvm::SmallVector<uint8_t, 128>
  codeWith(llvm::ArrayRef<uint32_t> Given) const;
};

} // namespace luthier

#endif // LUTHIER_HOOK_PAYLOAD_H
