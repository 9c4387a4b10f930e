// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar registers that the vector ALU has read, are written and are read
// again: RDNA 3 (masks in wave64) and RDNA 4 (all of them) do not wait for the
// second write by themselves.
#ifndef LUTHIER_EMULATOR_STRICT_SGPRHAZARDS_H
#define LUTHIER_EMULATOR_STRICT_SGPRHAZARDS_H

#include "emulator/strict/InstFacts.h"
#include "emulator/strict/Reporter.h"
#include <bitset>

namespace luthier::emulator::strict {

class SgprHazards {
public:
  explicit SgprHazards(bool KnowsFunctions) : KnowsFunctions(KnowsFunctions) {}
  void step(Wave &W, const Inst &I, const InstFacts &Facts, Reporter &R);
  /// Compilers look at one function at a time, so what is under way at a call
  /// or return is nobody's fault.
  void leaveFunction(const Target &T);

private:
  /// The scalar registers, and VCC after them.
  static constexpr unsigned NumRegs = sreg::Vcc + 2;
  using Set = std::bitset<NumRegs>;

  void await(unsigned Fields);
  bool check(Wave &W, const Inst &I, const InstFacts &Facts, Reporter &R);
  void update(const Wave &W, const Inst &I, const InstFacts &Facts);

  bool KnowsFunctions;
  /// Registers that the vector ALU has read, the way that matters.
  Set Read;
  /// Of these, what either unit has written since, with no wait.
  Set FromScalar, FromVector;
  /// Who wrote them.
  uint64_t Writer[NumRegs] = {};
  /// ds_nop instructions that follow each other.
  unsigned Nops = 0;
};

} // namespace luthier::emulator::strict

#endif // LUTHIER_EMULATOR_STRICT_SGPRHAZARDS_H
