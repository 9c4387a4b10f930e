// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A command processor whose shaders only write down what they are given, and a
// queue in ordinary memory.
#ifndef LUTHIER_TEST_UNIT_EMULATOR_CP_FIXTURE_H
#define LUTHIER_TEST_UNIT_EMULATOR_CP_FIXTURE_H

#include "emulator/cp/CommandProcessor.h"
#include "gtest/gtest.h"
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <mutex>
#include <thread>
#include <vector>

namespace luthier::emulator {

struct FakeHost : Host {
  std::atomic<unsigned> Events{0}, MailboxScans{0};
  std::atomic<uint64_t> FaultAddress{0};
  std::atomic<unsigned> Preparations{0};
  void prepareForEnd() override { ++Preparations; }
  std::atomic<uint32_t> LastEvent{0};
  void raiseEvent(uint32_t Id) override {
    LastEvent = Id;
    ++Events;
  }
  void raiseMailboxEvents() override { ++MailboxScans; }
  void reportMemoryFault(uint64_t Address) override { FaultAddress = Address; }
};

struct FakeShaders : ShaderArray {
  std::mutex Mutex;
  std::vector<Dispatch> Dispatches;
  std::optional<ExecutionFault> NextFault;
  std::function<void(const Dispatch &)> OnRun;
  std::function<void(uint32_t)> Interrupt;
  unsigned Invalidations = 0;

  std::optional<ExecutionFault> run(const Dispatch &D,
                                    DispatchCounts &Counts) override {
    std::lock_guard Lock(Mutex);
    Dispatches.push_back(D);
    Counts.WaveInstructions = 10;
    Counts.LaneInstructions = 640;
    if (OnRun)
      OnRun(D);
    return NextFault;
  }
  void invalidateCode(uint64_t, uint64_t) override {
    std::lock_guard Lock(Mutex);
    ++Invalidations;
  }
};

/// Spins until \p Ready, for 5 s at most.
template <typename Predicate> bool eventually(Predicate Ready) {
  using namespace std::chrono;
  const auto Limit = steady_clock::now() + seconds(5);
  while (!Ready()) {
    if (steady_clock::now() > Limit)
      return false;
    std::this_thread::sleep_for(microseconds(100));
  }
  return true;
}

/// A signal with a mailbox, as runtimes make them.
struct TestSignal {
  alignas(64) amd_signal_t Signal{};
  uint64_t Mailbox = 0;

  explicit TestSignal(int64_t Value = 1) {
    Signal.kind = AMD_SIGNAL_KIND_USER;
    Signal.value = Value;
    Signal.event_id = 7;
    Signal.event_mailbox_ptr = reinterpret_cast<uint64_t>(&Mailbox);
  }
  hsa_signal_t handle() const { return {reinterpret_cast<uint64_t>(&Signal)}; }
  int64_t value() const {
    return __atomic_load_n(&Signal.value, __ATOMIC_ACQUIRE);
  }
  void store(int64_t Value) {
    __atomic_store_n(&Signal.value, Value, __ATOMIC_RELEASE);
  }
  bool reaches(int64_t Value) const {
    return eventually([&] { return value() == Value; });
  }
};

class CommandProcessorTest : public testing::Test {
protected:
  static constexpr unsigned NumPackets = 16;

  virtual const char *device() const { return "gfx90a"; }

  void SetUp() override {
    std::string Error;
    Processor = CommandProcessor::create(
        *findDeviceModel(device()),
        [&](AddressSpace &, std::function<void(uint32_t)> Interrupt,
            std::string &) {
          auto New = std::make_unique<FakeShaders>();
          New->Interrupt = std::move(Interrupt);
          Shaders = New.get();
          return New;
        },
        TheHost, Stats, Error);
    ASSERT_TRUE(Processor) << Error;

    // A descriptor, and code behind it.
    const int64_t EntryOffset = 64;
    std::memcpy(KernelMemory + 16, &EntryOffset, 8);
    mapForDevice(KernelMemory, sizeof(KernelMemory));

    for (auto &Packet : Ring)
      Packet.header = HSA_PACKET_TYPE_INVALID;
    HsaQueue.queue_inactive_signal = Inactive.handle();
    QueueAt.Ring = reinterpret_cast<uint64_t>(Ring);
    QueueAt.RingBytes = sizeof(Ring);
    QueueAt.ReadIndex = const_cast<uint64_t *>(&HsaQueue.read_dispatch_id);
    QueueAt.WriteIndex = const_cast<uint64_t *>(&HsaQueue.write_dispatch_id);
    QueueAt.Doorbell = &Doorbell;
    Aql = Processor->createAqlQueue(QueueAt);
  }

  void TearDown() override { Aql.reset(); }

  void mapForDevice(const void *Address, uint64_t Size) {
    Processor->memory().map(reinterpret_cast<uint64_t>(Address), Size);
  }

  hsa_kernel_dispatch_packet_t dispatchPacket(const TestSignal *Completion) {
    hsa_kernel_dispatch_packet_t Packet{};
    Packet.setup = 1;
    Packet.workgroup_size_x = 64;
    Packet.workgroup_size_y = Packet.workgroup_size_z = 1;
    Packet.grid_size_x = 100;
    Packet.grid_size_y = Packet.grid_size_z = 1;
    Packet.kernel_object = reinterpret_cast<uint64_t>(KernelMemory);
    if (Completion)
      Packet.completion_signal = Completion->handle();
    return Packet;
  }

  /// Writes a 64-byte packet the way producers do: header last.
  template <typename T>
  void write(uint64_t Index, const T &Packet, unsigned Type) {
    static_assert(sizeof(T) == 64);
    auto *Slot = reinterpret_cast<char *>(&Ring[Index % NumPackets]);
    std::memcpy(Slot + 2, reinterpret_cast<const char *>(&Packet) + 2, 62);
    __atomic_store_n(reinterpret_cast<uint16_t *>(Slot), uint16_t(Type),
                     __ATOMIC_RELEASE);
  }

  void ring(uint64_t Index) {
    __atomic_store_n(&Doorbell, Index, __ATOMIC_RELEASE);
  }

  template <typename T> void submit(const T &Packet, unsigned Type) {
    const uint64_t Index = HsaQueue.write_dispatch_id;
    __atomic_store_n(&HsaQueue.write_dispatch_id, Index + 1, __ATOMIC_RELEASE);
    write(Index, Packet, Type);
    ring(Index);
  }

  /// \p Q has seen all that was there before the call, and waits for more.
  static bool waits(const Queue &Q) {
    const uint64_t Before = Q.looks();
    return eventually([&] { return Q.looks() >= Before + 2; });
  }

  uint64_t readIndex() const {
    return __atomic_load_n(&HsaQueue.read_dispatch_id, __ATOMIC_ACQUIRE);
  }

  FakeHost TheHost;
  Statistics Stats;
  std::unique_ptr<CommandProcessor> Processor;
  FakeShaders *Shaders = nullptr;
  alignas(64) uint8_t KernelMemory[256] = {};
  alignas(64) hsa_kernel_dispatch_packet_t Ring[NumPackets] = {};
  /// Runtimes since 6.2 have more behind it.
  alignas(64) char QueueBytes[2304] = {};
  amd_queue_t &HsaQueue = *reinterpret_cast<amd_queue_t *>(QueueBytes);
  TestSignal Inactive{0};
  uint64_t Doorbell = ~uint64_t(0);
  QueueMemory QueueAt;
  std::unique_ptr<Queue> Aql;
};

} // namespace luthier::emulator

#endif // LUTHIER_TEST_UNIT_EMULATOR_CP_FIXTURE_H
