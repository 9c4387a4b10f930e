// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For LD_PRELOAD. Says which objects the engine's thread makes that exit()
// destroys, and how many others there are. exit() destroys what was made last
// first, so before Luthier hears of the end and stops that thread.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

static constexpr char EngineName[] = "luthier-engine";
static std::atomic<unsigned> Others;

extern "C" __attribute__((visibility("default"))) int
__cxa_atexit(void (*Destroy)(void *), void *Object, void *Library) {
  using Registers = int (*)(void (*)(void *), void *, void *);
  static auto *const Real =
      reinterpret_cast<Registers>(::dlsym(RTLD_NEXT, "__cxa_atexit"));
  char Name[16] = "";
  ::pthread_getname_np(::pthread_self(), Name, sizeof(Name));
  Dl_info Info = {};
  if (std::strcmp(Name, EngineName) != 0)
    ++Others;
  else if (::dladdr(__builtin_return_address(0), &Info))
    ::dprintf(STDERR_FILENO,
              "the engine makes what exit() destroys: %s in %s\n",
              Info.dli_sname ? Info.dli_sname : "?", Info.dli_fname);
  return Real(Destroy, Object, Library);
}

extern "C" __attribute__((visibility("default"))) int
pthread_setname_np(pthread_t Thread, const char *Name) {
  using Sets = int (*)(pthread_t, const char *);
  static auto *const Real =
      reinterpret_cast<Sets>(::dlsym(RTLD_NEXT, "pthread_setname_np"));
  if (std::strcmp(Name, EngineName) == 0)
    ::dprintf(STDERR_FILENO, "the engine has a thread\n");
  return Real(Thread, Name);
}

static __attribute__((destructor)) void end() {
  ::dprintf(STDERR_FILENO, "%u objects of other threads\n", Others.load());
}
