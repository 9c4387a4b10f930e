// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data dependencies that hardware does not wait for: code must keep the two
// instructions apart.
#ifndef LUTHIER_EMULATOR_STRICT_HAZARDS_H
#define LUTHIER_EMULATOR_STRICT_HAZARDS_H

#include "emulator/strict/InstFacts.h"
#include "emulator/strict/Reporter.h"

namespace luthier::emulator::strict {

/// A wave's recent instructions, in wait states: each instruction is one, and
/// s_nop as many as it says.
class HazardTracker {
public:
  void step(Wave &W, const Inst &I, const InstFacts &Facts, Reporter &R);
  /// Another wave begins.
  void start();

private:
  struct Issued {
    const InstFacts *Facts = nullptr;
    uint64_t PC = 0;
    /// The first wait state after it.
    uint64_t End = 0;
    uint32_t Classes = 0;
    uint16_t DstReg = 0;
    uint16_t DataReg = 0;
    uint8_t NumData = 0;
    /// What a matrix operation still reads for a while.
    uint8_t NumAddend = 0;
    uint16_t AddendReg = 0;
    int32_t Immediate = 0;
  };
  struct Conflict {
    const char *Text;
    unsigned Needed;
    RegisterFile File;
    unsigned Reg;
  };

  const Issued &before(unsigned Age) const {
    return Ring[(Next - 1 - Age) % RingSize];
  }
  void checkClause(Wave &W, const Inst &I, const InstFacts &Facts, Reporter &R);
  void checkTable(Wave &W, const Inst &I, const InstFacts &Facts, Reporter &R);

  // MatrixHazards.cpp
  bool checkMatrix(Wave &W, const Inst &I, const InstFacts &Facts, Reporter &R);
  bool checkBeforeMatrix(Wave &W, const Inst &I, const InstFacts &Facts,
                         const Issued &P, Reporter &R);
  bool checkMatrixInputs(Wave &W, const Inst &I, const InstFacts &Facts,
                         const Issued &P, Reporter &R);
  bool checkAfterMatrix(Wave &W, const Inst &I, const InstFacts &Facts,
                        const Issued &P, Reporter &R);
  bool checkLate(Wave &W, const Inst &I, Reporter &R, const Issued &First,
                 int Reg, unsigned Needed, const char *Text);

  bool checkDot(Wave &W, const Inst &I, const InstFacts &Facts, Reporter &R);
  void checkRdna(Wave &W, const Inst &I, const InstFacts &Facts, Reporter &R);
  bool checkTrans(Wave &W, const Inst &I, const InstFacts &Facts, Reporter &R);
  bool checkPartialExec(Wave &W, const Inst &I, Reporter &R);
  bool checkWmma(Wave &W, const Inst &I, const InstFacts &Facts, Reporter &R);
  void checkLdsDirect(Wave &W, const Inst &I, const InstFacts &Facts,
                      Reporter &R);
  void checkPermutation(Wave &W, const Inst &I, Reporter &R);
  void checkDenormMode(Wave &W, const Inst &I, Reporter &R);
  /// The latest instruction of these classes in the same function, or null.
  const Issued *latest(uint32_t Classes) const;
  void report(Wave &W, const Inst &I, Reporter &R, const Issued &First,
              RegisterFile File, unsigned Reg, std::string Text);
  void report(Wave &W, const Inst &I, Reporter &R, const Issued &First,
              unsigned Distance, Conflict C);

  static constexpr unsigned RingSize = 32;
  Issued Ring[RingSize];
  unsigned Next = 0;
  /// Classes of instructions issued since a moment, and in a window before it:
  /// what is in neither was not issued lately.
  uint32_t Recent = 0, Older = 0;
  uint64_t RecentEnd = 0;
  /// Matrix operations in the ring.
  unsigned NumMatrix = 0;
  uint64_t Now = 0;
  /// Of s_clause: instructions to come, what the first of them was (Nothing
  /// until there was one), and where it stands.
  unsigned LeftInClause = 0;
  Shape ClauseForm = Shape::Nothing;
  uint64_t ClausePC = 0;
};

} // namespace luthier::emulator::strict

#endif // LUTHIER_EMULATOR_STRICT_HAZARDS_H
