// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program in which something goes wrong or is unusual, in the queue or in the
// thread that launches:
//
//   error-paths FILE MODE
//
// Ends with 3 where an error is reported to it, and prints "counted N" for the
// lanes that it has seen.
#include "Hsa.h"
#include <atomic>
#include <cfenv>
#include <cstdlib>
#include <pthread.h>
#include <string>
#include <sys/eventfd.h>
#include <ucontext.h>
#include <unistd.h>

namespace {

struct Device {
  hsa_agent_t Gpu = findAgent(HSA_DEVICE_TYPE_GPU);
  uint64_t Kernel = 0;
  unsigned *Count = sharedMemory<unsigned>(Gpu);
  unsigned **Arguments = sharedMemory<unsigned *>(Gpu);

  explicit Device(const char *File) : Kernel(load(File, Gpu).Kernel) {
    *Arguments = Count;
  }
  hsa_queue_t *queue(void (*OnError)(hsa_status_t, hsa_queue_t *, void *),
                     hsa_queue_type32_t Type = HSA_QUEUE_TYPE_MULTI) {
    hsa_queue_t *Queue;
    CHECK(hsa_queue_create(Gpu, 64, Type, OnError, nullptr, UINT32_MAX,
                           UINT32_MAX, &Queue));
    return Queue;
  }
  void launchOn(hsa_queue_t *Queue, unsigned Lanes = ::Lanes) {
    launch(Queue, Kernel, Arguments, Lanes);
  }
  void report() {
    std::printf("counted %u\n", __atomic_load_n(Count, __ATOMIC_ACQUIRE));
    std::fflush(stdout);
  }
};

constexpr unsigned TooManyLanes = 5000;
std::atomic<bool> Failed = false;
void fail(hsa_status_t, hsa_queue_t *, void *) { Failed = true; }

void *launchAndFinish(void *Of) {
  auto &D = *static_cast<Device *>(Of);
  hsa_queue_t *Queue = D.queue(nullptr);
  D.launchOn(Queue);
  finish(Queue);
  D.report();
  return nullptr;
}

std::atomic<bool> HasWaited = false;

/// It acts at a point for that, which waiting for the GPU is none of.
void *waitWhileCancelled(void *) {
  hsa_signal_t Never;
  CHECK(hsa_signal_create(1, 0, nullptr, &Never));
  pthread_cancel(pthread_self());
  constexpr uint64_t Nanoseconds = 20'000'000;
  hsa_signal_wait_scacquire(Never, HSA_SIGNAL_CONDITION_LT, 1, Nanoseconds,
                            HSA_WAIT_STATE_BLOCKED);
  HasWaited = true;
  pthread_testcancel();
  return nullptr;
}

struct Cancelled {
  Device &D;
  hsa_queue_t *Queue = D.queue(nullptr);
  std::atomic<bool> Begins = false;
};

/// The doorbell of a plain queue is no point where a thread can be cancelled.
void *launchAndBeCancelled(void *Of) {
  auto &C = *static_cast<Cancelled *>(Of);
  C.Begins = true;
  C.D.launchOn(C.Queue);
  for (;;)
    pthread_testcancel();
}

} // namespace

