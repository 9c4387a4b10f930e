// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one GPU of the process: an emulated device, and what the environment says
// of it. Its memory lies at addresses that the host does not have, but for
// memory that both use. Everything runs at once, in the thread that asks.
#ifndef LUTHIER_TEST_HIP_ON_EMULATOR_DEVICE_H
#define LUTHIER_TEST_HIP_ON_EMULATOR_DEVICE_H

#include "luthier/emulator.h"
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

namespace luthier::hip {

/// For structs that begin with their size.
template <class T> T sized() {
  T Result{};
  Result.struct_size = sizeof(T);
  return Result;
}

/// CMakeLists.txt says what they mean.
struct Settings {
  std::string Target, Strict, Report;
  bool Scramble = false, ScrambleStack = false, Lockstep = false;
  uint64_t Seed = 0;
  int WaveSize = 64;
};
const Settings &settings();

/// Says why on standard error and ends the process: where a GPU would do so,
/// or where the engine was caught.
[[noreturn]] void fail(const std::string &Why);

class Device {
public:
  Device();
  luthier_emu_device *handle() const { return Handle; }
  /// Fails the process unless \p Status is success.
  void check(luthier_emu_status Status, const char *What) const;

  // Each is false, or null, if there is no such memory or not as much.
  void *allocate(size_t Size);
  /// Seen by host and device at one address.
  void *allocateShared(size_t Size);
  bool free(void *Address);
  bool copy(void *To, const void *From, size_t Size);
  bool fill(void *To, int Byte, size_t Size);
  /// Bytes of the allocation that begins at \p Address; 0 if none does.
  size_t sizeAt(const void *Address) const;

private:
  luthier_emu_device *Handle = nullptr;
  std::map<uint64_t, size_t> Allocated, Shared;
};

/// Made by the first use, so that programs may fork before.
Device &device();

/// Held by every call of the runtime that reaches the device.
std::recursive_mutex &lock();

} // namespace luthier::hip

#endif // LUTHIER_TEST_HIP_ON_EMULATOR_DEVICE_H
