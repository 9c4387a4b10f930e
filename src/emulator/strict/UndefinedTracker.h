// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows uninitialised bits ("undefined") through a dispatch, and reports
// those that decide something: an address, a branch, EXEC or a message.
#ifndef LUTHIER_EMULATOR_STRICT_UNDEFINEDTRACKER_H
#define LUTHIER_EMULATOR_STRICT_UNDEFINEDTRACKER_H

#include "emulator/exec/Workgroup.h"
#include "emulator/strict/InstFacts.h"
#include "emulator/strict/Reporter.h"
#include "emulator/strict/ShadowSpace.h"
#include "emulator/strict/WaveShadow.h"
#include <optional>

namespace luthier::emulator::strict {

class UndefinedTracker {
public:
  UndefinedTracker(const LaunchPlan &Plan, Reporter &R);

  /// State of one workgroup.
  struct Group {
    std::vector<WaveShadow> Waves;
    std::vector<uint32_t> Lds;
  };
  void start(Workgroup &Real, Group &Shadow);

  /// To be called before \p I executes, \p W's PC past it.
  void step(Wave &W, WaveShadow &S, const Inst &I, Handler Fn,
            const InstFacts &Facts);

  /// The same when it has executed.
  void finish(Wave &W, WaveShadow &S, const Inst &I, const InstFacts &Facts) {
    if (S.Plane.S[sreg::Scc] && Facts.ConditionIsNonZero)
      settleCondition(W, S, I);
  }

  /// Somebody else has written there.
  void defineMemory(uint64_t Address, uint64_t Size);

private:
  /// Undefined of an operand or result, as lanes hold it.
  struct Bits {
    alignas(64) uint32_t Half[2][NumLanes];
  };
  /// What the functions below work on.
  struct Step {
    Wave &W;
    WaveShadow &S;
    const Inst &I;
    Handler Fn;
    const InstFacts &Facts;
    uint64_t Exec;
    /// Undefined of a source that M0 points to in LDS.
    uint32_t LdsDirect = 0;
  };

  // UndefinedOrigin.cpp
  /// Whether, and in which lanes, an instruction reads what is stray.
  struct Origin {
    uint64_t Lanes = 0;
    bool IsScalar = false;
  };
  void stepWithOrigins(const Step &X);
  Origin originOf(const Step &X) const;
  void followOrigin(const Step &X, Origin From, bool ReadsEmpty);
  void checkStore(const Step &X);

  // UndefinedScratch.cpp
  uint64_t scratchLanes(const Step &X) const;
  /// Lanes that an instruction loads from where they had been kept.
  struct Kept {
    uint64_t Stray = 0, Unwritten = 0;
  };
  Kept followScratch(const Step &X);

  bool isClean(const Step &X) const;
  void defineResults(const Step &X);
  void undefineResults(const Step &X, uint64_t Lanes);
  uint64_t undefinedLanes(const Step &X) const;
  void report(const Step &X, Rule R, RegisterFile File, unsigned Reg,
              unsigned Count, uint64_t Lanes = 0);

  // UndefinedVector.cpp
  void stepVector(const Step &X);
  void stepMatrix(const Step &X);
  void stepDual(const Step &X);
  void stepRelative(const Step &X);
  void evaluate(const Step &X, Bits &Result);
  void moveVector(const Step &X);
  void computeVector(const Step &X);
  void fetch(const Step &X, unsigned N, Bits &Result);
  void fetchValue(const Step &X, unsigned N, uint32_t Unknown, Bits &Result);
  void combine(const Step &X, Bits (&Sources)[3], Bits &Result);
  void combinePacked(const Step &X, Bits (&Sources)[3], Bits &Result);
  void writeVector(const Step &X, Bits &Result);
  uint64_t redirect(const Step &X, Inst &Copy, unsigned Control);

  // UndefinedScalar.cpp
  struct Scalar {
    uint64_t Value = 0;
    uint64_t Undefined = 0;
  };
  void stepScalar(const Step &X);
  void stepRelativeScalar(const Step &X);
  Scalar scalarSource(const Step &X, unsigned N) const;
  uint64_t combineScalar(const Step &X, Scalar A, Scalar B) const;
  uint64_t moveScalar(const Step &X, Scalar A, Scalar B);
  uint64_t scalarResult(const Step &X, Scalar A, Scalar B, uint64_t Old);
  void stepBranch(const Step &X);
  void stepMessage(const Step &X);
  void settleCondition(Wave &W, WaveShadow &S, const Inst &I);

  // UndefinedMemory.cpp
  void stepShape(const Step &X);
  void stepMemory(const Step &X);
  void checkAddress(const Step &X);
  bool needsShadow(const Step &X, bool DataIsUndefined) const;
  uint64_t undefinedData(const Step &X) const;
  static unsigned addressOperands(Shape Form);
  void accessShadow(const Step &X, Handler Fn, bool MergeData);
  static void executeOnPlane(const Step &X, Handler Fn, const Inst &Copy);

  const LaunchPlan &Plan;
  Reporter &R;
  ShadowSpace Space;
  std::optional<ThreadContext> Thread;
  /// Marks in scratch of what stray values and unwritten lanes were stored
  /// there; made with the first of them.
  std::optional<ShadowSpace> Marks;
  std::optional<ThreadContext> MarksThread;
  Handler Move32;
  /// Some memory besides scratch has been given uninitialised bits.
  bool MemoryIsDirty = false;
};

} // namespace luthier::emulator::strict

#endif // LUTHIER_EMULATOR_STRICT_UNDEFINEDTRACKER_H
