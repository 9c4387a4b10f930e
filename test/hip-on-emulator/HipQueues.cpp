// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events. All work is done when a call returns, so that they only
// need to be told apart.
#include "Status.h"
#include <chrono>

using namespace luthier::hip;
using Clock = std::chrono::steady_clock;

struct ihipEvent_t {
  Clock::time_point Recorded;
};

extern "C" {

hipError_t hipStreamCreate(hipStream_t *Stream) {
  *Stream = reinterpret_cast<hipStream_t>(new char);
  return hipSuccess;
}
hipError_t hipStreamCreateWithFlags(hipStream_t *Stream, unsigned) {
  return hipStreamCreate(Stream);
}
hipError_t hipStreamDestroy(hipStream_t Stream) {
  delete reinterpret_cast<char *>(Stream);
  return hipSuccess;
}
hipError_t hipStreamSynchronize(hipStream_t) { return hipSuccess; }
hipError_t hipStreamQuery(hipStream_t) { return hipSuccess; }
hipError_t hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned) {
  return hipSuccess;
}

hipError_t hipEventCreate(hipEvent_t *Event) {
  *Event = new ihipEvent_t{Clock::now()};
  return hipSuccess;
}
hipError_t hipEventCreateWithFlags(hipEvent_t *Event, unsigned) {
  return hipEventCreate(Event);
}
hipError_t hipEventDestroy(hipEvent_t Event) {
  delete Event;
  return hipSuccess;
}
hipError_t hipEventRecord(hipEvent_t Event, hipStream_t) {
  Event->Recorded = Clock::now();
  return hipSuccess;
}
hipError_t hipEventSynchronize(hipEvent_t) { return hipSuccess; }
hipError_t hipEventQuery(hipEvent_t) { return hipSuccess; }
hipError_t hipEventElapsedTime(float *Milliseconds, hipEvent_t From,
                               hipEvent_t To) {
  *Milliseconds =
      std::chrono::duration<float, std::milli>(To->Recorded - From->Recorded)
          .count();
  return hipSuccess;
}
}
