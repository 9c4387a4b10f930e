// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the device tests' programs share: each checks itself, prints what went
// wrong, and its exit code says so.
#ifndef LUTHIER_TEST_E2E_DEVICE_CHECK_H
#define LUTHIER_TEST_E2E_DEVICE_CHECK_H

#include <cstdio>
#include <hip/hip_runtime.h>

inline int Failures = 0;

inline void check(bool Good, const char *What, long Detail = 0) {
  if (Good)
    return;
  ++Failures;
  std::printf("FAILED: %s (%ld)\n", What, Detail);
}

inline void check(hipError_t Error, const char *What) {
  check(Error == hipSuccess, What, Error);
}

/// To be returned from main().
inline int verdict() {
  std::printf("%s\n", Failures ? "FAILED" : "passed");
  return Failures != 0;
}

#endif // LUTHIER_TEST_E2E_DEVICE_CHECK_H
