// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/core/GlobalWaveSync.h"
#include "emulator/kmt/Api.h"

using namespace luthier::emulator;

LUTHIER_KMT_API hsaKmtCreateQueue(HSAuint32 NodeId, HSA_QUEUE_TYPE Type,
                                  HSAuint32, HSA_QUEUE_PRIORITY,
                                  void *QueueAddress,
                                  HSAuint64 QueueSizeInBytes, HsaEvent *,
                                  HsaQueueResource *QueueResource) {
  LUTHIER_KMT_SESSION(TheSession);
  const Gpu *TheGpu = TheSession.gpu(NodeId);
  if (!TheGpu)
    return HSAKMT_STATUS_INVALID_NODE_UNIT;
  return TheSession.queues().create(TheGpu->processor(), Type, QueueAddress,
                                    QueueSizeInBytes, *QueueResource);
}

/// ROCr suspends queues, which have failed, with 0 percent.
LUTHIER_KMT_API hsaKmtUpdateQueue(HSA_QUEUEID QueueId,
                                  HSAuint32 QueuePercentage, HSA_QUEUE_PRIORITY,
                                  void *, HSAuint64, HsaEvent *) {
  LUTHIER_KMT_SESSION(TheSession);
  return TheSession.queues().setActive(QueueId, QueuePercentage != 0);
}

LUTHIER_KMT_API hsaKmtDestroyQueue(HSA_QUEUEID QueueId) {
  LUTHIER_KMT_SESSION_TO_RELEASE(TheSession);
  return TheSession.queues().destroy(QueueId);
}

/// Compute units differ in nothing, so it does not matter which are used.
LUTHIER_KMT_API hsaKmtSetQueueCUMask(HSA_QUEUEID QueueId, HSAuint32,
                                     HSAuint32 *) {
  LUTHIER_KMT_SESSION(TheSession);
  return TheSession.queues().contains(QueueId) ? HSAKMT_STATUS_SUCCESS
                                               : HSAKMT_STATUS_INVALID_HANDLE;
}

/// Cooperative queues ask for global wave sync. Every queue has resources of
/// its own, so they begin with 0.
LUTHIER_KMT_API hsaKmtAllocQueueGWS(HSA_QUEUEID QueueId, HSAuint32 NumGWS,
                                    HSAuint32 *FirstGWS) {
  LUTHIER_KMT_SESSION(TheSession);
  if (NumGWS > GlobalWaveSync::NumResources)
    return HSAKMT_STATUS_OUT_OF_RESOURCES;
  if (FirstGWS)
    *FirstGWS = 0;
  return TheSession.queues().allowGlobalSync(QueueId);
}

/// Traps end in the shader array; ROCr's handler is never run.
LUTHIER_KMT_API hsaKmtSetTrapHandler(HSAuint32, void *, HSAuint64, void *,
                                     HSAuint64) {
  return HSAKMT_STATUS_SUCCESS;
}
