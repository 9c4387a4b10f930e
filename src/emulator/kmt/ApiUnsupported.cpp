// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ROCr may ask for and an old driver or a plain device does not have:
// sharing between processes and with graphics, shared virtual memory, page
// faults, the debugger.
#include "emulator/kmt/Api.h"

LUTHIER_KMT_API hsaKmtGetXNACKMode(HSAint32 *Enable) {
  *Enable = 0;
  return HSAKMT_STATUS_SUCCESS;
}

LUTHIER_KMT_API hsaKmtSetXNACKMode(HSAint32 Enable) {
  return Enable ? HSAKMT_STATUS_NOT_SUPPORTED : HSAKMT_STATUS_SUCCESS;
}

LUTHIER_KMT_API hsaKmtRuntimeEnable(void *, bool) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

LUTHIER_KMT_API hsaKmtRuntimeDisable(void) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

LUTHIER_KMT_API hsaKmtSVMSetAttr(void *, HSAuint64, unsigned,
                                 HSA_SVM_ATTRIBUTE *) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

LUTHIER_KMT_API hsaKmtSVMGetAttr(void *, HSAuint64, unsigned,
                                 HSA_SVM_ATTRIBUTE *) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

LUTHIER_KMT_API hsaKmtShareMemory(void *, HSAuint64, HsaSharedMemoryHandle *) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

LUTHIER_KMT_API hsaKmtRegisterSharedHandle(const HsaSharedMemoryHandle *,
                                           void **, HSAuint64 *) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

LUTHIER_KMT_API hsaKmtRegisterSharedHandleToNodes(const HsaSharedMemoryHandle *,
                                                  void **, HSAuint64 *,
                                                  HSAuint64, HSAuint32 *) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

LUTHIER_KMT_API hsaKmtRegisterGraphicsHandleToNodes(HSAuint64,
                                                    HsaGraphicsResourceInfo *,
                                                    HSAuint64, HSAuint32 *) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}
