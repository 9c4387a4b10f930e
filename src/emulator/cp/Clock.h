// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device's constant-rate counter, which dispatch and copy time stamps are
// read from. Runtimes convert it with the pairs topology queries return, so it
// has to be a fixed multiple of the host's monotonic clock.
#ifndef LUTHIER_EMULATOR_CP_CLOCK_H
#define LUTHIER_EMULATOR_CP_CLOCK_H

#include <cstdint>
#include <time.h>

namespace luthier::emulator {

/// 100 MHz, as on real devices.
inline constexpr uint64_t NanosecondsPerDeviceTick = 10;

inline uint64_t nanosecondsOf(clockid_t Clock) {
  timespec Now;
  clock_gettime(Clock, &Now);
  return uint64_t(Now.tv_sec) * 1000000000 + uint64_t(Now.tv_nsec);
}
inline uint64_t hostNanoseconds() { return nanosecondsOf(CLOCK_MONOTONIC); }
/// Time that the calling thread has run: other load on the host does not count.
inline uint64_t threadNanoseconds() {
  return nanosecondsOf(CLOCK_THREAD_CPUTIME_ID);
}

inline uint64_t deviceTicks() {
  return hostNanoseconds() / NanosecondsPerDeviceTick;
}

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_CLOCK_H
