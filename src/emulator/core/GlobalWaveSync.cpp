// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/core/GlobalWaveSync.h"

namespace luthier::emulator {

void GlobalWaveSync::copyFrom(GlobalWaveSync &Other) {
  std::scoped_lock Lock(Mutex, Other.Mutex);
  States = Other.States;
  ++Changes;
}

void GlobalWaveSync::init(unsigned Resource, uint32_t Value) {
  std::lock_guard Lock(Mutex);
  at(Resource).Counter = Value;
  ++Changes;
}

GlobalWaveSync::Wait GlobalWaveSync::arrive(unsigned Resource,
                                            uint32_t Reload) {
  std::lock_guard Lock(Mutex);
  State &S = at(Resource);
  const Wait For{uint8_t(Resource % NumResources), false, S.Openings};
  if (S.Counter != 0) {
    --S.Counter;
    return For;
  }
  S.Counter = Reload;
  ++S.Openings;
  ++Changes;
  return For;
}

GlobalWaveSync::Wait GlobalWaveSync::acquire(unsigned Resource) {
  std::lock_guard Lock(Mutex);
  return {uint8_t(Resource % NumResources), true, at(Resource).Openings};
}

void GlobalWaveSync::release(unsigned Resource, uint32_t Count) {
  std::lock_guard Lock(Mutex);
  at(Resource).Counter += Count;
  ++Changes;
}

void GlobalWaveSync::releaseAll(unsigned Resource) {
  std::lock_guard Lock(Mutex);
  ++at(Resource).Openings;
  ++Changes;
}

bool GlobalWaveSync::mayPass(const Wait &For) {
  std::lock_guard Lock(Mutex);
  State &S = at(For.Resource);
  if (S.Openings != For.Since)
    return true;
  if (!For.IsSemaphore || S.Counter == 0)
    return false;
  --S.Counter;
  ++Changes;
  return true;
}

uint64_t GlobalWaveSync::numChanges() {
  std::lock_guard Lock(Mutex);
  return Changes;
}

} // namespace luthier::emulator
