// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/strict/UndefinedTracker.h"
#include "emulator/isa/LdsDirect.h"
#include "llvm/Support/Compiler.h"
#include <algorithm>
#include <bit>

namespace luthier::emulator::strict {

UndefinedTracker::UndefinedTracker(const LaunchPlan &Plan, Reporter &R)
    : Plan(Plan), R(R), Space(*Plan.Memory, *Plan.D, 0xff),
      Move32(handlerOf("v_mov_b32")) {}

void UndefinedTracker::start(Workgroup &Real, Group &Shadow) {
  if (!Thread)
    Thread.emplace(Space, *Real.Waves.front().Thread->Code);
  Shadow.Lds.assign((Plan.D->GroupSegmentSize + 3) / 4, ~0u);
  Shadow.Waves.resize(Real.Waves.size());
  for (size_t N = 0; N != Real.Waves.size(); ++N) {
    const Wave &W = Real.Waves[N];
    Space.startScratch(W.Slot);
    if (Marks)
      Marks->startScratch(W.Slot);
    Shadow.Waves[N].start(W, Plan, Real.Scalars, *Thread,
                          reinterpret_cast<uint8_t *>(Shadow.Lds.data()));
  }
  Thread->Memory = MemoryView(Space);
  if (Marks)
    MarksThread->Memory = MemoryView(*Marks);
}

void UndefinedTracker::defineMemory(uint64_t Address, uint64_t Size) {
  while (Size) {
    auto Part = Space.find(Address);
    if (!Part)
      return;
    const uint64_t Count = std::min(Size, Part->End - Address);
    std::fill_n(reinterpret_cast<uint8_t *>(Address + Part->ToHost), Count,
                uint8_t(0));
    Address += Count;
    Size -= Count;
  }
}

/// Lanes in which the instruction reads something uninitialised; all of them
/// for what all lanes share.
uint64_t UndefinedTracker::undefinedLanes(const Step &X) const {
  uint64_t Lanes = 0;
  for (Span R : X.Facts.VectorReads)
    for (unsigned N = 0; N != R.Count; ++N)
      Lanes |= X.S.Lanes[R.First + N];
  uint32_t Scalars = 0;
  for (Span R : X.Facts.ScalarReads)
    for (unsigned N = 0; N != R.Count; ++N)
      Scalars |= X.S.Plane.S[R.First + N];
  return Scalars || X.LdsDirect ? ~uint64_t(0) : Lanes;
}

/// True when nothing that the instruction reads or writes is uninitialised.
bool UndefinedTracker::isClean(const Step &X) const {
  uint64_t Lanes = 0;
  for (Span R : X.Facts.VectorWrites)
    for (unsigned N = 0; N != R.Count; ++N)
      Lanes |= X.S.Lanes[R.First + N];
  uint32_t Scalars = 0;
  for (Span R : X.Facts.ScalarWrites)
    for (unsigned N = 0; N != R.Count; ++N)
      Scalars |= X.S.Plane.S[R.First + N];
  uint64_t Relevant = X.Facts.CrossesLanes ? ~uint64_t(0) : X.Exec;
  return !Scalars && !((Lanes | undefinedLanes(X)) & Relevant);
}

void UndefinedTracker::defineResults(const Step &X) {
  for (Span R : X.Facts.VectorWrites)
    for (unsigned N = 0; N != R.Count; ++N)
      X.S.define(R.First + N, X.Exec);
  // Mostly they are defined already, and not storing is faster.
  for (Span R : X.Facts.ScalarWrites)
    for (unsigned N = 0; N != R.Count; ++N)
      if (X.S.Plane.S[R.First + N])
        X.S.Plane.S[R.First + N] = 0;
}

void UndefinedTracker::undefineResults(const Step &X, uint64_t Lanes) {
  for (Span R : X.Facts.VectorWrites)
    for (unsigned N = 0; N != R.Count; ++N)
      X.S.setAll(R.First + N, Lanes, ~0u);
  for (Span R : X.Facts.ScalarWrites)
    std::fill_n(X.S.Plane.S + R.First, R.Count,
                R.First == sreg::Scc ? 1u : ~0u);
}

void UndefinedTracker::report(const Step &X, Rule What, RegisterFile File,
                              unsigned Reg, unsigned Count, uint64_t Lanes) {
  Reporter::Finding F{What, nameOf(File, Reg, Count)};
  if (Lanes)
    F.Lane = unsigned(std::countr_zero(Lanes));
  R.report(X.W, X.I, std::move(F));
}

LLVM_ATTRIBUTE_ALWAYS_INLINE void UndefinedTracker::stepShape(const Step &X) {
  switch (X.Facts.Form) {
  case Shape::Nothing:
    return;
  case Shape::Scalar:
    return stepScalar(X);
  case Shape::Vector:
    return stepVector(X);
  case Shape::Matrix:
    return stepMatrix(X);
  case Shape::ScalarMemory:
  case Shape::Flat:
  case Shape::Buffer:
  case Shape::Lds:
    return stepMemory(X);
  case Shape::Branch:
    return stepBranch(X);
  case Shape::Message:
    return stepMessage(X);
  }
}

void UndefinedTracker::step(Wave &W, WaveShadow &S, const Inst &I, Handler Fn,
                            const InstFacts &Facts) {
  Step X{W, S, I, Fn, Facts, W.exec()};
  S.Plane.setS64(sreg::Exec, W.s64(sreg::Exec));
  if (Facts.ReadsLdsDirect) {
    if (S.Plane.S[sreg::M0])
      report(X, Rule::UndefinedAddress, RegisterFile::Scalar, sreg::M0, 1);
    X.LdsDirect = readLdsDirect(S.Plane, W.m0());
    S.Plane.Event = WaveEvent::None;
  }
  if (S.AnyStray || !X.Exec || Facts.MayMakeStray ||
      (W.Mode & mode::GprIndexEnable))
    return stepWithOrigins(X);
  S.Empty.reset();
  stepShape(X);
  for (Span R : Facts.VectorWrites)
    for (unsigned N = 0; N != R.Count; ++N)
      S.Unwritten[R.First + N] &= ~X.Exec;
}

/// For what step() does not do by itself.
void UndefinedTracker::stepWithOrigins(const Step &X) {
  const InstFacts &Facts = X.Facts;
  WaveShadow &S = X.S;
  bool ReadsEmpty = false;
  if (X.Exec && !Facts.WritesExec)
    S.Empty.reset();
  else
    ReadsEmpty = S.Empty.step(X.W, X.I, Facts);
  const Origin From = originOf(X);
  stepShape(X);
  const Kept Loaded = Facts.MovesScratch ? followScratch(X) : Kept();
  followOrigin(X, {From.Lanes | Loaded.Stray, From.IsScalar}, ReadsEmpty);
  if (Loaded.Unwritten)
    for (Span R : Facts.VectorWrites)
      for (unsigned N = 0; N != R.Count; ++N)
        S.Unwritten[R.First + N] |= Loaded.Unwritten & S.Lanes[R.First + N];
}

} // namespace luthier::emulator::strict
