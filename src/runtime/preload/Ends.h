// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of libluthier-ends.so share. It is loaded into every process
// of a run with tools and uses nothing but libc; until libluthier.so asks to be
// told of the process's end, all calls go straight on.
#ifndef LUTHIER_RUNTIME_PRELOAD_ENDS_H
#define LUTHIER_RUNTIME_PRELOAD_ENDS_H

#include "luthier/detail/ProcessEnds.h"

#include <dlfcn.h>

/// Calls of other libraries end in these instead of in libc's.
#define LUTHIER_INTERPOSED extern "C" __attribute__((visibility("default")))

namespace luthier::preload {

/// Whether somebody wants to know how this process ends. False in children.
bool isWatched();

/// Tells who asked, and waits until that has been heard. May be called in
/// signal handlers.
void tell(luthier_end_kind Kind, int Value, const char *Program = nullptr);
/// The same in steps.
luthier_end_answer tellStep(const luthier_process_end &How);

/// Says once if \p Program, started with \p Environment, would not find the
/// emulated GPU that this process has, or its tools. May be called in signal
/// handlers.
void checkEnvironment(const char *Program, char *const Environment[]);

/// The same if the file at \p Path is linked statically and looks for a GPU: it
/// takes no preloaded library.
void checkProgram(const char *Path);

/// Takes over the signals that would end the process by default.
void coverSignals();

/// The next definition of what this library defines. Several threads may look
/// for it at once and find the same.
template <auto Function> auto next(const char *Name) {
  static decltype(Function) Found = nullptr;
  auto Known = __atomic_load_n(&Found, __ATOMIC_RELAXED);
  if (!Known) {
    Known = reinterpret_cast<decltype(Function)>(dlsym(RTLD_NEXT, Name));
    __atomic_store_n(&Found, Known, __ATOMIC_RELAXED);
  }
  return Known;
}
#define LUTHIER_NEXT(NAME) (next<&::NAME>(#NAME))

} // namespace luthier::preload

#endif // LUTHIER_RUNTIME_PRELOAD_ENDS_H
