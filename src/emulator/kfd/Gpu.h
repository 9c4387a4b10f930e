// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An emulated GPU and its place in the topology.
#ifndef LUTHIER_EMULATOR_KFD_GPU_H
#define LUTHIER_EMULATOR_KFD_GPU_H

#include "emulator/cp/CommandProcessor.h"
#include "emulator/cp/DoorbellWatch.h"
#include "emulator/cp/InstructionCounts.h"
#include "emulator/cp/Statistics.h"
#include "emulator/kfd/Backend.h"
#include "emulator/kfd/Configuration.h"
#include "emulator/kfd/EventTable.h"
#include "emulator/kfd/MemoryFile.h"
#include "emulator/kfd/MemoryTable.h"
#include "emulator/kfd/SmiEvents.h"
#include <cstdint>
#include <memory>
#include <string>

namespace luthier::emulator {

/// What the GPUs of a process share.
class GpuOwner {
public:
  virtual MemoryFile &file() = 0;
  virtual EventTable &events() = 0;
  virtual SmiEvents &smiEvents() = 0;
  virtual void writeStatistics() = 0;
  virtual void explainFault(uint64_t PC) const = 0;

protected:
  ~GpuOwner() = default;
};

class Gpu final : public Host {
public:
  /// Node 0 is the CPU; GPUs follow.
  Gpu(GpuOwner &Owner, uint32_t Node, const DeviceModel &Model);

  /// False, with a message, if there is no shader array for the device.
  bool start(const Configuration &Config, std::string &Error);

  uint32_t node() const { return Node; }
  /// As the driver's interface names it.
  uint32_t id() const { return 0xb000 + Node; }
  int renderMinor() const { return 127 + int(Node); }
  /// Bus in bits 8 to 15, device and function below.
  uint32_t pciLocation() const { return 0x2900 + (Node << 8); }
  uint64_t uniqueId() const { return 0x6c75746869657200 + Node; }
  const DeviceModel &model() const { return Model; }
  CommandProcessor &processor() const { return *Processor; }
  const Statistics &statistics() const { return Stats; }
  const InstructionCounts &instructionCounts() const { return Counts; }
  uint64_t *doorbells() const { return Doorbells; }
  /// Null where Linux offers none.
  DoorbellWatch *doorbellWatch() const { return Watch.get(); }
  /// The runtime has mapped them there.
  void watchDoorbells(void *Begin, uint64_t Size) const {
    if (Watch)
      Watch->add(Begin, Size);
  }
  uint64_t doorbellOffset() const {
    return MemoryFile::doorbellOffset(Node - 1);
  }
  /// What libdrm says about it.
  const luthier_kfd_gpu &drmInfo() const { return DrmInfo; }
  MemoryTable::Device memoryDevice(uint64_t LocalBytes) const;

  void raiseEvent(uint32_t EventId) override;
  void raiseMailboxEvents() override;
  void reportMemoryFault(uint64_t Address) override;
  void prepareForEnd() override;
  void explainFault(uint64_t PC) override;

private:
  GpuOwner &Owner;
  uint32_t Node;
  const DeviceModel &Model;
  std::string Name;
  luthier_kfd_gpu DrmInfo;
  Statistics Stats;
  InstructionCounts Counts;
  uint64_t *Doorbells = nullptr;
  std::unique_ptr<DoorbellWatch> Watch;
  std::unique_ptr<CommandProcessor> Processor;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_KFD_GPU_H
