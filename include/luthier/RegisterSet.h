// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A set of registers of one wave: s0.., v0.., a0.. by number, and the special
// ones. The unit is 32 bits (SCC, MODE: one unit each). A tuple or a half is
// in a set by the units that it lies in.
#ifndef LUTHIER_REGISTERSET_H
#define LUTHIER_REGISTERSET_H

#include "luthier/Export.h"
#include "llvm/MC/MCRegister.h"
#include <array>
#include <bit>
#include <cstdint>

namespace llvm {
class BitVector;
class raw_ostream;
} // namespace llvm

namespace luthier {

/// Units of a register: consecutive, since tuples are. None for registers that
/// hold nothing of the application's (null, constants, trap handler's).
struct RegisterUnits {
  uint16_t First = 0;
  uint16_t Count = 0;
  /// The register is a part of its unit (v1.l).
  bool IsPartial = false;
};

/// Of any register that an operand can name, generation-specific names and
/// sources that read a flag (src_vccz) included.
LUTHIER_API RegisterUnits unitsOf(llvm::MCRegister Reg);

class LUTHIER_API RegisterSet {
public:
  /// What is neither in the scalar file nor in the vector files.
  enum Special : uint16_t {
    SCC = 112,
    VCCLo,
    VCCHi,
    EXECLo,
    EXECHi,
    M0,
    MODE,
    FlatScratchLo,
    FlatScratchHi,
    XnackMaskLo,
    XnackMaskHi,
    SpecialEnd
  };
  static constexpr unsigned NumSGPRs = 106;
  static constexpr unsigned FirstVGPR = 128, FirstAGPR = 384, NumUnits = 640;

  static RegisterSet all();
  /// v0.. and a0..
  static RegisterSet allVectors();

  bool sgpr(unsigned N) const { return N < NumSGPRs && unit(N); }
  bool vgpr(unsigned N) const { return unit(FirstVGPR + N); }
  bool agpr(unsigned N) const { return unit(FirstAGPR + N); }
  bool has(Special S) const { return unit(S); }
  bool vcc() const { return has(VCCLo) || has(VCCHi); }
  bool exec() const { return has(EXECLo) || has(EXECHi); }
  /// Any part of \p Reg is in the set.
  bool contains(llvm::MCRegister Reg) const;
  bool contains(RegisterUnits Units) const;

  void add(llvm::MCRegister Reg) { add(unitsOf(Reg)); }
  void add(RegisterUnits Units);
  void addSGPR(unsigned N) { addUnit(N); }
  void addVGPR(unsigned N) { addUnit(FirstVGPR + N); }
  void addAGPR(unsigned N) { addUnit(FirstAGPR + N); }
  void add(Special S) { addUnit(S); }
  void remove(RegisterUnits Units);

  /// By number; sized to the last one that is in. Callers include
  /// llvm/ADT/BitVector.h.
  llvm::BitVector sgprs() const;
  llvm::BitVector vgprs() const;
  llvm::BitVector agprs() const;

  bool unit(unsigned U) const { return Words[U / 64] >> (U % 64) & 1; }
  void addUnit(unsigned U) { Words[U / 64] |= uint64_t(1) << (U % 64); }
  bool empty() const {
    uint64_t Any = 0;
    for (uint64_t Word : Words)
      Any |= Word;
    return Any == 0;
  }
  unsigned count() const {
    unsigned Sum = 0;
    for (uint64_t Word : Words)
      Sum += std::popcount(Word);
    return Sum;
  }

  RegisterSet &operator|=(const RegisterSet &Other) {
    for (unsigned I = 0; I < Words.size(); ++I)
      Words[I] |= Other.Words[I];
    return *this;
  }
  RegisterSet &operator&=(const RegisterSet &Other) {
    for (unsigned I = 0; I < Words.size(); ++I)
      Words[I] &= Other.Words[I];
    return *this;
  }
  /// Set difference.
  RegisterSet &operator-=(const RegisterSet &Other) {
    for (unsigned I = 0; I < Words.size(); ++I)
      Words[I] &= ~Other.Words[I];
    return *this;
  }
  friend RegisterSet operator|(RegisterSet A, const RegisterSet &B) {
    return A |= B;
  }
  friend RegisterSet operator&(RegisterSet A, const RegisterSet &B) {
    return A &= B;
  }
  friend RegisterSet operator-(RegisterSet A, const RegisterSet &B) {
    return A -= B;
  }
  friend bool operator==(const RegisterSet &, const RegisterSet &) = default;

  /// "s0-s3 s8 v1 a0-a7 scc vcc"; "none" for the empty set.
  void print(llvm::raw_ostream &OS) const;

private:
  llvm::BitVector numbers(unsigned Begin, unsigned End) const;
  std::array<uint64_t, NumUnits / 64> Words{};
};

inline llvm::raw_ostream &operator<<(llvm::raw_ostream &OS,
                                     const RegisterSet &Set) {
  Set.print(OS);
  return OS;
}

} // namespace luthier

#endif // LUTHIER_REGISTERSET_H