int main(int Argc, char **Argv) {
  if (Argc != 3)
    return 2;
  const std::string Mode = Argv[2];
  // What the tool of "exit-while-instrumenting" writes to when it begins.
  static const int Event = ::eventfd(0, 0);
  ::setenv("ERROR_PATHS_EVENT", std::to_string(Event).c_str(), 1);
  static Device *AtExit = nullptr;
  const auto launchAtExit = [] { launchAndFinish(AtExit); };
  if (Mode == "handler-before-runtime")
    std::atexit(launchAtExit);
  CHECK(hsa_init());
  static Device &D = *new Device(Argv[1]);
  AtExit = &D;

  if (Mode == "error-without-callback") {
    hsa_queue_t *Queue = D.queue(nullptr);
    D.launchOn(Queue, TooManyLanes);
    finish(Queue);
  } else if (Mode == "launches-until-error") {
    hsa_queue_t *Queue = D.queue(fail);
    D.launchOn(Queue, TooManyLanes);
    while (!Failed)
      if (hsa_queue_load_write_index_relaxed(Queue) -
              hsa_queue_load_read_index_scacquire(Queue) <
          Queue->size)
        D.launchOn(Queue);
    CHECK(hsa_queue_destroy(Queue));
    return 3;
  } else if (Mode == "error-before-exit") {
    hsa_queue_t *Queue = D.queue(fail);
    D.launchOn(Queue);
    finish(Queue);
    D.report();
    D.launchOn(Queue, TooManyLanes);
    while (!Failed)
      std::this_thread::yield();
    return 3;
  } else if (Mode == "inactive-before-exit") {
    hsa_queue_t *Queue = D.queue(nullptr);
    D.launchOn(Queue);
    finish(Queue);
    D.report();
    CHECK(hsa_queue_inactivate(Queue));
  } else if (Mode == "exit-while-instrumenting") {
    std::thread([] {
      D.launchOn(D.queue(nullptr));
      // For a run without the tool.
      const uint64_t One = 1;
      if (::write(Event, &One, sizeof(One)) < 0)
        std::abort();
    }).detach();
    uint64_t Ignored;
    while (::read(Event, &Ignored, sizeof(Ignored)) != sizeof(Ignored))
      ;
  } else if (Mode == "traps-on-inexact") {
    // Without the runtime's functions that wait, which compute with doubles.
    hsa_queue_t *Queue = D.queue(nullptr);
    feenableexcept(FE_ALL_EXCEPT);
    D.launchOn(Queue);
    while (__atomic_load_n(D.Count, __ATOMIC_ACQUIRE) != Lanes)
      std::this_thread::yield();
    const bool Traps = fegetexcept() == FE_ALL_EXCEPT;
    fedisableexcept(FE_ALL_EXCEPT);
    if (!Traps)
      return 1;
    D.report();
  } else if (Mode == "cancels-while-launching") {
    Cancelled C{D};
    pthread_t Thread;
    pthread_create(&Thread, nullptr, launchAndBeCancelled, &C);
    while (!C.Begins)
      std::this_thread::yield();
    pthread_cancel(Thread);
    pthread_join(Thread, nullptr);
    finish(C.Queue);
    D.report();
  } else if (Mode == "cancels-while-waiting") {
    pthread_t Thread;
    void *Result = nullptr;
    pthread_create(&Thread, nullptr, waitWhileCancelled, nullptr);
    pthread_join(Thread, &Result);
    if (!HasWaited || Result != PTHREAD_CANCELED)
      return 1;
    launchAndFinish(&D);
  } else if (Mode == "small-stack") {
    pthread_attr_t Attributes;
    pthread_attr_init(&Attributes);
    pthread_attr_setstacksize(&Attributes, 32 * 1024);
    pthread_t Thread;
    if (pthread_create(&Thread, &Attributes, launchAndFinish, &D) != 0)
      return 1;
    pthread_join(Thread, nullptr);
  } else if (Mode == "fiber") {
    // Far smaller than the thread's own, at an address outside of it.
    static char Stack[64 * 1024];
    static ucontext_t Fiber, Main;
    static Device *Of = &D;
    getcontext(&Fiber);
    Fiber.uc_stack.ss_sp = Stack;
    Fiber.uc_stack.ss_size = sizeof(Stack);
    Fiber.uc_link = &Main;
    makecontext(&Fiber, [] { launchAndFinish(Of); }, 0);
    swapcontext(&Main, &Fiber);
  } else if (Mode == "cooperative-queues") {
    // An agent has one, and all who create it share it.
    hsa_queue_t *First = D.queue(nullptr, HSA_QUEUE_TYPE_COOPERATIVE);
    hsa_queue_t *Second = D.queue(nullptr, HSA_QUEUE_TYPE_COOPERATIVE);
    D.launchOn(First);
    finish(First);
    CHECK(hsa_queue_destroy(First));
    D.launchOn(Second);
    finish(Second);
    CHECK(hsa_queue_destroy(Second));
    hsa_queue_t *Third = D.queue(nullptr, HSA_QUEUE_TYPE_COOPERATIVE);
    D.launchOn(Third);
    finish(Third);
    D.report();
    CHECK(hsa_queue_destroy(Third));
    CHECK(hsa_shut_down());
  } else if (Mode == "second-session") {
    launchAndFinish(&D);
    CHECK(hsa_shut_down());
    CHECK(hsa_init());
    launchAndFinish(new Device(Argv[1]));
  } else if (Mode == "handler-before-runtime") {
    launchAndFinish(&D);
  } else if (Mode == "handler-behind-launch") {
    launchAndFinish(&D);
    std::atexit(launchAtExit);
  } else {
    return 2;
  }
  return 0;
}
