// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/cp/CommandProcessor.h"

#include "emulator/cp/AqlQueue.h"
#include "emulator/cp/SdmaQueue.h"

namespace luthier::emulator {

std::unique_ptr<CommandProcessor>
CommandProcessor::create(const DeviceModel &Model,
                         const ShaderFactory &MakeShaders, Host &TheHost,
                         Statistics &Stats, std::string &Error) {
  std::unique_ptr<CommandProcessor> Processor(
      new CommandProcessor(Model, TheHost, Stats));
  Processor->Shaders = MakeShaders(
      Processor->Memory, [&TheHost](uint32_t) { TheHost.raiseMailboxEvents(); },
      Error);
  if (!Processor->Shaders)
    return nullptr;
  return Processor;
}

std::unique_ptr<Queue>
CommandProcessor::createAqlQueue(const QueueMemory &QueueMem) {
  auto NewQueue = std::make_unique<AqlQueue>(*this, QueueMem);
  NewQueue->start();
  return NewQueue;
}

std::unique_ptr<Queue>
CommandProcessor::createSdmaQueue(const QueueMemory &QueueMem) {
  auto NewQueue = std::make_unique<SdmaQueue>(*this, QueueMem);
  NewQueue->start();
  return NewQueue;
}

} // namespace luthier::emulator
