// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structures are those of <linux/kfd_ioctl.h>, of which that header says
// what goes in and what comes out.
#include "emulator/kfd/Ioctl.h"

#include "emulator/core/GlobalWaveSync.h"
#include "emulator/cp/Clock.h"
#include "emulator/kfd/Driver.h"
#include "emulator/kfd/Interface.h"
#include "llvm/ADT/ArrayRef.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/ioctl.h>

namespace luthier::emulator {
namespace {

template <class T> T *hostPointer(uint64_t Address) {
  return reinterpret_cast<T *>(Address);
}

/// What a runtime asks for first.
int getVersion(Driver &D, kfd_ioctl_get_version_args &Args) {
  D.checkRuntime();
  Args.major_version = 1;
  Args.minor_version = kfd::VersionMinor;
  return 0;
}

kfd_process_device_apertures aperturesOf(const Gpu &TheGpu) {
  constexpr uint64_t Bytes = uint64_t(4) << 30;
  kfd_process_device_apertures A{};
  A.gpu_id = TheGpu.id();
  A.lds_base = LdsApertureBase;
  A.lds_limit = LdsApertureBase + Bytes - 1;
  A.scratch_base = ScratchApertureBase;
  A.scratch_limit = ScratchApertureBase + Bytes - 1;
  // With 47 bits the runtime takes any address that mmap(2) gives it.
  A.gpuvm_base = 0x4000;
  A.gpuvm_limit = (uint64_t(1) << 47) - 1;
  return A;
}

int getApertures(Driver &D, kfd_ioctl_get_process_apertures_new_args &Args) {
  const uint32_t Known = D.gpus().size();
  if (Args.num_of_nodes == 0) {
    Args.num_of_nodes = Known;
    return 0;
  }
  Args.num_of_nodes = std::min(Args.num_of_nodes, Known);
  auto *List = hostPointer<kfd_process_device_apertures>(
      Args.kfd_process_device_apertures_ptr);
  for (uint32_t I = 0; I != Args.num_of_nodes; ++I)
    List[I] = aperturesOf(*D.gpus()[I]);
  return 0;
}

int getClocks(Driver &D, kfd_ioctl_get_clock_counters_args &Args) {
  const uint64_t Now = hostNanoseconds();
  Args.gpu_clock_counter =
      D.gpu(Args.gpu_id) ? Now / NanosecondsPerDeviceTick : 0;
  Args.cpu_clock_counter = Now;
  Args.system_clock_counter = Now;
  Args.system_clock_freq = 1'000'000'000;
  return 0;
}

/// HIP 5 asks although it tiles nothing, and takes a failure for a broken
/// device.
int getTiles(Driver &D, kfd_ioctl_get_tile_config_args &Args) {
  if (!D.gpu(Args.gpu_id))
    return EINVAL;
  auto Clear = [](uint64_t Address, uint32_t &Count) {
    if (Address)
      std::fill_n(hostPointer<uint32_t>(Address), Count, 0);
    Count = 0;
  };
  Clear(Args.tile_config_ptr, Args.num_tile_configs);
  Clear(Args.macro_tile_config_ptr, Args.num_macro_tile_configs);
  Args.gb_addr_config = 0x26010042;
  Args.num_banks = 16;
  Args.num_ranks = 1;
  return 0;
}

/// Page faults are never retried; asking (with a negative number) is allowed.
int setXnack(Driver &, kfd_ioctl_set_xnack_mode_args &Args) {
  if (Args.xnack_enabled > 0)
    return EPERM;
  Args.xnack_enabled = 0;
  return 0;
}

int getAvailableMemory(Driver &D, kfd_ioctl_get_available_memory_args &Args) {
  Args.available = D.memory().available(Args.gpu_id);
  return 0;
}

/// That the driver writes core dumps keeps ROCr from making its own after a
/// fault (HSA_RUNTIME_ENABLE_CAPS_SUPPORTS_CORE_DUMP_MASK of its
/// <hsakmttypes.h>), which takes a debugger's requests. What the program's dump
/// lacks is the waves.
int enableRuntime(Driver &, kfd::RuntimeEnableArgs &Args) {
  Args.capabilities_mask = uint32_t(1) << 31;
  return 0;
}

/// Caches are always coherent here, a process has one address space anyway,
/// traps end in the shader array, and scratch is where the queue says.
template <class T> int succeed(Driver &, T &) { return 0; }

int allocate(Driver &D, kfd_ioctl_alloc_memory_of_gpu_args &Args) {
  MemoryTable::Request R;
  R.GpuId = Args.gpu_id;
  R.Address = Args.va_addr;
  R.Size = Args.size;
  R.Flags = Args.flags;
  R.HostAddress = Args.mmap_offset;
  uint64_t Handle = 0, Offset = Args.mmap_offset;
  if (const int Error = D.memory().allocate(R, Handle, Offset))
    return Error;
  Args.handle = Handle;
  Args.mmap_offset = Offset;
  return 0;
}

int free(Driver &D, kfd_ioctl_free_memory_of_gpu_args &Args) {
  return D.memory().free(Args.handle);
}

/// Both structures are the same. Those that were done before an error count.
template <class T, int (MemoryTable::*Do)(uint64_t, uint32_t)>
int forEachDevice(Driver &D, T &Args) {
  const auto *Ids = hostPointer<const uint32_t>(Args.device_ids_array_ptr);
  for (; Args.n_success < Args.n_devices; ++Args.n_success)
    if (const int Error = (D.memory().*Do)(Args.handle, Ids[Args.n_success]))
      return Error;
  return 0;
}

int exportDmabuf(Driver &D, kfd::ExportDmabufArgs &Args) {
  const int Fd = D.memory().exportPages(Args.handle, int(Args.flags));
  if (Fd < 0)
    return errno;
  Args.dmabuf_fd = uint32_t(Fd);
  return 0;
}

int getDmabufInfo(Driver &D, kfd_ioctl_get_dmabuf_info_args &Args) {
  const MemoryTable::Exported Found = D.memory().exported(int(Args.dmabuf_fd));
  if (Found.Size == 0)
    return EINVAL;
  Args.size = Found.Size;
  // Every process numbers its devices alike.
  Args.gpu_id = Found.GpuId;
  Args.flags = Found.Flags;
  Args.metadata_size = 0;
  return 0;
}

int importDmabuf(Driver &D, kfd_ioctl_import_dmabuf_args &Args) {
  uint64_t Handle = 0;
  const int Error = D.memory().importPages(int(Args.dmabuf_fd), Args.gpu_id,
                                           Args.va_addr, Handle);
  Args.handle = Handle;
  return Error;
}

/// Users of a discrete GPU allocate the page of slots themselves, and name it
/// when they create the first event.
int adoptSlots(Driver &D, uint64_t Handle) {
  if (D.memory().size(Handle) < EventTable::Capacity * sizeof(uint64_t))
    return EINVAL;
  void *Page = D.memory().mapForHost(Handle);
  if (!Page)
    return ENOMEM;
  D.events().setSlots(static_cast<uint64_t *>(Page));
  return 0;
}

int createEvent(Driver &D, kfd_ioctl_create_event_args &Args) {
  if (Args.event_page_offset && !D.events().hasSlots())
    if (const int Error = adoptSlots(D, Args.event_page_offset))
      return Error;
  const uint32_t Id = D.events().create(Args.event_type, Args.auto_reset != 0);
  if (!Id)
    return ENOSPC;
  Args.event_id = Id;
  Args.event_trigger_data = Id;
  if (Id < EventTable::Capacity) {
    Args.event_slot_index = Id;
    // Where the page could be mapped, which nobody does who allocated it. With
    // 0 the runtime would give its signals no mailbox.
    Args.event_page_offset = uint64_t(1) << 62;
  }
  return 0;
}

int destroyEvent(Driver &D, kfd_ioctl_destroy_event_args &Args) {
  return D.events().destroy(Args.event_id);
}

int setEvent(Driver &D, kfd_ioctl_set_event_args &Args) {
  return D.events().set(Args.event_id);
}

int resetEvent(Driver &D, kfd_ioctl_reset_event_args &Args) {
  return D.events().reset(Args.event_id);
}

int waitForEvents(Driver &D, kfd_ioctl_wait_events_args &Args) {
  llvm::MutableArrayRef Events(hostPointer<kfd_event_data>(Args.events_ptr),
                               Args.num_events);
  switch (D.events().wait(Events, Args.wait_for_all != 0, Args.timeout)) {
  case EventTable::Outcome::Raised:
    Args.wait_result = KFD_IOC_WAIT_RESULT_COMPLETE;
    return 0;
  case EventTable::Outcome::TimedOut:
    Args.wait_result = KFD_IOC_WAIT_RESULT_TIMEOUT;
    return 0;
  case EventTable::Outcome::Destroyed:
    Args.wait_result = KFD_IOC_WAIT_RESULT_FAIL;
    return EIO;
  case EventTable::Outcome::NoSuchEvent:
    return EINVAL;
  }
  return EINVAL;
}

int createQueue(Driver &D, kfd_ioctl_create_queue_args &Args) {
  const Gpu *TheGpu = D.gpu(Args.gpu_id);
  if (!TheGpu)
    return EINVAL;
  if (const int Error =
          D.queues().create(TheGpu->processor(), TheGpu->doorbells(),
                            TheGpu->doorbellWatch(), Args))
    return Error;
  Args.doorbell_offset += TheGpu->doorbellOffset();
  return 0;
}

int destroyQueue(Driver &D, kfd_ioctl_destroy_queue_args &Args) {
  return D.queues().destroy(Args.queue_id);
}

/// ROCr suspends queues, which have failed, with 0 percent.
int updateQueue(Driver &D, kfd_ioctl_update_queue_args &Args) {
  return D.queues().setActive(Args.queue_id, Args.queue_percentage != 0);
}

int setComputeUnitMask(Driver &D, kfd_ioctl_set_cu_mask_args &Args) {
  return D.queues().setUnitMask(Args);
}

/// Cooperative queues ask for global wave sync. Every queue has resources of
/// its own, so they begin with 0.
int allocateGlobalSync(Driver &D, kfd_ioctl_alloc_queue_gws_args &Args) {
  if (Args.num_gws > GlobalWaveSync::NumResources)
    return EBUSY;
  Args.first_gws = 0;
  return D.queues().allowGlobalSync(Args.queue_id);
}

/// The only one whose arguments are as many as the caller likes.
int sharedMemory(Driver &D, void *Argument, size_t Size) {
  auto &Args = *static_cast<kfd_ioctl_svm_args *>(Argument);
  if (Size < sizeof(Args) ||
      (Size - sizeof(Args)) / sizeof(SvmTable::Attribute) < Args.nattr)
    return EINVAL;
  llvm::MutableArrayRef Attributes(Args.attrs, Args.nattr);
  switch (Args.op) {
  case KFD_IOCTL_SVM_OP_SET_ATTR:
    return D.svm().set(Args.start_addr, Args.size, Attributes);
  case KFD_IOCTL_SVM_OP_GET_ATTR:
    return D.svm().get(Args.start_addr, Args.size, Attributes);
  default:
    return EINVAL;
  }
}

int listenToEvents(Driver &D, kfd_ioctl_smi_events_args &Args) {
  if (!D.gpu(Args.gpuid))
    return EINVAL;
  const int Fd = D.smiEvents().listen(Args.gpuid);
  if (Fd < 0)
    return errno;
  Args.anon_fd = uint32_t(Fd);
  return 0;
}

/// Structures have grown at their end. As the kernel does, what an older caller
/// does not pass is zero, and what it does not know is not written.
template <class T, int (*Run)(Driver &, T &)>
int withArguments(Driver &D, void *Argument, size_t Size) {
  T Copy{};
  const size_t Common = std::min(Size, sizeof(T));
  std::memcpy(&Copy, Argument, Common);
  const int Result = Run(D, Copy);
  std::memcpy(Argument, &Copy, Common);
  return Result;
}

struct IoctlHandler {
  unsigned Number;
  int (*Run)(Driver &, void *, size_t);
};

#define LUTHIER_IOCTL(REQUEST, TYPE, ...)                                      \
  {_IOC_NR(REQUEST), &withArguments<TYPE, __VA_ARGS__>}

constexpr IoctlHandler Handlers[] = {
    LUTHIER_IOCTL(AMDKFD_IOC_GET_VERSION, kfd_ioctl_get_version_args,
                  getVersion),
    LUTHIER_IOCTL(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW,
                  kfd_ioctl_get_process_apertures_new_args, getApertures),
    LUTHIER_IOCTL(AMDKFD_IOC_GET_CLOCK_COUNTERS,
                  kfd_ioctl_get_clock_counters_args, getClocks),
    LUTHIER_IOCTL(AMDKFD_IOC_GET_TILE_CONFIG, kfd_ioctl_get_tile_config_args,
                  getTiles),
    LUTHIER_IOCTL(AMDKFD_IOC_ACQUIRE_VM, kfd_ioctl_acquire_vm_args, succeed),
    LUTHIER_IOCTL(AMDKFD_IOC_SET_MEMORY_POLICY,
                  kfd_ioctl_set_memory_policy_args, succeed),
    LUTHIER_IOCTL(AMDKFD_IOC_SET_TRAP_HANDLER, kfd_ioctl_set_trap_handler_args,
                  succeed),
    LUTHIER_IOCTL(AMDKFD_IOC_SET_SCRATCH_BACKING_VA,
                  kfd_ioctl_set_scratch_backing_va_args, succeed),
    LUTHIER_IOCTL(AMDKFD_IOC_SET_XNACK_MODE, kfd_ioctl_set_xnack_mode_args,
                  setXnack),
    LUTHIER_IOCTL(kfd::RuntimeEnable, kfd::RuntimeEnableArgs, enableRuntime),

    LUTHIER_IOCTL(AMDKFD_IOC_AVAILABLE_MEMORY,
                  kfd_ioctl_get_available_memory_args, getAvailableMemory),
    LUTHIER_IOCTL(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU,
                  kfd_ioctl_alloc_memory_of_gpu_args, allocate),
    LUTHIER_IOCTL(AMDKFD_IOC_FREE_MEMORY_OF_GPU,
                  kfd_ioctl_free_memory_of_gpu_args, free),
    LUTHIER_IOCTL(
        AMDKFD_IOC_MAP_MEMORY_TO_GPU, kfd_ioctl_map_memory_to_gpu_args,
        forEachDevice<kfd_ioctl_map_memory_to_gpu_args, &MemoryTable::map>),
    LUTHIER_IOCTL(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU,
                  kfd_ioctl_unmap_memory_from_gpu_args,
                  forEachDevice<kfd_ioctl_unmap_memory_from_gpu_args,
                                &MemoryTable::unmap>),
    LUTHIER_IOCTL(kfd::ExportDmabuf, kfd::ExportDmabufArgs, exportDmabuf),
    LUTHIER_IOCTL(AMDKFD_IOC_GET_DMABUF_INFO, kfd_ioctl_get_dmabuf_info_args,
                  getDmabufInfo),
    LUTHIER_IOCTL(AMDKFD_IOC_IMPORT_DMABUF, kfd_ioctl_import_dmabuf_args,
                  importDmabuf),

    LUTHIER_IOCTL(AMDKFD_IOC_CREATE_EVENT, kfd_ioctl_create_event_args,
                  createEvent),
    LUTHIER_IOCTL(AMDKFD_IOC_DESTROY_EVENT, kfd_ioctl_destroy_event_args,
                  destroyEvent),
    LUTHIER_IOCTL(AMDKFD_IOC_SET_EVENT, kfd_ioctl_set_event_args, setEvent),
    LUTHIER_IOCTL(AMDKFD_IOC_RESET_EVENT, kfd_ioctl_reset_event_args,
                  resetEvent),
    LUTHIER_IOCTL(AMDKFD_IOC_WAIT_EVENTS, kfd_ioctl_wait_events_args,
                  waitForEvents),

    LUTHIER_IOCTL(AMDKFD_IOC_CREATE_QUEUE, kfd_ioctl_create_queue_args,
                  createQueue),
    LUTHIER_IOCTL(AMDKFD_IOC_DESTROY_QUEUE, kfd_ioctl_destroy_queue_args,
                  destroyQueue),
    LUTHIER_IOCTL(AMDKFD_IOC_UPDATE_QUEUE, kfd_ioctl_update_queue_args,
                  updateQueue),
    LUTHIER_IOCTL(AMDKFD_IOC_SET_CU_MASK, kfd_ioctl_set_cu_mask_args,
                  setComputeUnitMask),
    LUTHIER_IOCTL(AMDKFD_IOC_ALLOC_QUEUE_GWS, kfd_ioctl_alloc_queue_gws_args,
                  allocateGlobalSync),

    {_IOC_NR(AMDKFD_IOC_SVM), &sharedMemory},
    LUTHIER_IOCTL(AMDKFD_IOC_SMI_EVENTS, kfd_ioctl_smi_events_args,
                  listenToEvents),
};
#undef LUTHIER_IOCTL

} // namespace

int runIoctl(Driver &D, unsigned long Request, void *Argument) {
  // The number alone, since the size is part of the request.
  for (const IoctlHandler &H : Handlers)
    if (H.Number == _IOC_NR(Request))
      return H.Run(D, Argument, _IOC_SIZE(Request));
  return ENOTTY;
}

} // namespace luthier::emulator
