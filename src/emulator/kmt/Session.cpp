// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kmt/Session.h"

#include "emulator/cp/Report.h"
#include "emulator/strict/StrictMode.h"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <utility>

namespace luthier::emulator {

// Constant-initialised, so that loading the library runs no code.
static constinit std::atomic<Session *> Current{nullptr};
static constinit std::mutex OpenMutex;
static constinit unsigned OpenCount = 0;
/// HIP tries again with every call; once is enough to say why it fails.
static constinit bool OpenFailed = false;
static constinit std::atomic<bool> Forgotten{false};
static constinit std::atomic<Session::FaultHandler> OnFault{nullptr};

bool Gpu::start(const Configuration &Config, std::string &Error) {
  ShaderArray::Options Options;
  Options.Processor = Model.Name;
  Options.Seed = Config.Seed;
  Options.Threads = Config.Threads;
  Options.ComputeUnits = Model.ComputeUnits;
  if (Config.Strict.anyCheck()) {
    Options.Seed = Config.Strict.Seed.value_or(Config.Seed);
    // Without "continue", the dispatch's fault says the same.
    Options.Observe = strict::observer(
        Config.Strict, [Continue = Config.Strict.Continue](const auto &V) {
          if (Continue)
            reportError(V.text());
        });
  }
  Options.WatchdogNanoseconds = Config.WatchdogSeconds * 1'000'000'000;
  Options.WatchdogOnlyReports = Config.WatchdogOnlyReports;
  Options.InstructionLimit = Config.InstructionLimit;
  Options.Report = reportError;
  auto MakeShaders = [&](AddressSpace &Memory,
                         std::function<void(uint32_t)> Interrupt,
                         std::string &Error) {
    Options.Interrupt = std::move(Interrupt);
    return ShaderArray::create(Options, Memory, Error);
  };
  Processor = CommandProcessor::create(Model, MakeShaders, *this, Stats, Error);
  if (!Processor)
    return false;
  // Device code announces host calls by writing an event's mailbox.
  Processor->memory().map(Events.mailboxes(), Events.mailboxBytes());
  void *Page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (Page != MAP_FAILED)
    Registers = reinterpret_cast<uint64_t>(Page);
  return true;
}

void Gpu::explainFault(uint64_t PC) {
  if (Session::FaultHandler Handler = OnFault.load())
    Handler(PC);
}

void Session::setFaultHandler(FaultHandler Handler) { OnFault.store(Handler); }

void Gpu::reportMemoryFault(uint64_t Address) {
  if (Events.raiseMemoryFault(Node, Address))
    return;
  // Nobody could ever learn of it.
  reportError("no handler for memory faults is installed");
  std::abort();
}

/// ROCr ends the process with abort(), which runs no destructors and flushes
/// nothing. A stream that somebody else holds, who may wait for input for ever,
/// is left alone.
void Gpu::prepareForEnd() {
  Owner.writeStatistics();
  for (std::FILE *Stream : {stdout, stderr}) {
    if (::ftrylockfile(Stream) != 0)
      continue;
    ::fflush_unlocked(Stream);
    ::funlockfile(Stream);
  }
}

Session *Session::create(std::string &Error) {
  std::optional<Configuration> Config = Configuration::fromEnvironment(Error);
  if (!Config)
    return nullptr;
  std::unique_ptr<Session> New(new Session(std::move(*Config)));
  const Configuration &C = New->Config;
  if (!C.VerifyPath.empty())
    New->TheVerifier = std::make_unique<Verifier>(Verifier::Settings{
        C.VerifyPath, C.Seed, C.Strict, C.VerifySeconds * 1'000'000'000});
  for (const DeviceModel *Model : New->Config.Models)
    New->Gpus.push_back(
        std::make_unique<Gpu>(*New, New->numNodes(), *Model, New->Events));
  llvm::SmallVector<MemoryTable::Device, 1> Devices;
  for (auto &TheGpu : New->Gpus) {
    if (!TheGpu->start(New->Config, Error))
      return nullptr;
    CommandProcessor &Processor = TheGpu->processor();
    Processor.setJudge(New->verifier());
    Devices.push_back({TheGpu->node(), &Processor.memory(),
                       New->Config.LocalMemoryBytes,
                       [&Processor](uint64_t Begin, uint64_t End) {
                         Processor.shaders().invalidateCode(Begin, End);
                       }});
  }
  New->Memory.emplace(std::move(Devices));
  return New.release();
}

/// A child has the parent's memory but none of its threads. It starts without
/// a session; what it inherited is left alone.
static void handleForks() {
  static const int Registered =
      pthread_atfork([] { OpenMutex.lock(); }, [] { OpenMutex.unlock(); },
                     [] {
                       if (Current.exchange(nullptr))
                         Forgotten.store(true);
                       OpenCount = 0;
                       OpenMutex.unlock();
                     });
  (void)Registered;
}

HSAKMT_STATUS Session::open() {
  handleForks();
  std::lock_guard Lock(OpenMutex);
  if (OpenCount++ > 0)
    return HSAKMT_STATUS_KERNEL_ALREADY_OPENED;
  if (Current.load())
    return HSAKMT_STATUS_SUCCESS;
  std::string Error;
  Session *New = OpenFailed ? nullptr : create(Error);
  if (!New) {
    OpenCount = 0;
    if (!std::exchange(OpenFailed, true))
      reportError(Error);
    return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
  }
  Current.store(New);
  Forgotten.store(false);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Session::close() {
  std::lock_guard Lock(OpenMutex);
  if (OpenCount == 0)
    return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
  --OpenCount;
  return HSAKMT_STATUS_SUCCESS;
}

Session *Session::current() { return Current.load(std::memory_order_acquire); }

bool Session::isForgotten() { return Forgotten.load(); }

Gpu *Session::gpu(uint32_t Node) const {
  for (const auto &TheGpu : Gpus)
    if (TheGpu->node() == Node)
      return TheGpu.get();
  return nullptr;
}

void Session::writeStatistics() const {
  static constinit std::mutex OneAtATime;
  std::lock_guard Lock(OneAtATime);
  std::vector<const Statistics *> Devices;
  for (const auto &TheGpu : Gpus)
    Devices.push_back(&TheGpu->statistics());
  if (!Config.StatisticsPath.empty() &&
      !emulator::writeStatistics(Config.StatisticsPath, Devices))
    reportError("LUTHIER_EMULATOR_STATS: '" + Config.StatisticsPath +
                "' cannot be written");
}

} // namespace luthier::emulator
