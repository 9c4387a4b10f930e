// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/Workgroup.h"
#include "emulator/strict/HazardClasses.h"
#include "emulator/strict/Hazards.h"
#include "emulator/strict/SgprHazards.h"
#include "emulator/strict/StrictMode.h"
#include "emulator/strict/UndefinedTracker.h"
#include "emulator/strict/Waits.h"
#include <map>

namespace luthier::emulator::strict {

namespace {

class StrictObserver final : public DispatchObserver {
public:
  StrictObserver(const LaunchPlan &Plan, const Options &O, ViolationSink Sink)
      : O(O), R(*Plan.D, std::move(Sink), O.Continue), Undefined(Plan, R) {}

  void workgroupStarted(Workgroup &Real) override;
  void execute(Wave &W, const Inst &I, Handler Fn) override;
  const Wave *uninitialised(const Wave &W) override {
    return O.Undefined ? &stateOf(W).Shadow->Plane : nullptr;
  }
  void vectorLost(const Wave &W, unsigned Reg, unsigned Lane,
                  uint32_t Bits) override {
    if (!O.Undefined)
      return;
    WaveShadow &Shadow = *stateOf(W).Shadow;
    Shadow.row(Reg)[Lane] |= Bits;
    Shadow.refresh(Reg);
  }
  void scalarLost(const Wave &W, unsigned Reg, uint32_t Bits) override {
    if (O.Undefined)
      stateOf(W).Shadow->Plane.S[Reg] |= Bits;
  }
  void functionLeft(const Wave &W) override {
    if (O.Hazards)
      stateOf(W).Sgprs.leaveFunction(*W.T);
  }
  // What is given a value counts as waited for and as initialised.
  void scalarsGiven(Wave &W, unsigned First, unsigned Count) override;
  void vectorGiven(Wave &W, unsigned Reg, uint64_t Lanes) override;
  void ldsGiven(Wave &W, uint32_t Offset, uint32_t Size) override;
  void memoryGiven(uint64_t Address, uint64_t Size) override {
    if (O.Undefined)
      Undefined.defineMemory(Address, Size);
  }

private:
  struct WaveState {
    explicit WaveState(const Options &O)
        : Waits(O.Loads), Sgprs(O.KnowsFunctions) {}
    WaveShadow *Shadow = nullptr;
    WaitTracker Waits;
    HazardTracker Hazards;
    SgprHazards Sgprs;
  };
  struct Group {
    UndefinedTracker::Group Shadow;
    std::vector<WaveState> Waves;
  };
  WaveState &stateOf(const Wave &W);

  const Options O;
  Reporter R;
  UndefinedTracker Undefined;
  /// By the address of the first wave; the scheduler reuses workgroups.
  std::map<const Wave *, Group> Groups;
  /// Makes every wave's timing another one.
  uint64_t NumWaves = 0;
  const Wave *Last = nullptr;
  WaveState *LastState = nullptr;
};

void StrictObserver::workgroupStarted(Workgroup &Real) {
  Group &G = Groups[Real.Waves.data()];
  while (G.Waves.size() != Real.Waves.size())
    G.Waves.emplace_back(O);
  for (WaveState &State : G.Waves) {
    State.Waits.start(O.Seed.value_or(0) + ++NumWaves);
    State.Hazards.start();
    State.Sgprs = SgprHazards(O.KnowsFunctions);
  }
  Last = nullptr;
  if (!O.Undefined)
    return;
  Undefined.start(Real, G.Shadow);
  for (size_t N = 0; N != G.Waves.size(); ++N)
    G.Waves[N].Shadow = &G.Shadow.Waves[N];
}

StrictObserver::WaveState &StrictObserver::stateOf(const Wave &W) {
  if (&W != Last) {
    Last = &W;
    LastState = &Groups.at(&W - W.IdInWorkgroup).Waves[W.IdInWorkgroup];
  }
  return *LastState;
}

void StrictObserver::execute(Wave &W, const Inst &I, Handler Fn) {
  WaveState &State = stateOf(W);
  const InstFacts &Facts = InstFacts::of(*W.T, I);
  if (O.Undefined)
    Undefined.step(W, *State.Shadow, I, Fn, Facts);
  if (O.Waits)
    State.Waits.step(W, I, Facts, R);
  if (O.Hazards) {
    State.Hazards.step(W, I, Facts, R);
    if (Facts.HazardFamily & (hazard::Gfx11 | hazard::Gfx12))
      State.Sgprs.step(W, I, Facts, R);
  }
  if (W.Event == WaveEvent::Fault)
    return;
  if (O.Waits)
    State.Waits.execute(W, I, Fn, Facts);
  else
    Fn(W, I);
  if (O.Undefined)
    Undefined.finish(W, *State.Shadow, I, Facts);
}

void StrictObserver::scalarsGiven(Wave &W, unsigned First, unsigned Count) {
  WaveState &State = stateOf(W);
  const Span Given{uint16_t(First), uint8_t(Count)};
  State.Waits.giveUp(W, RegisterFile::Scalar, Given);
  if (O.Undefined)
    std::fill_n(State.Shadow->Plane.S + First, Count, 0u);
}

void StrictObserver::vectorGiven(Wave &W, unsigned Reg, uint64_t Lanes) {
  WaveState &State = stateOf(W);
  State.Waits.giveUp(W, RegisterFile::Vector, {uint16_t(Reg), 1});
  if (O.Undefined)
    State.Shadow->define(Reg, Lanes);
}

void StrictObserver::ldsGiven(Wave &W, uint32_t Offset, uint32_t Size) {
  WaveState &State = stateOf(W);
  State.Waits.giveUpLds();
  if (O.Undefined)
    std::fill_n(State.Shadow->Plane.Lds + Offset, Size, uint8_t(0));
}

} // namespace

std::function<std::unique_ptr<DispatchObserver>(const LaunchPlan &)>
observer(const Options &O, ViolationSink Sink) {
  return [O, Sink = std::move(Sink)](const LaunchPlan &Plan) {
    return std::make_unique<StrictObserver>(Plan, O, Sink);
  };
}

} // namespace luthier::emulator::strict
