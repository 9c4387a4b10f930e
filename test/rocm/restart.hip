// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program shuts the runtime down and starts it again. Each time, a queue
// works and its errors reach the program.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <hsa/hsa.h>

static void check(hsa_status_t Status, const char *What) {
  if (Status == HSA_STATUS_SUCCESS)
    return;
  std::fprintf(stderr, "%s: %x\n", What, Status);
  std::exit(1);
}
#define CHECK(CALL) check(CALL, #CALL)

static hsa_status_t findGpu(hsa_agent_t Agent, void *Result) {
  hsa_device_type_t Type;
  CHECK(hsa_agent_get_info(Agent, HSA_AGENT_INFO_DEVICE, &Type));
  if (Type != HSA_DEVICE_TYPE_GPU)
    return HSA_STATUS_SUCCESS;
  *static_cast<hsa_agent_t *>(Result) = Agent;
  return HSA_STATUS_INFO_BREAK;
}

static std::atomic<hsa_status_t> Heard;

static void hear(hsa_status_t Status, hsa_queue_t *, void *) { Heard = Status; }

template <typename T>
static void submit(hsa_queue_t *Queue, T &Packet, hsa_packet_type_t Type) {
  const uint64_t Index = hsa_queue_add_write_index_relaxed(Queue, 1);
  auto *Slot = static_cast<T *>(Queue->base_address) + Index % Queue->size;
  Packet.header = HSA_PACKET_TYPE_INVALID;
  *Slot = Packet;
  __atomic_store_n(&Slot->header, uint16_t(Type), __ATOMIC_RELEASE);
  hsa_signal_store_screlease(Queue->doorbell_signal, Index);
}

static void useGpu() {
  hsa_agent_t Gpu{};
  if (hsa_iterate_agents(findGpu, &Gpu) != HSA_STATUS_INFO_BREAK)
    check(HSA_STATUS_ERROR, "no GPU");
  hsa_queue_t *Queue;
  CHECK(hsa_queue_create(Gpu, 64, HSA_QUEUE_TYPE_MULTI, hear, nullptr, 0, 0,
                         &Queue));
  hsa_signal_t Done;
  CHECK(hsa_signal_create(1, 0, nullptr, &Done));
  hsa_barrier_and_packet_t Barrier{};
  Barrier.completion_signal = Done;
  submit(Queue, Barrier, HSA_PACKET_TYPE_BARRIER_AND);
  hsa_signal_wait_scacquire(Done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX,
                            HSA_WAIT_STATE_BLOCKED);
  // There is no such kernel.
  Heard = HSA_STATUS_SUCCESS;
  hsa_kernel_dispatch_packet_t Dispatch{};
  Dispatch.setup = 1;
  Dispatch.workgroup_size_x = Dispatch.workgroup_size_y =
      Dispatch.workgroup_size_z = 1;
  Dispatch.grid_size_x = Dispatch.grid_size_y = Dispatch.grid_size_z = 1;
  submit(Queue, Dispatch, HSA_PACKET_TYPE_KERNEL_DISPATCH);
  while (Heard == HSA_STATUS_SUCCESS)
    ;
  if (Heard != HSA_STATUS_ERROR_INVALID_CODE_OBJECT)
    check(Heard, "what the queue's error is");
  CHECK(hsa_signal_destroy(Done));
  CHECK(hsa_queue_destroy(Queue));
}

int main() {
  for (int Round = 0; Round < 3; ++Round) {
    CHECK(hsa_init());
    useGpu();
    CHECK(hsa_shut_down());
  }
  std::printf("restart: PASS\n");
}
