// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/EngineThread.h"
#include "hook/ir/UserIntrinsics.h"
#include "runtime/ApplicationThread.h"
#include "runtime/EngineLock.h"
#include "llvm/ADT/STLExtras.h"
#include <array>
#include <chrono>
#include <cstdlib>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace luthier::runtime {

void EngineThread::keepMemory() {
  // Below what has a mapping of its own.
  constexpr size_t Size = 100 << 10, Count = 80;
  std::array<void *, Count> Parts;
  for (void *&Part : Parts)
    Part = std::malloc(Size);
  const size_t Page = ::sysconf(_SC_PAGESIZE);
  for (void *Part : Parts) {
    const auto Begin = reinterpret_cast<uintptr_t>(Part) & ~(Page - 1);
    const auto Behind = reinterpret_cast<uintptr_t>(Part) + Size;
    // Linux before 5.14 does not know how.
    ::madvise(reinterpret_cast<void *>(Begin), Behind - Begin,
              MADV_POPULATE_WRITE);
  }
  // A little of the last one stays, so that most of what is free does not end
  // the thread's memory.
  for (void *Part : drop_end(Parts))
    std::free(Part);
  [[maybe_unused]] static void *volatile End;
  End = std::realloc(Parts.back(), 64);
}

/// With Lock held.
bool EngineThread::start() {
  if (StartedIn)
    return IsStarted;
  StartedIn = ::getpid();
  auto Main = [](void *Of) -> void * {
    ::pthread_setname_np(::pthread_self(), "luthier-engine");
    const ApplicationThreadScope Scope;
    keepMemory();
    static_cast<EngineThread *>(Of)->serve();
    return nullptr;
  };
  if (!startThread(Main, this, Thread))
    return false;
  ::pthread_detach(Thread);
  return IsStarted = true;
}

void EngineThread::serve() {
  std::unique_lock Guard(Lock);
  while (true) {
    Changed.wait(Guard, [&] { return Wanted || !Posted.empty(); });
    // Before anything is taken up: who holds the engine's lock and settles, as
    // when the compiler ends the program, must not wait for this thread.
    Guard.unlock();
    std::lock_guard EngineGuard(EngineLock);
    Guard.lock();
    if (const function_ref<void()> *Asked = Wanted) {
      const function_ref<void()> Work = *Asked;
      const CallContext *Of = ContextOfWanted;
      Guard.unlock();
      if (Of) {
        const CallScope Scope(*Of);
        Work();
      } else {
        Work();
      }
      Guard.lock();
      Wanted = nullptr;
    } else if (!Posted.empty()) {
      const std::function<void()> Work = std::move(Posted.front());
      Posted.pop_front();
      // In this order: end() sets the one, then reads the other.
      RunsPosted = true;
      if (!IsOver) {
        Guard.unlock();
        Work();
        Guard.lock();
      }
      RunsPosted = false;
    }
    Changed.notify_all();
  }
}

void EngineThread::run(function_ref<void()> Work) {
  auto runHere = [&] {
    std::lock_guard EngineGuard(EngineLock);
    Work();
  };
  // In a forked child, somebody who is not there may have Lock.
  if (isHere() || isOfParent())
    return runHere();
  if (hasRegisteredIntrinsics()) {
    {
      std::lock_guard Guard(Lock);
      Posted.clear();
    }
    return runHere();
  }
  std::lock_guard MyTurn(Turn);
  std::unique_lock Guard(Lock);
  if (!start()) {
    Guard.unlock();
    return runHere();
  }
  Posted.clear();
  For = ::pthread_self();
  ContextOfWanted = CallContext::current();
  Wanted = &Work;
  Changed.notify_all();
  Changed.wait(Guard, [&] { return !Wanted; });
  For = pthread_t();
}

void EngineThread::post(std::function<void()> Work) {
  if (isOfParent())
    return;
  std::lock_guard Guard(Lock);
  if (IsOver || !start())
    return;
  Posted.push_back(std::move(Work));
  Changed.notify_all();
}

// Nobody waits for ever for what only saves time, or for a tool that waits for
// whoever ends the program.
static constexpr std::chrono::seconds Limit(10);

void EngineThread::settle() {
  if (isHere() || isOfParent())
    return;
  std::unique_lock Guard(Lock);
  Posted.clear();
  Changed.wait_for(Guard, Limit, [&] { return !RunsPosted; });
}

// Takes no lock and waits for no condition: below a signal handler that calls
// exit(), this thread may be in the middle of either.
void EngineThread::end() {
  if (isHere() || isOfParent())
    return;
  IsOver = true;
  const auto Last = std::chrono::steady_clock::now() + Limit;
  while ((RunsPosted || Wanted) && std::chrono::steady_clock::now() < Last)
    std::this_thread::sleep_for(std::chrono::microseconds(200));
}

pthread_t EngineThread::actingFor(pthread_t Thread) const {
  const pthread_t Waiting = For;
  return IsStarted && isEngine(Thread) && Waiting ? Waiting : Thread;
}

EngineThread &engineThread() {
  static auto *TheThread = new EngineThread;
  return *TheThread;
}

} // namespace luthier::runtime
