// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The front end of one emulated device: makes it and its queues. Knows nothing
// of the driver; a host plugs it in.
#ifndef LUTHIER_EMULATOR_CP_COMMANDPROCESSOR_H
#define LUTHIER_EMULATOR_CP_COMMANDPROCESSOR_H

#include "emulator/cp/DeviceState.h"
#include "emulator/cp/Queue.h"
#include "emulator/cp/QueueMemory.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace luthier::emulator {

class CommandProcessor final : public DeviceState {
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

private:
  CommandProcessor(const DeviceModel &Model, Host &TheHost, Statistics &Stats)
      : DeviceState(Model, TheHost, Stats) {}
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_COMMANDPROCESSOR_H
