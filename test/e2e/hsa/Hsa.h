// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs need that use the GPU without HIP: a device, code, packets.
#ifndef LUTHIER_TEST_E2E_HSA_HSA_H
#define LUTHIER_TEST_E2E_HSA_HSA_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <iterator>
#include <thread>
#include <vector>

#define CHECK(Call)                                                            \
  do {                                                                         \
    if (hsa_status_t Status = (Call); Status != HSA_STATUS_SUCCESS) {          \
      std::fprintf(stderr, "%s: 0x%x\n", #Call, unsigned(Status));             \
      std::exit(1);                                                            \
    }                                                                          \
  } while (false)

inline constexpr unsigned Lanes = 64;

inline hsa_agent_t findAgent(hsa_device_type_t Wanted) {
  struct Search {
    hsa_device_type_t Wanted;
    hsa_agent_t Found;
  } S = {Wanted, {0}};
  hsa_iterate_agents(
      [](hsa_agent_t Agent, void *Data) {
        auto *S = static_cast<Search *>(Data);
        hsa_device_type_t Type;
        CHECK(hsa_agent_get_info(Agent, HSA_AGENT_INFO_DEVICE, &Type));
        if (Type == S->Wanted)
          S->Found = Agent;
        return HSA_STATUS_SUCCESS;
      },
      &S);
  return S.Found;
}

/// Host memory that the GPU sees.
template <typename T> T *sharedMemory(hsa_agent_t Gpu) {
  // Asked for each time: handles end with the runtime's session.
  hsa_amd_memory_pool_t Pool = {0};
  hsa_amd_agent_iterate_memory_pools(
      findAgent(HSA_DEVICE_TYPE_CPU),
      [](hsa_amd_memory_pool_t Pool, void *Data) {
        uint32_t Flags = 0;
        hsa_amd_memory_pool_get_info(
            Pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &Flags);
        if (Flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED)
          *static_cast<hsa_amd_memory_pool_t *>(Data) = Pool;
        return HSA_STATUS_SUCCESS;
      },
      &Pool);
  void *Memory;
  CHECK(hsa_amd_memory_pool_allocate(Pool, 4096, 0, &Memory));
  CHECK(hsa_amd_agents_allow_access(1, &Gpu, nullptr, Memory));
  std::memset(Memory, 0, 4096);
  return static_cast<T *>(Memory);
}

struct Code {
  hsa_executable_t Executable;
  uint64_t Kernel;
};

inline Code load(const char *FileName, hsa_agent_t Gpu) {
  std::ifstream File(FileName, std::ios::binary);
  std::vector<char> Bytes(std::istreambuf_iterator<char>(File), {});
  Code Result;
  hsa_code_object_reader_t Reader;
  CHECK(hsa_code_object_reader_create_from_memory(Bytes.data(), Bytes.size(),
                                                  &Reader));
  CHECK(hsa_executable_create_alt(HSA_PROFILE_BASE,
                                  HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
                                  nullptr, &Result.Executable));
  CHECK(hsa_executable_load_agent_code_object(Result.Executable, Gpu, Reader,
                                              nullptr, nullptr));
  CHECK(hsa_executable_freeze(Result.Executable, nullptr));
  CHECK(hsa_code_object_reader_destroy(Reader));
  std::fill(Bytes.begin(), Bytes.end(), 0);

  hsa_executable_symbol_t Symbol;
  CHECK(hsa_executable_get_symbol_by_name(Result.Executable, "_Z6addOnePj.kd",
                                          &Gpu, &Symbol));
  CHECK(hsa_executable_symbol_get_info(
      Symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &Result.Kernel));
  return Result;
}

/// A zeroed slot of the queue's ring, once there is one.
template <typename Packet> Packet *reserve(hsa_queue_t *Queue, uint64_t &At) {
  At = hsa_queue_add_write_index_scacq_screl(Queue, 1);
  while (At - hsa_queue_load_read_index_scacquire(Queue) >= Queue->size)
    std::this_thread::yield();
  auto *Slot =
      static_cast<Packet *>(Queue->base_address) + (At & (Queue->size - 1));
  std::memset(reinterpret_cast<char *>(Slot) + 4, 0, sizeof(Packet) - 4);
  return Slot;
}

inline void publish(hsa_queue_t *Queue, void *Slot, uint32_t Head,
                    uint64_t At) {
  __atomic_store_n(static_cast<uint32_t *>(Slot), Head, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(Queue->doorbell_signal, hsa_signal_value_t(At));
}

inline void launch(hsa_queue_t *Queue, uint64_t Kernel, void *Arguments,
                   unsigned Lanes = ::Lanes, hsa_signal_t Completion = {}) {
  uint64_t At;
  auto *Packet = reserve<hsa_kernel_dispatch_packet_t>(Queue, At);
  Packet->workgroup_size_x = Packet->grid_size_x = Lanes;
  Packet->workgroup_size_y = Packet->workgroup_size_z = 1;
  Packet->grid_size_y = Packet->grid_size_z = 1;
  Packet->kernel_object = Kernel;
  Packet->kernarg_address = Arguments;
  Packet->completion_signal = Completion;
  constexpr uint32_t OneDimension = 1u << 16;
  publish(
      Queue, Packet,
      OneDimension | HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
          HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
          HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
      At);
}

/// Until all that was launched has ended.
inline void finish(hsa_queue_t *Queue) {
  hsa_signal_t Done;
  CHECK(hsa_signal_create(1, 0, nullptr, &Done));
  uint64_t At;
  auto *Packet = reserve<hsa_barrier_and_packet_t>(Queue, At);
  Packet->completion_signal = Done;
  publish(Queue, Packet,
          HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE |
              1 << HSA_PACKET_HEADER_BARRIER,
          At);
  hsa_signal_wait_scacquire(Done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                            HSA_WAIT_STATE_BLOCKED);
  CHECK(hsa_signal_destroy(Done));
}

/// What comes after waits until the result becomes 0.
inline hsa_signal_t obstruct(hsa_queue_t *Queue) {
  hsa_signal_t Gate;
  CHECK(hsa_signal_create(1, 0, nullptr, &Gate));
  uint64_t At;
  auto *Packet = reserve<hsa_barrier_and_packet_t>(Queue, At);
  Packet->dep_signal[0] = Gate;
  publish(Queue, Packet,
          HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE |
              1 << HSA_PACKET_HEADER_BARRIER,
          At);
  return Gate;
}

#endif // LUTHIER_TEST_E2E_HSA_HSA_H
