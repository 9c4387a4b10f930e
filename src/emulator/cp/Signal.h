// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals as the command processor uses them (amd_signal_t).
#ifndef LUTHIER_EMULATOR_CP_SIGNAL_H
#define LUTHIER_EMULATOR_CP_SIGNAL_H

#include "emulator/cp/Host.h"
#include <cstdint>
#include <hsa/hsa.h>

namespace luthier::emulator {

/// Null handles are allowed in all of these and mean "no signal".
int64_t loadSignal(hsa_signal_t Signal);

/// Sets the value and wakes whoever waits for it.
void storeSignal(hsa_signal_t Signal, int64_t Value, Host &TheHost);

/// What happens at the end of a packet: time stamps, value minus one, wake-up.
void completeSignal(hsa_signal_t Signal, uint64_t StartTicks, uint64_t EndTicks,
                    Host &TheHost);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_SIGNAL_H
