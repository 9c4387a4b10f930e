// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of 32 bits of a scalar register that may hold half of a lane
// mask, and the algebra of that. For ExecMasks.
#ifndef LUTHIER_ANALYSIS_MASKVALUES_H
#define LUTHIER_ANALYSIS_MASKVALUES_H

#include "analysis/RegisterSet.h"
#include <utility>
#include <vector>

namespace luthier {

struct MaskValue {
  enum KindType : uint8_t {
    Unknown,
    Zero,
    Ones,
    /// What unit Unit held when the function was entered.
    Original,
    /// Some of the bits that unit Unit, a half of EXEC, held then.
    Within,
    /// Those of them that EXEC had where lanes parted, and the others.
    Part,
    Rest,
  };
  KindType Kind = Unknown;
  uint16_t Unit = 0;

  bool isPartOfExec() const {
    return Kind >= Original &&
           (Unit == RegisterSet::EXECLo || Unit == RegisterSet::EXECHi);
  }
  bool operator==(const MaskValue &) const = default;

  static MaskValue meet(MaskValue A, MaskValue B);
  static MaskValue bitAnd(MaskValue A, MaskValue B);
  static MaskValue bitOr(MaskValue A, MaskValue B);
  static MaskValue bitXor(MaskValue A, MaskValue B);
  static MaskValue bitNot(MaskValue A);
  static MaskValue bitAndNot(MaskValue A, MaskValue B);
};

/// By unit of the scalar registers, and by lane of VGPRs that v_writelane put
/// something into.
class MaskState {
public:
  static MaskState atFunctionEntry();

  MaskValue get(unsigned Unit) const { return Units[Unit]; }
  void set(unsigned Unit, MaskValue Value) { Units[Unit] = Value; }
  /// Anything is known of lanes.
  bool hasLanes() const { return !Lanes.empty(); }
  MaskValue lane(unsigned VGPRUnit, unsigned Lane) const;
  void setLane(unsigned VGPRUnit, unsigned Lane, MaskValue Value);
  /// All lanes of the vector registers that are in \p Changed.
  void forgetLanes(const RegisterSet &Changed);
  /// Here EXEC, if lanes have been taken out of it, is the Part.
  void part();

  /// Keeps what both know. True if that is less than before.
  bool meet(const MaskState &Other);

private:
  std::array<MaskValue, RegisterSet::SpecialEnd> Units{};
  /// In the order of their keys. Blocks are met far more often than lanes set.
  std::vector<std::pair<unsigned, MaskValue>> Lanes;
};

} // namespace luthier

#endif // LUTHIER_ANALYSIS_MASKVALUES_H
