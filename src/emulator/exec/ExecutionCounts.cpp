// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/ExecutionCounts.h"
#include "emulator/core/Wave.h"
#include <bit>

namespace luthier::emulator {

namespace {

class CountingObserver final : public DispatchObserver {
public:
  CountingObserver(ExecutionCounts &Counts,
                   std::unique_ptr<DispatchObserver> Inner)
      : Counts(Counts), Inner(std::move(Inner)) {}
  CountingObserver(std::function<void(const ExecutionCounts &)> Use,
                   std::unique_ptr<DispatchObserver> Inner)
      : Counts(Own), Use(std::move(Use)), Inner(std::move(Inner)) {}
  ~CountingObserver() override {
    if (Use)
      Use(Own);
  }

  void workgroupStarted(Workgroup &Group) override {
    if (Inner)
      Inner->workgroupStarted(Group);
  }
  void workgroupEnded(Workgroup &Group) override {
    if (Inner)
      Inner->workgroupEnded(Group);
  }
  void execute(Wave &W, const Inst &I, Handler Fn) override {
    ExecutionCounts::Count &C = Counts.at(W.PC - I.Dwords * 4u);
    const unsigned Active = unsigned(std::popcount(W.exec()));
    ++C.Waves;
    C.Lanes += I.IsVector ? Active : I.ScalarLanes;
    C.Active += Active;
    if (Inner)
      Inner->execute(W, I, Fn);
    else
      Fn(W, I);
  }

  const Wave *uninitialised(const Wave &W) override {
    return Inner ? Inner->uninitialised(W) : nullptr;
  }
  void vectorLost(const Wave &W, unsigned Reg, unsigned Lane,
                  uint32_t Bits) override {
    if (Inner)
      Inner->vectorLost(W, Reg, Lane, Bits);
  }
  void scalarLost(const Wave &W, unsigned Reg, uint32_t Bits) override {
    if (Inner)
      Inner->scalarLost(W, Reg, Bits);
  }
  void functionLeft(const Wave &W) override {
    if (Inner)
      Inner->functionLeft(W);
  }
  void scalarsGiven(Wave &W, unsigned First, unsigned Count) override {
    if (Inner)
      Inner->scalarsGiven(W, First, Count);
  }
  void vectorGiven(Wave &W, unsigned Reg, uint64_t Lanes) override {
    if (Inner)
      Inner->vectorGiven(W, Reg, Lanes);
  }
  void ldsGiven(Wave &W, uint32_t Offset, uint32_t Size) override {
    if (Inner)
      Inner->ldsGiven(W, Offset, Size);
  }
  void memoryGiven(uint64_t Address, uint64_t Size) override {
    if (Inner)
      Inner->memoryGiven(Address, Size);
  }

private:
  ExecutionCounts Own;
  ExecutionCounts &Counts;
  std::function<void(const ExecutionCounts &)> Use;
  std::unique_ptr<DispatchObserver> Inner;
};

} // namespace

std::unique_ptr<DispatchObserver>
countingObserver(ExecutionCounts &Counts,
                 std::unique_ptr<DispatchObserver> Inner) {
  return std::make_unique<CountingObserver>(Counts, std::move(Inner));
}

std::unique_ptr<DispatchObserver>
countingObserver(std::function<void(const ExecutionCounts &)> Use,
                 std::unique_ptr<DispatchObserver> Inner) {
  return std::make_unique<CountingObserver>(std::move(Use), std::move(Inner));
}

} // namespace luthier::emulator
