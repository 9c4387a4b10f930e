// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of libdrm and libdrm_amdgpu that runtimes use. Being preloaded,
// these are found before the real ones. Errors are negative errno values, as
// there.
#include "emulator/kfd/preload/Preload.h"

#include <errno.h>
#include <fcntl.h>
#include <libdrm/amdgpu.h>
#include <libdrm/amdgpu_drm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

using luthier::preload::backend;

struct amdgpu_device {
  int Fd;
  const luthier_kfd_gpu *Gpu;
};

struct amdgpu_bo {
  luthier_kfd_buffer *Buffer;
  void *MappedForHost;
};

/// There is no C++ library here.
template <typename T> static T *make(T Value) {
  T *New = static_cast<T *>(malloc(sizeof(T)));
  if (New)
    *New = Value;
  return New;
}

static constexpr uint64_t PageBytes = 4096;

static constexpr int VersionMajor = 3, VersionMinor = 57;

/// Frequencies are in kHz.
template <typename T>
static void describeChip(const luthier_kfd_gpu &Gpu, T &Info) {
  Info.num_shader_engines = Gpu.ShaderEngines;
  Info.num_shader_arrays_per_engine = 1;
  Info.gpu_counter_freq = 100000;
  Info.cu_active_number = Gpu.ComputeUnits;
  Info.vram_bit_width = 4096;
}
static constexpr unsigned EngineClock = 1700000, MemoryClock = 1600000;
/// GB_ADDR_CONFIG, how the chip would tile images.
static constexpr uint32_t AddressConfig = 0x26010042;

/// As the kernel copies a text: as much as there is room for, and its length.
static void copyText(const char *Text, char *To, __kernel_size_t &Room) {
  const size_t Length = strlen(Text);
  if (To)
    memcpy(To, Text, Length < Room ? Length : Room);
  Room = Length;
}

static int answer(drm_version &Version) {
  Version.version_major = VersionMajor;
  Version.version_minor = VersionMinor;
  Version.version_patchlevel = 0;
  copyText("amdgpu", Version.name, Version.name_len);
  // libdrm copies it without looking whether there is one.
  copyText("20150101", Version.date, Version.date_len);
  copyText("AMD GPU", Version.desc, Version.desc_len);
  return 0;
}

static int answer(const luthier_kfd_gpu &Gpu, const drm_amdgpu_info &Query) {
  auto give = [&](const auto &What) {
    memcpy(reinterpret_cast<void *>(Query.return_pointer), &What,
           Query.return_size < sizeof(What) ? Query.return_size : sizeof(What));
    return 0;
  };
  switch (Query.query) {
  case AMDGPU_INFO_ACCEL_WORKING:
    return give(uint32_t(1));
  case AMDGPU_INFO_DEV_INFO: {
    drm_amdgpu_info_device Info{};
    Info.device_id = Gpu.DeviceId;
    Info.family = Gpu.Family;
    Info.max_engine_clock = EngineClock;
    Info.max_memory_clock = MemoryClock;
    describeChip(Gpu, Info);
    return give(Info);
  }
  case AMDGPU_INFO_READ_MMR_REG: {
    constexpr uint32_t AddressConfigRegister = 0x263e;
    return Query.read_mmr_reg.dword_offset == AddressConfigRegister &&
                   Query.read_mmr_reg.count == 1
               ? give(AddressConfig)
               : EINVAL;
  }
  default:
    return EINVAL;
  }
}

int luthier::preload::askGraphics(const luthier_kfd_gpu &Gpu,
                                  unsigned long Request, void *Argument) {
  int Error = EINVAL;
  switch (_IOC_NR(Request)) {
  case _IOC_NR(DRM_IOCTL_VERSION):
    Error = answer(*static_cast<drm_version *>(Argument));
    break;
  case _IOC_NR(DRM_IOCTL_AMDGPU_INFO):
    Error = answer(Gpu, *static_cast<const drm_amdgpu_info *>(Argument));
    break;
  }
  if (Error == 0)
    return 0;
  errno = Error;
  return -1;
}

LUTHIER_INTERPOSED int drmOpenRender(int Minor) {
  char Path[32];
  snprintf(Path, sizeof(Path), "/dev/dri/renderD%d", Minor);
  return open(Path, O_RDWR | O_CLOEXEC);
}

LUTHIER_INTERPOSED int drmClose(int Fd) { return close(Fd); }

/// Kernel handles of buffers are their places in the memory file, in pages.
LUTHIER_INTERPOSED int drmCommandWriteRead(int, unsigned long Index, void *Data,
                                           unsigned long) {
  if (Index != DRM_AMDGPU_GEM_MMAP)
    return -EINVAL;
  auto &Args = *static_cast<drm_amdgpu_gem_mmap *>(Data);
  Args.out.addr_ptr = uint64_t(Args.in.handle) * PageBytes;
  return 0;
}

LUTHIER_INTERPOSED int amdgpu_device_initialize(int Fd, uint32_t *Major,
                                                uint32_t *Minor,
                                                amdgpu_device_handle *Device) {
  const luthier_kfd_backend *B = backend();
  const luthier_kfd_gpu *Gpu = B ? B->gpu_of(Fd) : nullptr;
  if (!Gpu)
    return -ENODEV;
  *Major = VersionMajor;
  *Minor = VersionMinor;
  // Callers close the one that they pass.
  *Device = make(amdgpu_device{fcntl(Fd, F_DUPFD_CLOEXEC, 3), Gpu});
  return *Device ? 0 : -ENOMEM;
}

