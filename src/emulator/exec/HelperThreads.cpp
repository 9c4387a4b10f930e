// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/HelperThreads.h"
#include <condition_variable>
#include <deque>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace luthier::emulator {

struct HelperThreads::State {
  ~State();
  bool start(Task &T);
  void wait(Task &T);
  void loop();

  std::mutex Mutex;
  std::condition_variable HasWork, HasEnded;
  std::deque<Task *> Waiting;
  std::vector<std::thread> Threads;
  /// Threads that wait for work, those included that were just woken for it.
  size_t NumIdle = 0;
  bool Stop = false;
};

HelperThreads::State::~State() {
  {
    std::lock_guard Lock(Mutex);
    Stop = true;
  }
  HasWork.notify_all();
  for (std::thread &T : Threads)
    T.join();
}

bool HelperThreads::State::start(Task &T) {
  std::lock_guard Lock(Mutex);
  if (Waiting.size() < NumIdle) {
    HasWork.notify_one();
  } else {
    try {
      Threads.emplace_back([this] { loop(); });
    } catch (const std::system_error &) {
      return false;
    }
    ++NumIdle;
  }
  Waiting.push_back(&T);
  return true;
}

void HelperThreads::State::wait(Task &T) {
  std::unique_lock Lock(Mutex);
  HasEnded.wait(Lock, [&] { return T.Done; });
}

void HelperThreads::State::loop() {
  std::unique_lock Lock(Mutex);
  for (;;) {
    HasWork.wait(Lock, [&] { return Stop || !Waiting.empty(); });
    if (Waiting.empty())
      return;
    Task &T = *Waiting.front();
    Waiting.pop_front();
    --NumIdle;
    Lock.unlock();
    T.Work();
    Lock.lock();
    ++NumIdle;
    T.Done = true;
    HasEnded.notify_all();
  }
}

HelperThreads::HelperThreads()
    : S(std::make_unique<State>()), Process(getpid()) {}

HelperThreads::~HelperThreads() { state(); }

HelperThreads::State &HelperThreads::state() {
  std::lock_guard Lock(Mutex);
  if (Process != getpid()) {
    (void)S.release();
    S = std::make_unique<State>();
    Process = getpid();
  }
  return *S;
}

bool HelperThreads::start(Task &T) { return state().start(T); }
void HelperThreads::wait(Task &T) { state().wait(T); }

} // namespace luthier::emulator
