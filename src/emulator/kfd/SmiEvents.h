// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What management tools hear of GPUs. A listener has a descriptor, to which it
// writes which events it wants, as a mask, and from which it reads a line for
// each of them.
#ifndef LUTHIER_EMULATOR_KFD_SMIEVENTS_H
#define LUTHIER_EMULATOR_KFD_SMIEVENTS_H

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace luthier::emulator {

/// Of this process's GPUs, since the emulated GPUs of others are others. Safe
/// for several threads.
class SmiEvents {
public:
  SmiEvents() = default;
  SmiEvents(const SmiEvents &) = delete;
  ~SmiEvents();

  /// A new descriptor, which the caller owns; -1 and errno if there is none.
  int listen(uint32_t GpuId);
  /// The only event that an emulated GPU has: nothing throttles or resets it,
  /// no page migrates, and no queue gives way to another process's.
  void reportMemoryFault(uint32_t GpuId);

private:
  struct Listener {
    uint32_t GpuId;
    int Fd; ///< The other end of the caller's.
    uint64_t Mask = 0;
  };
  /// Under Mutex.
  void dropThoseWhoLeft();
  void report(uint32_t GpuId, unsigned Event, const std::string &Text);

  std::mutex Mutex;
  std::vector<Listener> Listeners;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_KFD_SMIEVENTS_H
