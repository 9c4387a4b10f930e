// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// program global|local|last CALLER: loads what calls the runtime, for all to
// see or not, as a program with plugins does. Succeeds if all waits, or with
// last one that seems to be the program's, became ones that sleep, and one does
// when the plugin is gone.
#include <cstdio>
#include <dlfcn.h>
#include <hsa/hsa.h>
#include <string_view>

using Wait = decltype(hsa_signal_wait_scacquire);

static long waitBy(void *Library, const char *Function) {
  return reinterpret_cast<Wait *>(dlsym(Library, Function))(
      {1}, HSA_SIGNAL_CONDITION_LT, 3, 4, HSA_WAIT_STATE_ACTIVE);
}

int main(int Count, char **Arguments) {
  if (Count != 3)
    return 2;
  const std::string_view How = Arguments[1];
  void *Caller = dlopen(
      Arguments[2], RTLD_NOW | (How == "global" ? RTLD_GLOBAL : RTLD_LOCAL));
  if (!Caller) {
    std::puts(dlerror());
    return 2;
  }
  long Ways, Expected;
  if (How == "last") {
    Ways = waitBy(Caller, "waitLast");
    Expected = 1;
  } else {
    Ways = reinterpret_cast<int (*)()>(dlsym(Caller, "waitInAllWays"))();
    Expected = 7;
  }
  // What is preloaded remembers the runtime.
  dlclose(Caller);
  const long After = waitBy(RTLD_DEFAULT, "hsa_signal_wait_scacquire");
  std::printf("waits that sleep: %ld, %ld\n", Ways, After);
  return Ways == Expected && After == 1 ? 0 : 1;
}
