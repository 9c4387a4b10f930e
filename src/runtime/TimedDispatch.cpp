// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/TimedDispatch.h"
#include "runtime/HsaApi.h"
#include <hsa/amd_hsa_signal.h>

namespace luthier::runtime {
namespace {

using Share = std::shared_ptr<TimedDispatch>;

amd_signal_t &insideOf(hsa_signal_t Signal) {
  return *reinterpret_cast<amd_signal_t *>(Signal.handle);
}

/// Of the GPU runtime's clock; 0 if it does not say.
uint64_t ticksPerSecond() {
  static const uint64_t Frequency = [] {
    uint64_t Value = 0;
    coreApi().hsa_system_get_info_fn(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY,
                                     &Value);
    return Value;
  }();
  return Frequency;
}

uint64_t nanoseconds(uint64_t Ticks) {
  constexpr uint64_t Billion = 1'000'000'000;
  return static_cast<uint64_t>(static_cast<unsigned __int128>(Ticks) * Billion /
                               ticksPerSecond());
}

} // namespace

std::shared_ptr<TimedDispatch>
TimedDispatch::create(hsa_queue_t *Queue, hsa_agent_t Agent,
                      hsa_kernel_dispatch_packet_t &Packet) {
  const AmdApi &Amd = amdApi();
  if (!Amd.hsa_amd_profiling_set_profiler_enabled_fn ||
      !Amd.hsa_amd_profiling_get_dispatch_time_fn ||
      !Amd.hsa_amd_signal_async_handler_fn || !ticksPerSecond() ||
      Amd.hsa_amd_profiling_set_profiler_enabled_fn(Queue, 1) !=
          HSA_STATUS_SUCCESS)
    return nullptr;
  hsa_signal_t Own = {0};
  if (coreApi().hsa_signal_create_fn(1, 0, nullptr, &Own) != HSA_STATUS_SUCCESS)
    return nullptr;
  Share New(new TimedDispatch(Agent, Own, Packet.completion_signal));
  // The runtime's thread has a share of its own.
  auto Theirs = std::make_unique<Share>(New);
  if (Amd.hsa_amd_signal_async_handler_fn(Own, HSA_SIGNAL_CONDITION_EQ, 0,
                                          &onEnd,
                                          Theirs.get()) != HSA_STATUS_SUCCESS)
    return nullptr;
  static_cast<void>(Theirs.release());
  Packet.completion_signal = Own;
  return New;
}

/// Called once.
bool TimedDispatch::onEnd(hsa_signal_value_t, void *Data) {
  const std::unique_ptr<Share> Mine(static_cast<Share *>(Data));
  const TimedDispatch &D = **Mine;
  if (D.Given.handle) {
    amd_signal_t &Application = insideOf(D.Given);
    Application.start_ts = insideOf(D.Own).start_ts;
    Application.end_ts = insideOf(D.Own).end_ts;
    coreApi().hsa_signal_subtract_screlease_fn(D.Given, 1);
  }
  return false;
}

std::optional<DispatchTimes> TimedDispatch::times() const {
  // The device has passed a barrier behind it.
  hsa_amd_profiling_dispatch_time_t Ticks = {};
  if (!isHsaOpen() ||
      coreApi().hsa_signal_wait_scacquire_fn(Own, HSA_SIGNAL_CONDITION_EQ, 0,
                                             ticksPerSecond(),
                                             HSA_WAIT_STATE_BLOCKED) != 0 ||
      amdApi().hsa_amd_profiling_get_dispatch_time_fn(Agent, Own, &Ticks) !=
          HSA_STATUS_SUCCESS)
    return std::nullopt;
  return DispatchTimes{nanoseconds(Ticks.start), nanoseconds(Ticks.end)};
}

TimedDispatch::~TimedDispatch() {
  if (isHsaOpen())
    coreApi().hsa_signal_destroy_fn(Own);
}

} // namespace luthier::runtime
