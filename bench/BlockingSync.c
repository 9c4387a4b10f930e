/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Preloaded by bench/emulator.py. HIP waits for kernels by watching a value in
   memory, which keeps a core busy that the emulator could use. */
#include <dlfcn.h>

__attribute__((constructor)) static void blockInsteadOfSpinning(void) {
  enum { HipDeviceScheduleBlockingSync = 4 };
  int (*SetDeviceFlags)(unsigned) =
      (int (*)(unsigned))dlsym(RTLD_DEFAULT, "hipSetDeviceFlags");
  if (SetDeviceFlags)
    SetDeviceFlags(HipDeviceScheduleBlockingSync);
}
