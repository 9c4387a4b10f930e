// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between the library that is preloaded into every process and the one with the
// emulator, which it loads when somebody first looks for a GPU. Plain C: the
// preloaded one uses nothing but libc.
#ifndef LUTHIER_EMULATOR_KFD_BACKEND_H
#define LUTHIER_EMULATOR_KFD_BACKEND_H

#include "luthier/detail/EmulatorVerify.h"
#include <stdint.h>

// Names as system calls and libdrm have theirs.
// NOLINTBEGIN(readability-identifier-naming)
struct luthier_kfd_gpu {
  uint32_t GpuId;
  uint32_t DeviceId;
  uint32_t RenderMinor;
  /// AMDGPU_FAMILY_*.
  uint32_t Family;
  uint32_t ComputeUnits;
  uint32_t ShaderEngines;
  const char *Name;
};

/// What a driver's user notes about a buffer, for who imports it; as libdrm's
/// amdgpu_bo_metadata.
struct luthier_kfd_metadata {
  uint64_t Flags;
  uint64_t TilingInfo;
  uint32_t Size; ///< Of Data, in bytes.
  uint32_t Data[64];
};

/// Pages that libdrm's functions have imported.
typedef struct luthier_kfd_buffer luthier_kfd_buffer;

/// Functions that return an int return 0 or a negative errno, unless they say
/// that they are like a system call: -1 and errno.
struct luthier_kfd_backend {
  /// A folder with `kfd`, `dev` and `module` for what sysfs and devfs would
  /// hold; null if there is no GPU.
  const char *(*files)(void);
  /// Like open(2) of /dev/kfd, or with \p RenderMinor of that render node.
  int (*open)(int RenderMinor, int Flags);
  /// Whether a descriptor is one of those, of this process or of the one that
  /// it was forked from.
  int (*owns)(int Fd);
  /// Like ioctl(2) of /dev/kfd.
  int (*ioctl)(int Fd, unsigned long Request, void *Argument);
  /// Like mmap(2) of them, but that the memory is always accessible.
  void *(*mmap)(void *Address, uint64_t Size, int MapFlags, int Fd,
                uint64_t Offset);
  /// The memory that was there has been, or is about to be, unmapped.
  void (*forget)(void *Address, uint64_t Size);
  /// What a render node's descriptor stands for, or null.
  const struct luthier_kfd_gpu *(*gpu_of)(int Fd);
  const struct luthier_kfd_gpu *(*gpu)(int RenderMinor);

  /// Null if \p Dmabuf is not one that the driver has exported.
  luthier_kfd_buffer *(*import)(int Dmabuf, uint32_t GpuId, uint64_t *Size);
  int (*free)(luthier_kfd_buffer *Buffer);
  int (*map)(luthier_kfd_buffer *Buffer, uint64_t From, uint64_t Size,
             uint64_t Address);
  int (*unmap)(luthier_kfd_buffer *Buffer, uint64_t Size, uint64_t Address);
  int (*set_metadata)(luthier_kfd_buffer *Buffer,
                      const struct luthier_kfd_metadata *Metadata);
  int (*get_metadata)(luthier_kfd_buffer *Buffer,
                      struct luthier_kfd_metadata *Metadata);
  /// For the host; null if that fails.
  void *(*map_for_host)(luthier_kfd_buffer *Buffer);
  uint64_t (*size)(luthier_kfd_buffer *Buffer);
  /// What mmap(2) of a render node takes, while there is the buffer; 0 if there
  /// is no room.
  uint64_t (*offset)(luthier_kfd_buffer *Buffer);

  /// See luthier/detail/EmulatorFaults.h and EmulatorVerify.h.
  void (*on_fault)(void (*Handler)(uint64_t PC));
  const luthier_verify_api *(*verify)(void);
  /// See luthier/detail/EmulatorStatistics.h.
  void (*write_statistics)(void);
};
// NOLINTEND(readability-identifier-naming)

#endif // LUTHIER_EMULATOR_KFD_BACKEND_H
