// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kmt/Api.h"

using namespace luthier::emulator;

LUTHIER_KMT_API hsaKmtAllocMemory(HSAuint32 PreferredNode,
                                  HSAuint64 SizeInBytes, HsaMemFlags MemFlags,
                                  void **MemoryAddress) {
  LUTHIER_KMT_SESSION(TheSession);
  return TheSession.memory().allocate(PreferredNode, SizeInBytes, MemFlags,
                                      *MemoryAddress);
}

LUTHIER_KMT_API hsaKmtFreeMemory(void *MemoryAddress, HSAuint64) {
  LUTHIER_KMT_SESSION_TO_RELEASE(TheSession);
  return TheSession.memory().free(MemoryAddress);
}

LUTHIER_KMT_API hsaKmtRegisterMemoryWithFlags(void *MemoryAddress,
                                              HSAuint64 MemorySizeInBytes,
                                              HsaMemFlags MemFlags) {
  LUTHIER_KMT_SESSION(TheSession);
  return TheSession.memory().registerHost(MemoryAddress, MemorySizeInBytes,
                                          MemFlags);
}

LUTHIER_KMT_API hsaKmtDeregisterMemory(void *MemoryAddress) {
  LUTHIER_KMT_SESSION_TO_RELEASE(TheSession);
  return TheSession.memory().deregisterHost(MemoryAddress);
}

/// The alternate address is 0 where devices use the host's.
static HSAKMT_STATUS mapMemory(Session &TheSession, void *Address,
                               HSAuint64 Size, HSAuint64 *Alternate,
                               llvm::ArrayRef<uint32_t> Nodes) {
  uint64_t DeviceAddress = 0;
  const HSAKMT_STATUS Status =
      TheSession.memory().map(Address, Size, Nodes, &DeviceAddress);
  const bool IsSame = DeviceAddress == reinterpret_cast<uint64_t>(Address);
  if (Alternate)
    *Alternate = IsSame ? 0 : DeviceAddress;
  return Status;
}

LUTHIER_KMT_API hsaKmtMapMemoryToGPU(void *MemoryAddress,
                                     HSAuint64 MemorySizeInBytes,
                                     HSAuint64 *AlternateVAGPU) {
  LUTHIER_KMT_SESSION(TheSession);
  return mapMemory(TheSession, MemoryAddress, MemorySizeInBytes, AlternateVAGPU,
                   {});
}

LUTHIER_KMT_API
hsaKmtMapMemoryToGPUNodes(void *MemoryAddress, HSAuint64 MemorySizeInBytes,
                          HSAuint64 *AlternateVAGPU, HsaMemMapFlags,
                          HSAuint64 NumberOfNodes, HSAuint32 *NodeArray) {
  LUTHIER_KMT_SESSION(TheSession);
  return mapMemory(TheSession, MemoryAddress, MemorySizeInBytes, AlternateVAGPU,
                   llvm::ArrayRef(NodeArray, NumberOfNodes));
}

LUTHIER_KMT_API hsaKmtUnmapMemoryToGPU(void *MemoryAddress) {
  LUTHIER_KMT_SESSION_TO_RELEASE(TheSession);
  return TheSession.memory().unmap(MemoryAddress);
}

LUTHIER_KMT_API hsaKmtQueryPointerInfo(const void *Pointer,
                                       HsaPointerInfo *PointerInfo) {
  LUTHIER_KMT_SESSION(TheSession);
  return TheSession.memory().query(Pointer, *PointerInfo);
}

LUTHIER_KMT_API hsaKmtSetMemoryUserData(const void *Pointer, void *UserData) {
  LUTHIER_KMT_SESSION(TheSession);
  return TheSession.memory().setUserData(Pointer, UserData);
}

/// Caches are always coherent here.
LUTHIER_KMT_API hsaKmtSetMemoryPolicy(HSAuint32, HSAuint32, HSAuint32, void *,
                                      HSAuint64) {
  return HSAKMT_STATUS_SUCCESS;
}
