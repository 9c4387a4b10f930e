// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last error, as HIP keeps it for each thread.
#ifndef LUTHIER_TEST_HIP_ON_EMULATOR_STATUS_H
#define LUTHIER_TEST_HIP_ON_EMULATOR_STATUS_H

#include <hip/hip_runtime_api.h>

namespace luthier::hip {

/// Returns \p Status, and remembers it if it is an error.
hipError_t done(hipError_t Status);
inline hipError_t doneIf(bool Succeeded,
                         hipError_t Otherwise = hipErrorInvalidValue) {
  return done(Succeeded ? hipSuccess : Otherwise);
}

} // namespace luthier::hip

#endif // LUTHIER_TEST_HIP_ON_EMULATOR_STATUS_H