LUTHIER_INTERPOSED int amdgpu_device_deinitialize(amdgpu_device_handle Device) {
  close(Device->Fd);
  free(Device);
  return 0;
}

LUTHIER_INTERPOSED int amdgpu_device_get_fd(amdgpu_device_handle Device) {
  return Device->Fd;
}

LUTHIER_INTERPOSED const char *
amdgpu_get_marketing_name(amdgpu_device_handle Device) {
  return Device->Gpu->Name;
}

LUTHIER_INTERPOSED int amdgpu_query_gpu_info(amdgpu_device_handle Device,
                                             amdgpu_gpu_info *Info) {
  memset(Info, 0, sizeof(*Info));
  Info->asic_id = Device->Gpu->DeviceId;
  Info->family_id = Device->Gpu->Family;
  Info->max_engine_clk = EngineClock;
  Info->max_memory_clk = MemoryClock;
  Info->gb_addr_cfg = AddressConfig;
  describeChip(*Device->Gpu, *Info);
  return 0;
}

LUTHIER_INTERPOSED int amdgpu_bo_import(amdgpu_device_handle Device,
                                        amdgpu_bo_handle_type Type,
                                        uint32_t Handle,
                                        amdgpu_bo_import_result *Result) {
  if (Type != amdgpu_bo_handle_type_dma_buf_fd)
    return -EINVAL;
  uint64_t Size = 0;
  luthier_kfd_buffer *Buffer =
      backend()->import(int(Handle), Device->Gpu->GpuId, &Size);
  if (!Buffer)
    return -EINVAL;
  Result->buf_handle = make(amdgpu_bo{Buffer, nullptr});
  Result->alloc_size = Size;
  return Result->buf_handle ? 0 : -ENOMEM;
}

LUTHIER_INTERPOSED int amdgpu_bo_export(amdgpu_bo_handle Buffer,
                                        amdgpu_bo_handle_type Type,
                                        uint32_t *Handle) {
  const uint64_t Offset = backend()->offset(Buffer->Buffer);
  if (Type == amdgpu_bo_handle_type_dma_buf_fd || !Offset)
    return -EINVAL;
  *Handle = uint32_t(Offset / PageBytes);
  return 0;
}

LUTHIER_INTERPOSED int amdgpu_bo_cpu_unmap(amdgpu_bo_handle Buffer) {
  if (!Buffer->MappedForHost)
    return -EINVAL;
  munmap(Buffer->MappedForHost, backend()->size(Buffer->Buffer));
  Buffer->MappedForHost = nullptr;
  return 0;
}

LUTHIER_INTERPOSED int amdgpu_bo_cpu_map(amdgpu_bo_handle Buffer,
                                         void **Address) {
  if (!Buffer->MappedForHost)
    Buffer->MappedForHost = backend()->map_for_host(Buffer->Buffer);
  *Address = Buffer->MappedForHost;
  return *Address ? 0 : -ENOMEM;
}

LUTHIER_INTERPOSED int amdgpu_bo_free(amdgpu_bo_handle Buffer) {
  if (Buffer->MappedForHost)
    amdgpu_bo_cpu_unmap(Buffer);
  const int Error = backend()->free(Buffer->Buffer);
  free(Buffer);
  return Error;
}

LUTHIER_INTERPOSED int amdgpu_bo_va_op(amdgpu_bo_handle Buffer, uint64_t Offset,
                                       uint64_t Size, uint64_t Address,
                                       uint64_t, uint32_t Operation) {
  return Operation == AMDGPU_VA_OP_UNMAP
             ? backend()->unmap(Buffer->Buffer, Size, Address)
             : backend()->map(Buffer->Buffer, Offset, Size, Address);
}

LUTHIER_INTERPOSED int amdgpu_bo_query_info(amdgpu_bo_handle Buffer,
                                            amdgpu_bo_info *Info) {
  memset(Info, 0, sizeof(*Info));
  Info->alloc_size = backend()->size(Buffer->Buffer);
  Info->phys_alignment = PageBytes;
  Info->preferred_heap = AMDGPU_GEM_DOMAIN_VRAM;
  luthier_kfd_metadata Metadata;
  if (int Error = backend()->get_metadata(Buffer->Buffer, &Metadata))
    return Error;
  Info->metadata.flags = Metadata.Flags;
  Info->metadata.tiling_info = Metadata.TilingInfo;
  Info->metadata.size_metadata = Metadata.Size;
  static_assert(sizeof(Info->metadata.umd_metadata) == sizeof(Metadata.Data));
  memcpy(Info->metadata.umd_metadata, Metadata.Data, sizeof(Metadata.Data));
  return 0;
}

LUTHIER_INTERPOSED int amdgpu_bo_set_metadata(amdgpu_bo_handle Buffer,
                                              amdgpu_bo_metadata *New) {
  luthier_kfd_metadata Metadata = {
      New->flags, New->tiling_info, New->size_metadata, {}};
  memcpy(Metadata.Data, New->umd_metadata, sizeof(Metadata.Data));
  return backend()->set_metadata(Buffer->Buffer, &Metadata);
}
