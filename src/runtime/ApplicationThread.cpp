// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ApplicationThread.h"
#include <csignal>
#include <cstdint>

using namespace llvm;

namespace luthier::runtime {

ApplicationThreadScope::ApplicationThreadScope() {
  ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &CancelState);
  std::feholdexcept(&Environment);
  std::fesetenv(FE_DFL_ENV);
}

ApplicationThreadScope::~ApplicationThreadScope() {
  std::fesetenv(&Environment);
  ::pthread_setcancelstate(CancelState, nullptr);
}

namespace {

struct Stack {
  uintptr_t Bottom = 0, Top = 0; ///< Zero if nobody knows.
};

/// That this thread was made with.
const Stack &threadStack() {
  static thread_local const Stack Own = [] {
    Stack Result;
    pthread_attr_t Attributes;
    if (::pthread_getattr_np(::pthread_self(), &Attributes) != 0)
      return Result;
    void *Address = nullptr;
    size_t Size = 0;
    ::pthread_attr_getstack(&Attributes, &Address, &Size);
    ::pthread_attr_destroy(&Attributes);
    Result.Bottom = reinterpret_cast<uintptr_t>(Address);
    Result.Top = Result.Bottom + Size;
    return Result;
  }();
  return Own;
}

} // namespace

bool startThread(void *(*Main)(void *), void *Argument, pthread_t &Thread) {
  // LLVM's own threads for compilation have 8 MiB.
  constexpr size_t StackSize = 8 << 20;
  pthread_attr_t Attributes;
  ::pthread_attr_init(&Attributes);
  ::pthread_attr_setstacksize(&Attributes, StackSize);
  sigset_t All, Before;
  ::sigfillset(&All);
  // Those are of the thread's own doing, and would end the process without a
  // report if they were blocked.
  for (int Signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS})
    ::sigdelset(&All, Signal);
  ::pthread_sigmask(SIG_SETMASK, &All, &Before);
  const int Failure = ::pthread_create(&Thread, &Attributes, Main, Argument);
  ::pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  ::pthread_attr_destroy(&Attributes);
  return !Failure;
}

void runOnLargeStack(function_ref<void()> Work) {
  // Instrumentation has been seen to need more than 48 KiB.
  constexpr size_t Enough = 1 << 20;
  const auto Here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const Stack &Own = threadStack();
  const bool IsOwn = Own.Bottom <= Here && Here < Own.Top;
  if (!Own.Bottom || (IsOwn && Here - Own.Bottom >= Enough))
    return Work();
  pthread_t Thread;
  auto Main = [](void *Of) -> void * {
    (*static_cast<function_ref<void()> *>(Of))();
    return nullptr;
  };
  if (!startThread(Main, &Work, Thread))
    return Work(); // It may be enough.
  ::pthread_join(Thread, nullptr);
}

} // namespace luthier::runtime
