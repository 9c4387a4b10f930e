// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP waits for the GPU by looking at a signal without pause, which takes a
// core from the emulated GPU, since both run on the same processor. Being
// preloaded, these are found before ROCr's functions. They ask for a wait that
// sleeps. Applications have no say in that: the state is a hint (<hsa/hsa.h>,
// wait_state_hint).
#include "emulator/kfd/preload/Preload.h"

#include <dlfcn.h>
#include <hsa/hsa.h>
#include <stdio.h>
#include <stdlib.h>

namespace {

using Wait = decltype(hsa_signal_wait_scacquire);

void *findIn(const char *Library, const char *Name, Wait *Own) {
  void *Loaded = dlopen(Library, RTLD_LAZY | RTLD_NOLOAD);
  void *Found = Loaded ? dlsym(Loaded, Name) : nullptr;
  // What the program itself sees first is preloaded.
  return Found == reinterpret_cast<void *>(Own) ? nullptr : Found;
}

/// ROCr's function. Whoever calls it has loaded ROCr, perhaps not for all to
/// see (RTLD_LOCAL), and perhaps a copy of its own under another name. A call
/// that is the last thing that a function does seems to come from its caller.
Wait *find(const char *Name, Wait *Own, void *Caller) {
  void *Found = dlsym(RTLD_NEXT, Name);
  Dl_info Info;
  if (!Found && dladdr(Caller, &Info))
    Found = findIn(Info.dli_fname, Name, Own);
  if (!Found)
    Found = findIn("libhsa-runtime64.so.1", Name, Own);
  if (!Found) {
    fprintf(stderr, "luthier: %s is called, but no ROCm runtime has it\n",
            Name);
    abort();
  }
  // It is remembered, so it stays.
  if (dladdr(Found, &Info))
    dlopen(Info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  return reinterpret_cast<Wait *>(Found);
}

} // namespace

#define LUTHIER_WAIT(NAME)                                                     \
  LUTHIER_INTERPOSED hsa_signal_value_t NAME(                                  \
      hsa_signal_t Signal, hsa_signal_condition_t Condition,                   \
      hsa_signal_value_t Value, uint64_t Timeout, hsa_wait_state_t) {          \
    static Wait *Known;                                                        \
    Wait *Function = __atomic_load_n(&Known, __ATOMIC_RELAXED);                \
    if (!Function) {                                                           \
      Function = find(#NAME, NAME, __builtin_return_address(0));               \
      __atomic_store_n(&Known, Function, __ATOMIC_RELAXED);                    \
    }                                                                          \
    return Function(Signal, Condition, Value, Timeout,                         \
                    HSA_WAIT_STATE_BLOCKED);                                   \
  }

LUTHIER_WAIT(hsa_signal_wait_scacquire)
LUTHIER_WAIT(hsa_signal_wait_relaxed)
LUTHIER_WAIT(hsa_signal_wait_acquire)
