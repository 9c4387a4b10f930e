// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process's view of the kernel driver and of the GPUs behind it. Nothing
// exists before somebody looks for a GPU, and then everything lives until the
// process ends.
#ifndef LUTHIER_EMULATOR_KFD_DRIVER_H
#define LUTHIER_EMULATOR_KFD_DRIVER_H

#include "emulator/kfd/Configuration.h"
#include "emulator/kfd/EventTable.h"
#include "emulator/kfd/Gpu.h"
#include "emulator/kfd/MemoryFile.h"
#include "emulator/kfd/MemoryTable.h"
#include "emulator/kfd/QueueTable.h"
#include "emulator/kfd/SharedFolder.h"
#include "emulator/kfd/SmiEvents.h"
#include "emulator/kfd/StatisticsWriter.h"
#include "emulator/kfd/SvmTable.h"
#include "emulator/verify/Verifier.h"
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace luthier::emulator {

/// Never destroyed: threads of the runtime wait in it until the very end.
class Driver final : public GpuOwner {
public:
  /// Makes it when it is first called, in each process: a forked child gets one
  /// of its own. Null if the configuration makes no sense, which is said once.
  static Driver *get();
  /// Null before the first get(), and in a forked child.
  static Driver *current();
  /// Whether \p Fd refers to this process's driver, or to that of the process
  /// it was forked from, which it cannot use.
  static bool owns(int Fd);

  const std::vector<std::unique_ptr<Gpu>> &gpus() const { return Gpus; }
  /// Null if there is none.
  Gpu *gpu(uint32_t GpuId) const;
  const Gpu *gpuOfRenderNode(uint64_t Minor) const;

  const Configuration &configuration() const { return Config; }
  MemoryFile &file() override { return *File; }
  EventTable &events() override { return Events; }
  SmiEvents &smiEvents() override { return Listeners; }
  MemoryTable &memory() { return *Memory; }
  SvmTable &svm() { return *Svm; }
  QueueTable &queues() { return Queues; }
  /// Null unless the user asked for it.
  Verifier *verifier() { return TheVerifier.get(); }
  /// Where the files of sysfs and devfs are.
  const std::string &filesFolder() const { return FilesFolder.path().native(); }

  /// Says, once, which devices the loaded runtime does not know.
  void checkRuntime();

  /// What was counted up to now, as if this were the process's end. Pipes get
  /// no such report if another comes at the end: it would be their second.
  void writeStatistics() override {
    Writer.write(StatisticsWriter::When::AtFault);
  }
  /// There is no later report.
  void writeLastStatistics() { Writer.writeLast(); }

  using FaultHandler = void (*)(uint64_t PC);
  /// Of all drivers of the process.
  static void setFaultHandler(FaultHandler Handler);
  void explainFault(uint64_t PC) const override;

private:
  explicit Driver(Configuration Config) : Config(std::move(Config)) {}
  static Driver *create(std::string &Error);
  static void handleForks();
  /// Writer alone calls it, for one report at a time.
  void write(StatisticsWriter::When When);

  Configuration Config;
  std::unique_ptr<MemoryFile> File;
  EventTable Events;
  SmiEvents Listeners;
  std::unique_ptr<Verifier> TheVerifier;
  QueueTable Queues;
  std::vector<std::unique_ptr<Gpu>> Gpus;
  std::optional<MemoryTable> Memory;
  std::optional<SvmTable> Svm;
  SharedFolder FilesFolder;
  std::once_flag RuntimeChecked;

  const std::chrono::steady_clock::time_point Start =
      std::chrono::steady_clock::now();
  std::vector<std::string> LeftForExec; ///< Files.
  StatisticsWriter Writer{[this](auto When) { write(When); }};
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_KFD_DRIVER_H
