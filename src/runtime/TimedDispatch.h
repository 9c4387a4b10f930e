// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When one dispatch ran on its device. The device notes that in the packet's
// completion signal. The application's may be none, or may be used again before
// anybody else has looked; so the packet gets one of Luthier's own, and when
// that is complete, the application's gets the same times and is completed by a
// thread of the GPU runtime's.
#ifndef LUTHIER_RUNTIME_TIMEDDISPATCH_H
#define LUTHIER_RUNTIME_TIMEDDISPATCH_H

#include "luthier/Tool.h"
#include <memory>

namespace luthier::runtime {

class TimedDispatch {
public:
  /// Puts a signal into \p Packet, which is to be submitted to \p Queue. Null,
  /// with the packet as it was, if the GPU runtime has no means for it.
  static std::shared_ptr<TimedDispatch>
  create(hsa_queue_t *Queue, hsa_agent_t Agent,
         hsa_kernel_dispatch_packet_t &Packet);
  ~TimedDispatch();
  TimedDispatch(const TimedDispatch &) = delete;

  /// Once what was submitted behind the packet, with a barrier, has run.
  std::optional<DispatchTimes> times() const;

private:
  TimedDispatch(hsa_agent_t Agent, hsa_signal_t Own, hsa_signal_t Given)
      : Agent(Agent), Own(Own), Given(Given) {}
  static bool onEnd(hsa_signal_value_t Value, void *Share);

  const hsa_agent_t Agent;
  const hsa_signal_t Own, Given; ///< Given may be none.
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_TIMEDDISPATCH_H
