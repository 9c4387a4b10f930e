// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU runtime of a version that nobody knows yet: it offers its tables to the
// tools that HSA_TOOLS_LIB names, as ROCr does, and goes on without those that
// decline.
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// As hsa_api_trace.h has them, which is C++.
struct Version {
  uint32_t Major, Minor, Step, Reserved;
};
struct Table {
  struct Version Version;
  void *Members[256];
};
struct Root {
  struct Version Version;
  struct Table *Core, *Amd, *Finalizer, *Images;
};

int main(void) {
  static struct Table Core = {{9, sizeof(Core), 0, 0}, {0}};
  static struct Table Amd = {{9, sizeof(Amd), 0, 0}, {0}};
  struct Root Tables = {{9, sizeof(Tables), 0, 0}, &Core, &Amd, NULL, NULL};
  const char *Path = getenv("HSA_TOOLS_LIB");
  void *Tool = Path ? dlopen(Path, RTLD_NOW) : NULL;
  if (!Tool) {
    fprintf(stderr, "no tool: %s\n", Path ? dlerror() : "none is named");
    return 1;
  }
  typedef bool (*Start)(struct Root *, uint64_t, uint64_t, const char *const *);
  const bool Takes = ((Start)dlsym(Tool, "OnLoad"))(&Tables, 0, 0, NULL);
  for (int I = 0; I != 256; ++I)
    if (Core.Members[I] || Amd.Members[I])
      return 2;
  puts(Takes ? "taken" : "declined");
  return 0;
}
