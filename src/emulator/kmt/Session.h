// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that lives from the first hsaKmtOpenKFD to the end of the process.
// Nothing exists before it.
#ifndef LUTHIER_EMULATOR_KMT_SESSION_H
#define LUTHIER_EMULATOR_KMT_SESSION_H

#include "emulator/cp/CommandProcessor.h"
#include "emulator/cp/Statistics.h"
#include "emulator/kmt/Configuration.h"
#include "emulator/kmt/EventTable.h"
#include "emulator/kmt/MemoryTable.h"
#include "emulator/kmt/QueueTable.h"
#include "emulator/verify/Verifier.h"
#include <cstdint>
#include <hsakmt.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace luthier::emulator {

class Session;

/// An emulated GPU and its place in the topology.
class Gpu final : public Host {
public:
  Gpu(Session &Owner, uint32_t Node, const DeviceModel &Model,
      EventTable &Events)
      : Owner(Owner), Node(Node), Model(Model), Events(Events) {}

  /// False, with a message, if there is no shader array for the device.
  bool start(const Configuration &Config, std::string &Error);

  uint32_t node() const { return Node; }
  CommandProcessor &processor() const { return *Processor; }
  const Statistics &statistics() const { return Stats; }
  /// A page for what would be device registers.
  uint64_t registers() const { return Registers; }

  void raiseEvent(uint32_t EventId) override { Events.raise(EventId); }
  void raiseMailboxEvents() override { Events.raiseFromMailboxes(); }
  void reportMemoryFault(uint64_t Address) override;

  void prepareForEnd() override;
  void explainFault(uint64_t PC) override;

private:
  Session &Owner;
  uint32_t Node;
  const DeviceModel &Model;
  EventTable &Events;
  Statistics Stats;
  uint64_t Registers = 0;
  std::unique_ptr<CommandProcessor> Processor;
};

/// Never destroyed: threads of the runtime wait in it until the very end.
class Session {
public:
  /// hsaKmtOpenKFD and hsaKmtCloseKFD. The session outlives the last close, as
  /// a runtime may be started again. A forked child has no session until it
  /// opens one, which is a new one.
  static HSAKMT_STATUS open();
  static HSAKMT_STATUS close();
  /// Null before the first open.
  static Session *current();
  /// In a forked child whose parent has a session, and that has none itself.
  static bool isForgotten();

  static constexpr uint32_t CpuNode = 0;
  uint32_t numNodes() const { return 1 + Gpus.size(); }
  /// Null if there is no GPU at \p Node.
  Gpu *gpu(uint32_t Node) const;
  const std::vector<std::unique_ptr<Gpu>> &gpus() const { return Gpus; }

  const Configuration &configuration() const { return Config; }
  EventTable &events() { return Events; }
  MemoryTable &memory() { return *Memory; }
  QueueTable &queues() { return Queues; }
  /// Null unless the user asked for it.
  Verifier *verifier() { return TheVerifier.get(); }

  void writeStatistics() const;

  using FaultHandler = void (*)(uint64_t PC);
  /// Of all sessions of the process.
  static void setFaultHandler(FaultHandler Handler);

private:
  explicit Session(Configuration Config) : Config(std::move(Config)) {}
  static Session *create(std::string &Error);

  Configuration Config;
  EventTable Events;
  std::unique_ptr<Verifier> TheVerifier;
  QueueTable Queues;
  std::vector<std::unique_ptr<Gpu>> Gpus;
  std::optional<MemoryTable> Memory;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_KMT_SESSION_H
