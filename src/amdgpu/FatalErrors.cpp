// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "amdgpu/FatalErrors.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"
#include <csetjmp>
#include <mutex>
#include <utility>

using namespace llvm;

namespace luthier::amdgpu {
namespace {

struct Catcher {
  std::jmp_buf Place;
  std::string Message;
};
thread_local Catcher *Current = nullptr;

/// LLVM goes on to end the process where this returns, without a word.
void onFatalError(void *, const char *Message, bool) {
  if (!Current) {
    errs() << "LLVM ERROR: " << Message << '\n';
    return;
  }
  Current->Message = Message;
  std::longjmp(Current->Place, 1);
}

/// Of all threads that compile.
class Handler {
public:
  Handler() {
    std::lock_guard Lock(Mutex);
    if (Users++ == 0)
      install_fatal_error_handler(onFatalError);
  }
  ~Handler() {
    std::lock_guard Lock(Mutex);
    if (--Users == 0)
      remove_fatal_error_handler();
  }
  Handler(const Handler &) = delete;
  Handler &operator=(const Handler &) = delete;

private:
  static inline std::mutex Mutex;
  static inline unsigned Users = 0;
};

} // namespace

std::optional<std::string> runUntilFatalError(function_ref<void()> Work) {
  const Handler Installed;
  Catcher C;
  Catcher *const Outer = std::exchange(Current, &C);
  const void *const Notes = SavePrettyStackState();
  if (setjmp(C.Place) == 0) {
    Work();
    Current = Outer;
    return std::nullopt;
  }
  // What passes had noted was on the stack that is left.
  RestorePrettyStackState(Notes);
  Current = Outer;
  return C.Message;
}

} // namespace luthier::amdgpu
