// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one function that this library exports, and what stands behind it.
#include "emulator/kfd/Backend.h"
#include "emulator/kfd/Driver.h"
#include "emulator/kfd/Ioctl.h"
#include <cerrno>
#include <pthread.h>
#include <sys/mman.h>

using namespace luthier::emulator;

struct luthier_kfd_buffer {
  Driver &Owner;
  uint64_t Handle;
  uint32_t GpuId;
};

namespace {

const char *files() {
  const Driver *D = Driver::get();
  return D ? D->filesFolder().c_str() : nullptr;
}

int openDevice(int RenderMinor, int Flags) {
  Driver *D = Driver::get();
  if (!D) {
    errno = ENODEV;
    return -1;
  }
  return D->file().open(uint64_t(RenderMinor), Flags);
}

int owns(int Fd) { return Driver::owns(Fd); }

int doIoctl(int Fd, unsigned long Request, void *Argument) {
  // ioctl() is no cancellation point, but what waits below is one.
  int CancelState;
  ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &CancelState);
  Driver *D = Driver::current();
  // As the kernel answers a forked child.
  const int Failure =
      !D || !D->file().owns(Fd) ? EBADF : runIoctl(*D, Request, Argument);
  ::pthread_setcancelstate(CancelState, nullptr);
  if (Failure)
    errno = Failure;
  return Failure ? -1 : 0;
}

void *mapFile(void *Address, uint64_t Size, int MapFlags, int Fd,
              uint64_t Offset) {
  Driver *D = Driver::current();
  if (!D || !D->file().owns(Fd)) {
    errno = ENODEV;
    return MAP_FAILED;
  }
  void *Begin = D->memory().mapFile(Address, Size, MapFlags, Fd, Offset);
  if (Begin != MAP_FAILED)
    for (const auto &Each : D->gpus())
      if (Offset == Each->doorbellOffset())
        Each->watchDoorbells(Begin, Size);
  return Begin;
}

void forget(void *Address, uint64_t Size) {
  if (Driver *D = Driver::current())
    D->svm().forget(reinterpret_cast<uint64_t>(Address), Size);
}

const luthier_kfd_gpu *gpu(int RenderMinor) {
  const Driver *D = Driver::get();
  const Gpu *Found = D ? D->gpuOfRenderNode(uint64_t(RenderMinor)) : nullptr;
  return Found ? &Found->drmInfo() : nullptr;
}

const luthier_kfd_gpu *gpuOf(int Fd) {
  Driver *D = Driver::current();
  if (!D || !D->file().owns(Fd))
    return nullptr;
  const Gpu *Found = D->gpuOfRenderNode(MemoryFile::positionOf(Fd));
  return Found ? &Found->drmInfo() : nullptr;
}

luthier_kfd_buffer *importBuffer(int Dmabuf, uint32_t GpuId, uint64_t *Size) {
  Driver *D = Driver::current();
  uint64_t Handle = 0;
  if (!D || D->memory().importPages(Dmabuf, GpuId, /*Address=*/0, Handle) != 0)
    return nullptr;
  *Size = D->memory().size(Handle);
  return new luthier_kfd_buffer{*D, Handle, GpuId};
}

int freeBuffer(luthier_kfd_buffer *Buffer) {
  const int Error = Buffer->Owner.memory().free(Buffer->Handle);
  delete Buffer;
  return -Error;
}

int mapBuffer(luthier_kfd_buffer *Buffer, uint64_t From, uint64_t Size,
              uint64_t Address) {
  return -Buffer->Owner.memory().mapPart(Buffer->Handle, Buffer->GpuId, From,
                                         Size, Address);
}

int unmapBuffer(luthier_kfd_buffer *Buffer, uint64_t Size, uint64_t Address) {
  return -Buffer->Owner.memory().unmapPart(Buffer->Handle, Buffer->GpuId, Size,
                                           Address);
}

int setMetadata(luthier_kfd_buffer *Buffer,
                const luthier_kfd_metadata *Metadata) {
  return -Buffer->Owner.memory().setMetadata(Buffer->Handle, *Metadata);
}

int getMetadata(luthier_kfd_buffer *Buffer, luthier_kfd_metadata *Metadata) {
  return -Buffer->Owner.memory().getMetadata(Buffer->Handle, *Metadata);
}

void *mapBufferForHost(luthier_kfd_buffer *Buffer) {
  return Buffer->Owner.memory().mapForHost(Buffer->Handle);
}

uint64_t sizeOf(luthier_kfd_buffer *Buffer) {
  return Buffer->Owner.memory().size(Buffer->Handle);
}

uint64_t offsetOf(luthier_kfd_buffer *Buffer) {
  return Buffer->Owner.memory().offset(Buffer->Handle);
}

/// In a forked child there is none until it opens the device.
Verifier *verifier() {
  Driver *D = Driver::current();
  return D ? D->verifier() : nullptr;
}

void addKernel(const luthier_verify_kernel *Kernel) {
  if (Verifier *V = verifier())
    V->addKernel(*Kernel);
}

void removeKernel(uint64_t Instrumented) {
  if (Verifier *V = verifier())
    V->removeKernel(Instrumented);
}

void addOwnMemory(uint64_t Begin, uint64_t End) {
  if (Verifier *V = verifier())
    V->addOwnMemory(Begin, End);
}

void removeOwnMemory(uint64_t Begin) {
  if (Verifier *V = verifier())
    V->removeOwnMemory(Begin);
}

void redirected(const void *Original, const void *Submitted) {
  using Packet = hsa_kernel_dispatch_packet_t;
  if (Verifier *V = verifier())
    V->redirected(*static_cast<const Packet *>(Original),
                  *static_cast<const Packet *>(Submitted));
}

void unchanged(const char *Kernel, const char *Reason) {
  if (Verifier *V = verifier())
    V->noteUnchanged(Kernel, Reason);
}

constexpr luthier_verify_api VerifyApi = {sizeof(luthier_verify_api),
                                          addKernel,
                                          removeKernel,
                                          addOwnMemory,
                                          redirected,
                                          unchanged,
                                          removeOwnMemory};

void writeStatistics() {
  if (Driver *D = Driver::current())
    D->writeLastStatistics();
}

const luthier_verify_api *verify() { return verifier() ? &VerifyApi : nullptr; }

constexpr luthier_kfd_backend Backend = {
    .files = files,
    .open = openDevice,
    .owns = owns,
    .ioctl = doIoctl,
    .mmap = mapFile,
    .forget = forget,
    .gpu_of = gpuOf,
    .gpu = gpu,
    .import = importBuffer,
    .free = freeBuffer,
    .map = mapBuffer,
    .unmap = unmapBuffer,
    .set_metadata = setMetadata,
    .get_metadata = getMetadata,
    .map_for_host = mapBufferForHost,
    .size = sizeOf,
    .offset = offsetOf,
    .on_fault = Driver::setFaultHandler,
    .verify = verify,
    .write_statistics = writeStatistics,
};

} // namespace

// NOLINTBEGIN(readability-identifier-naming)
extern "C" __attribute__((visibility("default"))) const luthier_kfd_backend *
luthier_kfd_get_backend(void) {
  return &Backend;
}
// NOLINTEND(readability-identifier-naming)

/// Runtimes need not shut down before the process ends, and HIP does not. This
/// runs after the destructors of everything above us; queues may still be busy,
/// so it tells what has been completed.
[[gnu::destructor]] static void atProcessEnd() {
  if (Driver *D = Driver::current())
    D->writeLastStatistics();
}
