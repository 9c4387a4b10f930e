// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of the preloaded library share.
#ifndef LUTHIER_EMULATOR_KFD_PRELOAD_PRELOAD_H
#define LUTHIER_EMULATOR_KFD_PRELOAD_PRELOAD_H

#include "emulator/kfd/Backend.h"

/// Calls of other libraries end in these instead of in libc's or libdrm's.
#define LUTHIER_INTERPOSED extern "C" __attribute__((visibility("default")))

namespace luthier::preload {

/// The emulator, which this loads if need be. Null, once with a message, if
/// that fails.
const luthier_kfd_backend *backend();
/// Null as long as nobody has looked for a GPU.
const luthier_kfd_backend *loadedBackend();

/// Like ioctl(2) of a render node: what tools ask that only look.
int askGraphics(const luthier_kfd_gpu &Gpu, unsigned long Request,
                void *Argument);

} // namespace luthier::preload

#endif // LUTHIER_EMULATOR_KFD_PRELOAD_PRELOAD_H
