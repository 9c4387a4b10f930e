// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/preload/Ends.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace luthier::preload {

/// What luthier run has put into LD_PRELOAD for the emulated GPU.
static constexpr char EmulatedGpu[] = "libluthier-gpu.so";
static bool IsEmulated = false;

static bool names(const char *Preloaded) {
  return Preloaded && strstr(Preloaded, EmulatedGpu);
}

__attribute__((constructor)) static void lookAtStart() {
  IsEmulated = names(getenv("LD_PRELOAD"));
}

void checkEnvironment(const char *Program, char *const Environment[]) {
  if (!__atomic_load_n(&IsEmulated, __ATOMIC_RELAXED) || !Program)
    return;
  constexpr char Name[] = "LD_PRELOAD=";
  for (char *const *Entry = Environment; Entry && *Entry; ++Entry)
    if ((strncmp(*Entry, Name, strlen(Name)) == 0 && names(*Entry)) ||
        strcmp(*Entry, LUTHIER_STARTS_PROGRAM) == 0)
      return;
  // Once: such a program may start many.
  if (!__atomic_exchange_n(&IsEmulated, false, __ATOMIC_RELAXED))
    return;
  char Text[512];
  const int Length =
      snprintf(Text, sizeof(Text),
               "luthier: %.400s is started without LD_PRELOAD, which the "
               "program has cleared; it finds no emulated GPU\n",
               Program);
  // Whether or not it can be read, the program goes on.
  (void)!write(STDERR_FILENO, Text, Length);
}

} // namespace luthier::preload
