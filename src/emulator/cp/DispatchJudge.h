// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who looks at a dispatch before it runs.
#ifndef LUTHIER_EMULATOR_CP_DISPATCHJUDGE_H
#define LUTHIER_EMULATOR_CP_DISPATCHJUDGE_H

#include "emulator/cp/DeviceModel.h"
#include "emulator/exec/Dispatch.h"
#include "emulator/memory/AddressSpace.h"
#include <hsa/hsa.h>

namespace luthier::emulator {

class DispatchJudge {
public:
  virtual ~DispatchJudge() = default;

  /// \p Packet lies in the queue and has passed all checks; \p Work is what
  /// will run. Called from the queues' threads.
  virtual void judge(const hsa_kernel_dispatch_packet_t &Packet,
                     const Dispatch &Work, const DeviceModel &Model,
                     AddressSpace &Memory) = 0;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_DISPATCHJUDGE_H
