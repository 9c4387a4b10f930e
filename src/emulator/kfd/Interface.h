// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel driver's interface to runtimes, as <linux/kfd_ioctl.h> has it, and
// what newer kernels have added since the oldest such header that we build
// with.
#ifndef LUTHIER_EMULATOR_KFD_INTERFACE_H
#define LUTHIER_EMULATOR_KFD_INTERFACE_H

#include <cstdint>
#include <cstring>
#include <linux/kfd_ioctl.h>

namespace luthier::emulator::kfd {

/// AMDKFD_IOC_GET_VERSION's minor number, from which runtimes conclude what the
/// driver can do: 9 memory that is available, 12 export as dmabuf, 13 enabling
/// the runtime, 14 ages of events, 15 virtual memory management, 17 SDMA queues
/// by engine.
inline constexpr uint32_t VersionMinor = 17;

// Numbers of ioctls that Linux 6.1 does not have.
inline constexpr unsigned ExportDmabuf = 0x24;  // Since 1.12.
inline constexpr unsigned RuntimeEnable = 0x25; // Since 1.13.

// Members as Linux names them.
// NOLINTBEGIN(readability-identifier-naming)
struct ExportDmabufArgs {
  uint64_t handle;    ///< To the driver.
  uint32_t flags;     ///< To the driver, as for open(2).
  uint32_t dmabuf_fd; ///< From the driver.
};

struct RuntimeEnableArgs {
  uint64_t r_debug;
  uint32_t mode_mask;
  uint32_t capabilities_mask; ///< From the driver.
};
// NOLINTEND(readability-identifier-naming)

/// AMDKFD_IOC_CREATE_QUEUE's queue_type since 1.17: SDMA on a chosen engine.
inline constexpr uint32_t QueueTypeSdmaByEngine = 4;

/// Since 1.14 what is waited for begins with the last age that the caller has
/// seen of a signal event.
inline uint64_t lastAge(const kfd_event_data &Data) {
  uint64_t Age;
  std::memcpy(&Age, &Data, sizeof(Age));
  return Age;
}
inline void setLastAge(kfd_event_data &Data, uint64_t Age) {
  std::memcpy(static_cast<void *>(&Data), &Age, sizeof(Age));
}

} // namespace luthier::emulator::kfd

#endif // LUTHIER_EMULATOR_KFD_INTERFACE_H
