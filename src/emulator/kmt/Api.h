// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files share that define the exported functions. These check and
// translate arguments and leave the work to the session.
#ifndef LUTHIER_EMULATOR_KMT_API_H
#define LUTHIER_EMULATOR_KMT_API_H

#include "emulator/kmt/Session.h"

#define LUTHIER_KMT_API                                                        \
  extern "C" __attribute__((visibility("default"))) HSAKMT_STATUS HSAKMTAPI

/// Declares \p NAME as the session, and leaves if there is none: before the
/// first open, and in a forked child.
#define LUTHIER_KMT_SESSION(NAME)                                              \
  luthier::emulator::Session *const NAME##Pointer =                            \
      luthier::emulator::Session::current();                                   \
  if (!NAME##Pointer)                                                          \
    return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;                         \
  luthier::emulator::Session &NAME = *NAME##Pointer

/// The same for functions that give something back. A forked child gives back
/// what it inherited when it exits; ROCr asserts that this works.
#define LUTHIER_KMT_SESSION_TO_RELEASE(NAME)                                   \
  if (luthier::emulator::Session::isForgotten())                               \
    return HSAKMT_STATUS_SUCCESS;                                              \
  LUTHIER_KMT_SESSION(NAME)

#endif // LUTHIER_EMULATOR_KMT_API_H
