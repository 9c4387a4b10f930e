// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The front end of one emulated device: its memory map, its queues, and what
// they share. Knows nothing of the thunk; a host plugs it in.
#ifndef LUTHIER_EMULATOR_CP_COMMANDPROCESSOR_H
#define LUTHIER_EMULATOR_CP_COMMANDPROCESSOR_H

#include "emulator/cp/DeviceModel.h"
#include "emulator/cp/DispatchJudge.h"
#include "emulator/cp/Host.h"
#include "emulator/cp/KernelNames.h"
#include "emulator/cp/Queue.h"
#include "emulator/cp/Statistics.h"
#include "emulator/exec/ShaderArray.h"
#include "emulator/memory/AddressSpace.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace luthier::emulator {

/// Where a queue lives. All memory belongs to the host and outlives the queue.
struct QueueMemory {
  uint64_t Ring = 0;
  uint64_t RingBytes = 0;
  /// In packets for AQL, where the read index is the one inside an
  /// amd_queue_t; in bytes for SDMA.
  uint64_t *ReadIndex = nullptr;
  uint64_t *WriteIndex = nullptr;
  /// AQL: index of the last packet written, initially all ones. SDMA: the write
  /// index in bytes, initially 0.
  uint64_t *Doorbell = nullptr;
};

class CommandProcessor {
public:
  /// Makes the shader array; it gets the device's memory and a way to
  /// interrupt the host.
  using ShaderFactory = std::function<std::unique_ptr<ShaderArray>(
      AddressSpace &, std::function<void(uint32_t)> Interrupt,
      std::string &Error)>;

  /// \p TheHost and \p Stats outlive the processor. Null, with a message, if
  /// there is no shader array for the device.
  static std::unique_ptr<CommandProcessor>
  create(const DeviceModel &Model, const ShaderFactory &MakeShaders,
         Host &TheHost, Statistics &Stats, std::string &Error);

  /// Queues run until they are destroyed, and not longer than the processor.
  std::unique_ptr<Queue> createAqlQueue(const QueueMemory &Memory);
  std::unique_ptr<Queue> createSdmaQueue(const QueueMemory &Memory);

  const DeviceModel &model() const { return Model; }
  AddressSpace &memory() { return Memory; }
  ShaderArray &shaders() { return *Shaders; }
  Host &host() { return TheHost; }
  KernelNames &kernelNames() { return Names; }
  Statistics &statistics() { return Stats; }
  /// Null for none. It outlives the queues; set it before there is one.
  void setJudge(DispatchJudge *New) { Judge = New; }
  DispatchJudge *judge() const { return Judge; }

private:
  CommandProcessor(const DeviceModel &Model, Host &TheHost, Statistics &Stats)
      : Model(Model), TheHost(TheHost), Stats(Stats), Names(Memory) {}

  const DeviceModel &Model;
  Host &TheHost;
  Statistics &Stats;
  DispatchJudge *Judge = nullptr;
  AddressSpace Memory;
  KernelNames Names;
  std::unique_ptr<ShaderArray> Shaders;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_COMMANDPROCESSOR_H
