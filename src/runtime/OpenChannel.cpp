// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/OpenChannel.h"
#include "runtime/ApplicationThread.h"
#include "runtime/Log.h"
#include "runtime/ToolExceptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <chrono>
#include <sched.h>
#include <unistd.h>
#include <utility>

using namespace llvm;

namespace luthier {

using runtime::ChannelRing;
using std::chrono::microseconds;

ChannelCounts &ChannelCounts::operator+=(const ChannelCounts &Other) {
  Records += Other.Records;
  Blocks += Other.Blocks;
  Bytes += Other.Bytes;
  Dropped += Other.Dropped;
  Unfinished += Other.Unfinished;
  return *this;
}

namespace detail {

bool OpenChannel::startThread() {
  if (ThreadOf == ::getpid())
    return true;
  auto Share =
      std::make_unique<std::shared_ptr<OpenChannel>>(shared_from_this());
  auto Main = [](void *Of) -> void * {
    const std::unique_ptr<std::shared_ptr<OpenChannel>> Share(
        static_cast<std::shared_ptr<OpenChannel> *>(Of));
    const runtime::ApplicationThreadScope Scope;
    (*Share)->run();
    return nullptr;
  };
  if (!runtime::startThread(Main, Share.get(), Thread))
    return false;
  Share.release(); // The thread has it.
  ::pthread_detach(Thread);
  ThreadOf = ::getpid();
  return true;
}

Expected<ChannelState> OpenChannel::addRing(hsa_agent_t Agent, void *Memory,
                                            uint64_t Address,
                                            std::function<void()> Free) {
  std::lock_guard Guard(Lock);
  if (!startThread())
    return createStringError("there is no thread to be had for a channel");
  Rings.push_back(
      std::make_shared<Ring>(Agent, Memory, Log2Units, std::move(Free)));
  Changed.notify_all();
  return Rings.back()->InMemory.stateFor(Address, Waits);
}

bool OpenChannel::isOwnThread() const {
  return ThreadOf == ::getpid() && ::pthread_equal(Thread, ::pthread_self());
}

void OpenChannel::give(const ChannelRing::Block &Block, const Ring &R) {
  const ChannelHeader &H = *Block.Header;
  ++Blocks;
  Bytes += H.Bytes;
  // Either each active lane has one, or there is one for the wave.
  Records += H.Tag & OnceTag ? 1 : llvm::popcount(H.Lanes);
  const RawBlock Raw = {Block.Records, H.Bytes, H.Tag & ~OnceTag, H.Lanes,
                        R.Agent};
  auto What = [&] { return Owner + ", given what it was sent,"; };
  Error E = runtime::withoutExceptions(What, [&] {
    Consume(Raw);
    return Error::success();
  });
  if (E) {
    static std::atomic_flag IsSaid;
    const std::string Text = toString(std::move(E));
    if (!IsSaid.test_and_set())
      runtime::logWarning(Text);
  }
}

bool OpenChannel::isWanted(const Ring &R) const {
  return Now == Phase::Running || R.InMemory.position() < R.End;
}

/// False if nothing was there.
bool OpenChannel::consumeSome(Ring &R) {
  ChannelRing &From = R.InMemory;
  // So that waves that wait can go on before all of it is consumed.
  const uint64_t Step = std::max<uint64_t>((uint64_t(1) << Log2Units) / 16, 1);
  const uint64_t Begin = From.position();
  while (From.position() - Begin < Step && !IsRemoving) {
    const std::optional<ChannelRing::Block> Block = From.next();
    if (!Block)
      break;
    if (isWanted(R))
      give(*Block, R);
    From.pass();
  }
  From.tell();
  return From.position() != Begin;
}

/// In the end, blocks of waves that were killed stand before others; those that
/// still run finish theirs soon, so that \p IsPatient waits for them. What
/// comes behind the end, as of kernels that never stop sending, does not count.
void OpenChannel::tryToFinish(bool IsPatient) {
  std::lock_guard Guard(Lock);
  bool IsDone = true;
  for (const std::shared_ptr<Ring> &R : Rings)
    if (R->InMemory.position() < R->End) {
      if (!IsPatient)
        Unfinished += R->InMemory.passGap() * ChannelUnit;
      IsDone = false;
    }
  if (!IsDone)
    return;
  Now = Phase::Finished;
  Changed.notify_all();
}

/// What waves were about to send when they were killed. False if nothing stands
/// behind it.
bool OpenChannel::passGaps(ArrayRef<std::shared_ptr<Ring>> Of) {
  bool HasPassed = false;
  for (const std::shared_ptr<Ring> &R : Of)
    if (const uint64_t Units = R->InMemory.passGap()) {
      Unfinished += Units * ChannelUnit;
      HasPassed = true;
    }
  return HasPassed;
}

void OpenChannel::expectKilledWaves(hsa_agent_t Agent) {
  std::lock_guard Guard(Lock);
  for (const std::shared_ptr<Ring> &R : Rings)
    if (R->Agent.handle == Agent.handle)
      R->MayHaveKilled = true;
}

/// Where a queue has stopped. Waves of others may be in the middle of a block,
/// and be preempted there. But thousands of killed ones that waited for room
/// hold many rings in a row: each half that nobody has come to fill makes it
/// likelier that the next one is theirs, too.
void OpenChannel::passKilled(Ring &R) {
  constexpr std::chrono::milliseconds Longest(500), Shortest(50);
  const Clock::time_point Time = Clock::now();
  ChannelRing &From = R.InMemory;
  const uint64_t At = From.position();
  const bool HasOthersBehind = From.publishedEnd() != At;
  if (At != R.StuckAt || (!HasOthersBehind && !From.isFull())) {
    R.StuckAt = At;
    R.StuckSince = Time;
    R.Patience = Longest;
    return;
  }
  // Here is somebody alive.
  if (HasOthersBehind)
    R.Patience = Longest;
  // What was missing may have come just now.
  if (Time - R.StuckSince < R.Patience || From.next())
    return;
  uint64_t Units = From.passGap();
  if (!Units) {
    Units = From.passHalf();
    R.Patience = std::max<Clock::duration>(R.Patience / 2, Shortest);
  }
  R.StuckAt = From.position();
  R.StuckSince = Time;
  Unfinished += Units * ChannelUnit;
  static std::atomic_flag IsSaid;
  if (Units && !IsSaid.test_and_set())
    runtime::logWarning(Owner + " does not get what waves were sending when "
                                "their queue stopped");
}

/// Its memory may go before the GPU runtime that it is of: that waits for a
/// busy thread.
void OpenChannel::leave() {
  std::unique_lock Guard(Lock);
  const std::vector<std::shared_ptr<Ring>> Last = std::exchange(Rings, {});
  for (const std::shared_ptr<Ring> &R : Last) {
    DroppedBefore += R->InMemory.dropped();
    Unfinished +=
        (R->InMemory.publishedEnd() - R->InMemory.position()) * ChannelUnit;
  }
  Guard.unlock();
  for (const std::shared_ptr<Ring> &R : Last)
    R->Free();
  Guard.lock();
  IsBusy = false;
  ThreadOf = 0;
  Changed.notify_all();
}

void OpenChannel::close() {
  std::lock_guard Guard(Lock);
  IsClosing = true;
  Changed.notify_all();
}

bool OpenChannel::isClosed() const {
  std::lock_guard Guard(Lock);
  return IsClosing && ThreadOf != ::getpid();
}

void OpenChannel::run() {
  constexpr microseconds Shortest(20), Longest(1000), Patience(20'000);
  microseconds Wait = Shortest;
  Clock::time_point LastWanted = Clock::now();
  for (;;) {
    std::vector<std::shared_ptr<Ring>> Current;
    bool MayLeave;
    {
      std::unique_lock Guard(Lock);
      IsBusy = false;
      Changed.notify_all();
      Changed.wait(
          Guard, [&] { return IsClosing || (!Rings.empty() && !IsRemoving); });
      IsBusy = true;
      Current = Rings;
      MayLeave = IsClosing;
    }
    bool HasFound = false, GoesOn = Now == Phase::Running;
    for (const std::shared_ptr<Ring> &R : Current) {
      const bool WasWanted = isWanted(*R);
      if (consumeSome(*R)) {
        HasFound = true;
        GoesOn |= WasWanted;
      }
      if (R->MayHaveKilled)
        passKilled(*R);
    }
    if (GoesOn)
      LastWanted = Clock::now();
    if (Now == Phase::Finishing)
      tryToFinish(/*IsPatient=*/Clock::now() - LastWanted < Patience);
    if (HasFound) {
      Wait = Shortest;
      continue;
    }
    if (MayLeave && passGaps(Current))
      continue;
    if (MayLeave)
      return leave();
    std::unique_lock Guard(Lock);
    IsBusy = false;
    Changed.notify_all();
    Changed.wait_for(Guard, Wait);
    Wait = std::min(2 * Wait, Longest);
  }
}

bool OpenChannel::hasPassed(const std::vector<uint64_t> &Ends) const {
  for (size_t N = 0; N < std::min(Ends.size(), Rings.size()); ++N)
    if (Rings[N]->InMemory.position() < Ends[N])
      return false;
  return true;
}

void OpenChannel::flush() {
  if (isOwnThread())
    return;
  std::unique_lock Guard(Lock);
  if (ThreadOf != ::getpid())
    return;
  std::vector<uint64_t> Ends;
  for (const std::shared_ptr<Ring> &R : Rings)
    Ends.push_back(R->InMemory.publishedEnd());
  while (Now == Phase::Running && !IsRemoving && !hasPassed(Ends))
    Changed.wait_for(Guard, microseconds(500));
}

void OpenChannel::finish() {
  if (isOwnThread())
    return;
  std::unique_lock Guard(Lock);
  if (ThreadOf != ::getpid() || Now != Phase::Running)
    return;
  for (const std::shared_ptr<Ring> &R : Rings)
    R->End = R->InMemory.publishedEnd();
  Now = Phase::Finishing;
  Changed.notify_all();
  while (Now != Phase::Finished && !Rings.empty())
    Changed.wait_for(Guard, microseconds(500));
}

void OpenChannel::removeRings() {
  std::unique_lock Guard(Lock);
  IsRemoving = true;
  if (ThreadOf == ::getpid() && !isOwnThread())
    while (IsBusy)
      Changed.wait_for(Guard, microseconds(500));
  for (const std::shared_ptr<Ring> &R : Rings)
    DroppedBefore += R->InMemory.dropped();
  Rings.clear();
  IsRemoving = false;
}

ChannelCounts OpenChannel::counts() const {
  ChannelCounts Result;
  Result.Records = Records;
  Result.Blocks = Blocks;
  Result.Bytes = Bytes;
  Result.Unfinished = Unfinished;
  std::lock_guard Guard(Lock);
  Result.Dropped = DroppedBefore;
  for (const std::shared_ptr<Ring> &R : Rings)
    Result.Dropped += R->InMemory.dropped();
  return Result;
}

void flushChannel(OpenChannel &Of) { Of.flush(); }
ChannelCounts channelCounts(const OpenChannel &Of) { return Of.counts(); }

} // namespace detail
} // namespace luthier
