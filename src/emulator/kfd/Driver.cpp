// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kfd/Driver.h"

#include "emulator/cp/Report.h"
#include "emulator/kfd/RuntimeCheck.h"
#include "emulator/kfd/SystemFiles.h"
#include "llvm/ADT/STLExtras.h"
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <unistd.h>
#include <utility>

namespace luthier::emulator {

// Constant-initialised, so that loading the library runs no code.
static constinit std::atomic<Driver *> Current{nullptr};
/// Of the process that this one was forked from.
static constinit std::atomic<Driver *> Parents{nullptr};
static constinit std::mutex CreateMutex;
/// Runtimes try again with every call; once is enough to say why it fails.
static constinit bool HasFailed = false;
static constinit std::atomic<Driver::FaultHandler> OnFault{nullptr};

Driver *Driver::create(std::string &Error) {
  std::optional<Configuration> Config = Configuration::fromEnvironment(Error);
  if (!Config)
    return nullptr;
  std::unique_ptr<Driver> New(new Driver(std::move(*Config)));
  const Configuration &C = New->Config;
  New->File = MemoryFile::create(Error);
  if (!New->File)
    return nullptr;
  if (!C.VerifyPath.empty())
    New->TheVerifier = std::make_unique<Verifier>(Verifier::Settings{
        C.VerifyPath, C.Seed, C.Strict, C.VerifySeconds * 1'000'000'000});
  llvm::SmallVector<MemoryTable::Device, 1> Devices;
  for (const DeviceModel *Model : C.Models) {
    auto &TheGpu = New->Gpus.emplace_back(
        std::make_unique<Gpu>(*New, 1 + New->Gpus.size(), *Model));
    if (!TheGpu->start(C, Error))
      return nullptr;
    TheGpu->processor().setJudge(New->verifier());
    Devices.push_back(TheGpu->memoryDevice(C.LocalMemoryBytes));
  }
  New->Svm.emplace(Devices);
  New->Memory.emplace(*New->File, std::move(Devices));
  New->FilesFolder = writeSystemFiles(New->Gpus, C.LocalMemoryBytes, Error);
  if (New->filesFolder().empty())
    return nullptr;
  if (!C.StatisticsPath.empty() || !C.CountsPath.empty()) {
    New->Writer.start();
    // Runs no destructors.
    static const int Registered = at_quick_exit([] {
      if (Driver *D = current())
        D->writeLastStatistics();
    });
    (void)Registered;
  }
  return New.release();
}

/// A child has the parent's memory but none of its threads. It starts without a
/// driver; what it inherited is left alone.
void Driver::handleForks() {
  static const int Registered =
      pthread_atfork([] { CreateMutex.lock(); }, [] { CreateMutex.unlock(); },
                     [] {
                       if (Driver *Old = Current.exchange(nullptr))
                         Parents.store(Old);
                       CreateMutex.unlock();
                     });
  (void)Registered;
}

Driver *Driver::get() {
  if (Driver *Known = current())
    return Known;
  handleForks();
  std::lock_guard Lock(CreateMutex);
  if (Current.load() || HasFailed)
    return Current.load();
  std::string Error;
  Driver *New = create(Error);
  if (!New) {
    HasFailed = true;
    reportError(Error);
  }
  Current.store(New, std::memory_order_release);
  return New;
}

Driver *Driver::current() { return Current.load(std::memory_order_acquire); }

bool Driver::owns(int Fd) {
  for (Driver *D : {current(), Parents.load()})
    if (D && D->File->owns(Fd))
      return true;
  return false;
}

Gpu *Driver::gpu(uint32_t GpuId) const {
  for (const auto &Each : Gpus)
    if (Each->id() == GpuId)
      return Each.get();
  return nullptr;
}

const Gpu *Driver::gpuOfRenderNode(uint64_t Minor) const {
  for (const auto &Each : Gpus)
    if (uint64_t(Each->renderMinor()) == Minor)
      return Each.get();
  return nullptr;
}

void Driver::setFaultHandler(FaultHandler Handler) { OnFault.store(Handler); }

void Driver::explainFault(uint64_t PC) const {
  if (FaultHandler Handler = OnFault.load())
    Handler(PC);
}

void Driver::checkRuntime() {
  std::call_once(RuntimeChecked, [this] {
    for (const std::string &Line :
         unknownDevices(loadedRuntimeLibraries(), Config.Models))
      reportError(Line);
  });
}

void Driver::write(StatisticsWriter::When When) {
  using enum StatisticsWriter::When;
  ReportOrigin Origin = {getpid(), ""};
  if (When == InBetween) {
    if (llvm::all_of(Gpus, [](auto &G) { return G->statistics().empty(); }))
      return;
    const auto Age = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - Start);
    Origin.Ended =
        "not yet: counts of its first " + std::to_string(Age.count()) + " ms";
  }
  // No other program was started: what is written now has all that they have.
  for (const std::string &File : LeftForExec)
    unlink(File.c_str());
  LeftForExec.clear();
  auto Write = [&](const char *Variable, const std::string &Path,
                   const std::string &Text) {
    if (When == InBetween || (When == AtFault && Writer.seesAllEnds()))
      return writeReportInBetween(Path, Text);
    if (!writeReport(Path, Text))
      reportError(std::string(Variable) + ": '" + Path + "' cannot be written");
    else if (When == AtExec)
      LeftForExec.push_back(setReportAside(Path));
  };
  if (!Config.StatisticsPath.empty()) {
    std::vector<const Statistics *> Devices;
    for (const auto &Each : Gpus)
      Devices.push_back(&Each->statistics());
    Write("LUTHIER_EMULATOR_STATS", Config.StatisticsPath,
          statisticsJson(Devices, Origin));
  }
  if (!Config.CountsPath.empty()) {
    std::vector<const InstructionCounts *> Devices;
    for (const auto &Each : Gpus)
      Devices.push_back(&Each->instructionCounts());
    Write("LUTHIER_EMULATOR_COUNTS", Config.CountsPath,
          instructionCountsJson(Devices, Origin));
  }
}

} // namespace luthier::emulator
