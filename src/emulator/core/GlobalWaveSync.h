// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global wave sync (GWS): barriers and semaphores for the waves of a whole
// grid. Their state outlives a dispatch: one kernel sets a barrier's size, the
// next one waits at it.
#ifndef LUTHIER_EMULATOR_CORE_GLOBALWAVESYNC_H
#define LUTHIER_EMULATOR_CORE_GLOBALWAVESYNC_H

#include <array>
#include <cstdint>
#include <mutex>

namespace luthier::emulator {

/// Thread-safe. A queue that was given resources has one.
class GlobalWaveSync {
public:
  static constexpr unsigned NumResources = 64;

  /// What a wave waits for. It asks mayPass() until that says yes, once.
  struct Wait {
    uint8_t Resource = 0;
    bool IsSemaphore = false;
    uint64_t Since = 0;
  };

  /// Makes this one's resources what \p Other's are now.
  void copyFrom(GlobalWaveSync &Other);

  void init(unsigned Resource, uint32_t Value);
  /// The wave that finds the counter at 0 opens the barrier for all that wait
  /// there, and sets the counter to its own \p Reload.
  Wait arrive(unsigned Resource, uint32_t Reload);

  Wait acquire(unsigned Resource);
  void release(unsigned Resource, uint32_t Count);
  void releaseAll(unsigned Resource);

  bool mayPass(const Wait &For);
  /// Grows with everything that may end a wait.
  uint64_t numChanges();

private:
  struct State {
    uint32_t Counter = 0;
    /// Barriers opened, or semaphores released for all.
    uint64_t Openings = 0;
  };
  State &at(unsigned Resource) { return States[Resource % NumResources]; }

  std::mutex Mutex;
  std::array<State, NumResources> States;
  uint64_t Changes = 0;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CORE_GLOBALWAVESYNC_H
