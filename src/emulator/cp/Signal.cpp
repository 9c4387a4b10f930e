// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/cp/Signal.h"

#include <hsa/amd_hsa_signal.h>

namespace luthier::emulator {

static amd_signal_t *asSignal(hsa_signal_t Signal) {
  return reinterpret_cast<amd_signal_t *>(Signal.handle);
}

/// \p Mailbox and \p EventId were read before the value changed: a waiter that
/// polls may destroy the signal as soon as it sees the new value.
static void notify(uint64_t Mailbox, uint32_t EventId, Host &TheHost) {
  if (!Mailbox)
    return;
  __atomic_store_n(reinterpret_cast<uint64_t *>(Mailbox), uint64_t(EventId),
                   __ATOMIC_RELEASE);
  TheHost.raiseEvent(EventId);
}

int64_t loadSignal(hsa_signal_t Signal) {
  if (!Signal.handle)
    return 0;
  return __atomic_load_n(&asSignal(Signal)->value, __ATOMIC_ACQUIRE);
}

void storeSignal(hsa_signal_t Signal, int64_t Value, Host &TheHost) {
  if (!Signal.handle)
    return;
  amd_signal_t &S = *asSignal(Signal);
  const uint64_t Mailbox = S.event_mailbox_ptr;
  const uint32_t EventId = S.event_id;
  __atomic_store_n(&S.value, Value, __ATOMIC_SEQ_CST);
  notify(Mailbox, EventId, TheHost);
}

void completeSignal(hsa_signal_t Signal, uint64_t StartTicks, uint64_t EndTicks,
                    Host &TheHost) {
  if (!Signal.handle)
    return;
  amd_signal_t &S = *asSignal(Signal);
  const uint64_t Mailbox = S.event_mailbox_ptr;
  const uint32_t EventId = S.event_id;
  S.start_ts = StartTicks;
  S.end_ts = EndTicks;
  __atomic_fetch_sub(&S.value, 1, __ATOMIC_SEQ_CST);
  notify(Mailbox, EventId, TheHost);
}

} // namespace luthier::emulator
