// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kmt/Api.h"

using namespace luthier::emulator;

LUTHIER_KMT_API hsaKmtCreateEvent(HsaEventDescriptor *EventDesc,
                                  bool ManualReset, bool IsSignaled,
                                  HsaEvent **Event) {
  LUTHIER_KMT_SESSION(TheSession);
  *Event = TheSession.events().create(*EventDesc, ManualReset, IsSignaled);
  return *Event ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_OUT_OF_RESOURCES;
}

LUTHIER_KMT_API hsaKmtDestroyEvent(HsaEvent *Event) {
  LUTHIER_KMT_SESSION_TO_RELEASE(TheSession);
  return Event && TheSession.events().destroy(Event)
             ? HSAKMT_STATUS_SUCCESS
             : HSAKMT_STATUS_INVALID_HANDLE;
}

LUTHIER_KMT_API hsaKmtSetEvent(HsaEvent *Event) {
  LUTHIER_KMT_SESSION(TheSession);
  if (!Event)
    return HSAKMT_STATUS_INVALID_HANDLE;
  TheSession.events().raise(Event->EventId);
  return HSAKMT_STATUS_SUCCESS;
}

LUTHIER_KMT_API hsaKmtWaitOnEvent(HsaEvent *Event, HSAuint32 Milliseconds) {
  LUTHIER_KMT_SESSION(TheSession);
  if (!Event)
    return HSAKMT_STATUS_INVALID_HANDLE;
  return TheSession.events().wait(Event, /*All=*/true, Milliseconds);
}

LUTHIER_KMT_API hsaKmtWaitOnMultipleEvents(HsaEvent *Events[],
                                           HSAuint32 NumEvents, bool WaitOnAll,
                                           HSAuint32 Milliseconds) {
  LUTHIER_KMT_SESSION(TheSession);
  return TheSession.events().wait(llvm::ArrayRef(Events, NumEvents), WaitOnAll,
                                  Milliseconds);
}
