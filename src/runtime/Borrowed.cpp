// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Borrowed.h"
#include <cstdint>
#include <pthread.h>

using namespace llvm;

namespace luthier::runtime {

BorrowedThread::BorrowedThread() {
  ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &CancelState);
  std::feholdexcept(&Environment);
  std::fesetenv(FE_DFL_ENV);
}

BorrowedThread::~BorrowedThread() {
  std::fesetenv(&Environment);
  ::pthread_setcancelstate(CancelState, nullptr);
}

/// The lowest address of this thread's stack; 0 if nobody knows.
static uintptr_t stackBottom() {
  static thread_local const uintptr_t Bottom = [] {
    pthread_attr_t Attributes;
    if (::pthread_getattr_np(::pthread_self(), &Attributes) != 0)
      return uintptr_t(0);
    void *Address = nullptr;
    size_t Size = 0;
    ::pthread_attr_getstack(&Attributes, &Address, &Size);
    ::pthread_attr_destroy(&Attributes);
    return reinterpret_cast<uintptr_t>(Address);
  }();
  return Bottom;
}

void withRoomyStack(function_ref<void()> Work) {
  // LLVM's own threads for compilation have 8 MiB. Instrumentation has been
  // seen to need more than 48 KiB.
  constexpr size_t Enough = 1 << 20, Roomy = 8 << 20;
  const auto Here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  // On another stack (a fiber's, a signal handler's) nothing is known of it.
  const uintptr_t Bottom = stackBottom();
  if (!Bottom || Here < Bottom || Here - Bottom >= Enough)
    return Work();
  pthread_attr_t Attributes;
  ::pthread_attr_init(&Attributes);
  ::pthread_attr_setstacksize(&Attributes, Roomy);
  pthread_t Thread;
  const int Failure = ::pthread_create(
      &Thread, &Attributes,
      [](void *Of) -> void * {
        (*static_cast<function_ref<void()> *>(Of))();
        return nullptr;
      },
      &Work);
  ::pthread_attr_destroy(&Attributes);
  if (Failure)
    return Work(); // It may be enough.
  ::pthread_join(Thread, nullptr);
}

} // namespace luthier::runtime
