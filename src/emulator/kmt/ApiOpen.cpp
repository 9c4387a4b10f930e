// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opening, closing, and the end of the process.
#include "emulator/kmt/Api.h"
#include "luthier/detail/EmulatorFaults.h"

using namespace luthier::emulator;

LUTHIER_KMT_API hsaKmtOpenKFD(void) { return Session::open(); }

LUTHIER_KMT_API hsaKmtCloseKFD(void) { return Session::close(); }

LUTHIER_KMT_API hsaKmtGetVersion(HsaVersionInfo *VersionInfo) {
  LUTHIER_KMT_SESSION(TheSession);
  (void)TheSession;
  VersionInfo->KernelInterfaceMajorVersion = 1;
  VersionInfo->KernelInterfaceMinorVersion = 8;
  return HSAKMT_STATUS_SUCCESS;
}

extern "C" __attribute__((visibility("default"))) void
luthier_emulator_on_fault(void (*Handler)(uint64_t PC)) {
  Session::setFaultHandler(Handler);
}

/// Runtimes need not shut down before the process ends, and HIP does not. This
/// runs after the destructors of everything above us; queues may still be busy,
/// so it tells what has been completed.
[[gnu::destructor]] static void atProcessEnd() {
  if (const Session *TheSession = Session::current())
    TheSession->writeStatistics();
}
