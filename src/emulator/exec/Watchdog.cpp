// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/Watchdog.h"

#include "llvm/Support/xxhash.h"
#include <algorithm>
#include <atomic>
#include <chrono>

namespace luthier::emulator {

namespace {

std::atomic<uint64_t> Progress{0};

uint64_t now() {
  using namespace std::chrono;
  return uint64_t(
      duration_cast<nanoseconds>(steady_clock::now().time_since_epoch())
          .count());
}

/// Hashes are chained: each begins with the one before.
class StateHash {
public:
  void add(const void *Data, size_t Bytes) {
    const uint64_t Parts[] = {
        Value, llvm::xxh3_64bits({static_cast<const uint8_t *>(Data), Bytes})};
    Value = llvm::xxh3_64bits(
        {reinterpret_cast<const uint8_t *>(Parts), sizeof(Parts)});
  }
  uint64_t Value = 0;
};

uint64_t hashOf(const Wave &W, const LaunchPlan &Plan, uint64_t Group) {
  StateHash Hash;
  Hash.Value = Group;
  constexpr size_t RowBytes = NumLanes * sizeof(uint32_t);
  const uint64_t Scalars[] = {W.PC, W.Mode, uint64_t(W.Event)};
  Hash.add(Scalars, sizeof(Scalars));
  Hash.add(W.S, sizeof(W.S));
  Hash.add(W.V, Plan.NumVgprs * RowBytes);
  Hash.add(W.V + NumArchVgprs * NumLanes, Plan.NumAgprs * RowBytes);
  return Hash.Value;
}

} // namespace

Watchdog::Watchdog(uint64_t Patience, const LaunchPlan &Plan)
    : Patience(Patience),
      Period(std::clamp<uint64_t>(Patience / 256, 1'000'000, 50'000'000)),
      Plan(Plan) {}

void Watchdog::noteProgress() {
  Progress.fetch_add(1, std::memory_order_relaxed);
}

bool Watchdog::seesNoProgress(
    const std::vector<std::unique_ptr<Workgroup>> &Resident) {
  // Even the clock takes time.
  constexpr unsigned CallsPerClock = 16;
  if (!Patience || CallsToSkip-- != 0)
    return false;
  CallsToSkip = CallsPerClock;
  const uint64_t Now = now();
  if (!LastProgress) {
    // Most dispatches end before the first look.
    LastProgress = Now;
    NextLook = Now + std::min<uint64_t>(Patience / 4, 1'000'000'000);
  }
  if (Now < NextLook)
    return false;
  NextLook = Now + Period;
  if (seesAnythingNew(Resident))
    noteProgress();
  const uint64_t Elsewhere = Progress.load(std::memory_order_relaxed);
  if (Elsewhere != SeenElsewhere) {
    SeenElsewhere = Elsewhere;
    LastProgress = Now;
  }
  return Now - LastProgress >= Patience;
}

bool Watchdog::seesAnythingNew(
    const std::vector<std::unique_ptr<Workgroup>> &Resident) {
  // Whoever is in so many states is not waiting.
  constexpr size_t MaxKnown = 1 << 18;
  if (Known.size() > MaxKnown)
    Known.clear();
  bool New = false;
  for (const auto &Group : Resident) {
    StateHash Lds;
    const Wave &First = Group->Waves.front();
    Lds.add(First.WorkgroupId, sizeof(First.WorkgroupId));
    Lds.add(First.Lds, First.LdsSize);
    for (const Wave &W : Group->Waves)
      New |= Known.insert(hashOf(W, Plan, Lds.Value + W.IdInWorkgroup)).second;
  }
  return New;
}

} // namespace luthier::emulator
