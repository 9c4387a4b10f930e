// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ReportThread.h"
#include "luthier/Report.h"
#include "runtime/ApplicationThread.h"
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <pthread.h>

namespace luthier::runtime {

struct ReportThread::State {
  std::mutex Lock;
  std::condition_variable Changed;
  bool IsRunning = false, IsOver = false; ///< Under Lock.
  std::function<void()> Write;

  void run();
};

void ReportThread::State::run() {
  constexpr std::chrono::milliseconds Slice(50);
  ReportPace Pace;
  std::unique_lock Guard(Lock);
  while (!IsOver) {
    Changed.wait_for(Guard, Slice);
    // Who stops it waits for the lock.
    if (!IsOver && Pace.isDue())
      Pace.write(Write);
  }
}

ReportThread::ReportThread() : S(std::make_shared<State>()) {}

ReportThread::~ReportThread() { stop(); }

void ReportThread::start(std::function<void()> Write) {
  std::lock_guard Guard(S->Lock);
  if (S->IsRunning || S->IsOver)
    return;
  S->IsRunning = true;
  S->Write = std::move(Write);
  auto Share = std::make_unique<std::shared_ptr<State>>(S);
  auto Main = [](void *Of) -> void * {
    // Allocators give threads places of their own at the first request: not
    // when another thread has been stopped inside of one.
    void *volatile First = std::malloc(1);
    std::free(First);
    const std::unique_ptr<std::shared_ptr<State>> Share(
        static_cast<std::shared_ptr<State> *>(Of));
    const ApplicationThreadScope Scope;
    (*Share)->run();
    return nullptr;
  };
  pthread_t Thread;
  if (!startThread(Main, Share.get(), Thread))
    return;
  Share.release(); // The thread has it.
  ::pthread_detach(Thread);
}

void ReportThread::stop() {
  std::lock_guard Guard(S->Lock);
  S->IsOver = true;
  S->Changed.notify_all();
}

} // namespace luthier::runtime
