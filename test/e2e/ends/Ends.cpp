// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that launches a kernel three times, prints "counted 192" and ends
// in some way:
//
//   ends FILE MODE
//
// In modes that begin with "running", it launches once, prints nothing, and
// does not wait: FILE has to have a kernel that takes long.
#include "../hsa/Hsa.h"
#include <cerrno>
#include <csignal>
#include <exception>
#include <map>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr unsigned Launches = 3;

struct Device {
  hsa_agent_t Gpu = {0};
  hsa_queue_t *Queue = nullptr;
  uint64_t Kernel = 0;
  unsigned *Count = nullptr;
  unsigned **Arguments = nullptr;

  explicit Device(const char *File) {
    CHECK(hsa_init());
    Gpu = findAgent(HSA_DEVICE_TYPE_GPU);
    CHECK(hsa_queue_create(Gpu, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr,
                           UINT32_MAX, UINT32_MAX, &Queue));
    Kernel = load(File, Gpu).Kernel;
    Count = sharedMemory<unsigned>(Gpu);
    Arguments = sharedMemory<unsigned *>(Gpu);
    *Arguments = Count;
  }
  /// Returns the lanes that have run.
  unsigned use() {
    for (unsigned I = 0; I != Launches; ++I)
      launch(Queue, Kernel, Arguments);
    finish(Queue);
    return __atomic_load_n(Count, __ATOMIC_ACQUIRE);
  }
};

const char *File;
bool HasData = false;
Device *D;

[[noreturn]] void waitForEver() {
  for (;;)
    ::pause();
}

void expect(bool Condition, const char *What) {
  if (Condition)
    return;
  std::printf("wrong: %s\n", What);
  std::fflush(stdout);
}

sighandler_t handlerOf(int Signal) {
  struct sigaction Now;
  ::sigaction(Signal, nullptr, &Now);
  return Now.sa_handler;
}

void askForHandlers() {
  expect(handlerOf(SIGTERM) == SIG_DFL, "sigaction() does not say SIG_DFL");
  expect(::signal(SIGTERM, SIG_IGN) == SIG_DFL, "signal() does not say so");
  expect(handlerOf(SIGTERM) == SIG_IGN, "SIG_IGN was not set");
  ::raise(SIGTERM);
  expect(::signal(SIGTERM, SIG_DFL) == SIG_IGN, "SIG_IGN was not kept");
  expect(handlerOf(SIGTERM) == SIG_DFL, "sigaction() does not say so again");
  struct sigaction Mine = {}, Before;
  Mine.sa_handler = [](int) {};
  ::sigaction(SIGUSR1, &Mine, &Before);
  expect(Before.sa_handler == SIG_DFL, "there was a handler");
  ::raise(SIGUSR1);
  expect(handlerOf(SIGUSR1) == Mine.sa_handler, "the handler is not kept");
  ::sigaction(SIGUSR1, &Before, nullptr);
  expect(handlerOf(SIGUSR1) == SIG_DFL, "the default has not come back");
}

/// Handles the signal as crash reporters do.
void reportAndDie(int Signal) {
  ::signal(Signal, SIG_DFL);
  ::raise(Signal);
}

void waitFor(pid_t Child) {
  int Status = 0;
  ::waitpid(Child, &Status, 0);
  std::printf("child %x\n", unsigned(Status));
  std::fflush(stdout);
}

int useInChildren() {
  std::vector<pid_t> Children;
  for (int I = 0; I != 3; ++I) {
    const pid_t Child = ::fork();
    if (!Child) {
      const unsigned Counted = Device(File).use();
      ::_exit(Counted == Launches * Lanes ? I : 99);
    }
    Children.push_back(Child);
  }
  for (pid_t Child : Children)
    waitFor(Child);
  return 0;
}

void endChildren() {
  if (const pid_t Child = ::fork())
    waitFor(Child);
  else
    ::_exit(5);
  if (const pid_t Child = ::fork())
    waitFor(Child);
  else
    ::raise(SIGTERM);
  if (const pid_t Child = ::vfork())
    waitFor(Child);
  else
    ::execl("/bin/false", "false", nullptr);
}

void startMissing() {
  expect(::execl("/no/such/program", "x", nullptr) == -1 && errno == ENOENT,
         "what is missing was started");
  expect(::execlp("no-such-program", "x", nullptr) == -1 && errno == ENOENT,
         "what is missing was started");
  ::_exit(D->Kernel ? 6 : 0);
}

/// A file that may be executed, but is none.
void startNoProgram() {
  const int File = ::memfd_create("text", 0);
  expect(::write(File, "text", 4) == 4, "there is no file");
  char Name[] = "text";
  char *Arguments[] = {Name, nullptr};
  expect(::fexecve(File, Arguments, environ) == -1 && errno == ENOEXEC,
         "what is no program was started");
  std::printf("counted %u\n", D->use());
  std::fflush(stdout);
  ::_exit(6);
}

void waitForAlarm() {
  const itimerval Soon = {{0, 0}, {0, 1000}};
  ::setitimer(ITIMER_REAL, &Soon, nullptr);
  waitForEver();
}

void signalAnotherThread() {
  std::thread Other(waitForEver);
  ::pthread_kill(Other.native_handle(), SIGUSR2);
  waitForEver();
}

void signalTwice() {
  // As timeout(1) does.
  ::kill(::getpid(), SIGTERM);
  ::kill(::getpid(), SIGTERM);
  waitForEver();
}

void fault() { *static_cast<volatile int *>(nullptr) = 1; }

void faultOnDevice() {
  *D->Arguments = reinterpret_cast<unsigned *>(0x1000);
  launch(D->Queue, D->Kernel, D->Arguments);
  waitForEver();
}

void becomeMyself() {
  ::execl("/proc/self/exe", "ends", File, "exit", nullptr);
}

/// For longer than anybody waits.
void launchManyWaves() {
  uint64_t At;
  auto *Packet = reserve<hsa_kernel_dispatch_packet_t>(D->Queue, At);
  Packet->workgroup_size_x = Lanes;
  Packet->grid_size_x = 1u << 30;
  Packet->workgroup_size_y = Packet->workgroup_size_z = 1;
  Packet->grid_size_y = Packet->grid_size_z = 1;
  Packet->kernel_object = D->Kernel;
  Packet->kernarg_address = D->Arguments;
  constexpr uint32_t OneDimension = 1u << 16;
  publish(D->Queue, Packet,
          OneDimension | HSA_PACKET_TYPE_KERNEL_DISPATCH
                             << HSA_PACKET_HEADER_TYPE,
          At);
  waitForEver();
}

/// Until it is dead, as users do.
void signalAgainAndAgain() {
  const pid_t Parent = ::getpid();
  if (::fork() != 0)
    waitForEver();
  while (::getppid() == Parent && ::kill(Parent, SIGTERM) == 0)
    ::sched_yield();
  ::_exit(0);
}

const std::map<std::string, void (*)()> Ends = {
    {"exit", [] { std::exit(7); }},
    {"exit-without-stderr",
     [] {
       ::close(STDERR_FILENO);
       std::exit(7);
     }},
    {"exit-without-streams",
     [] {
       for (int Fd = 0; Fd != 3; ++Fd)
         ::close(Fd);
       std::exit(7);
     }},
    {"_exit", [] { ::_exit(3); }},
    {"_Exit", [] { std::_Exit(4); }},
    {"quick_exit", [] { std::quick_exit(5); }},
    {"_exit-in-handler",
     [] {
       ::signal(SIGTERM, [](int) { ::_exit(8); });
       ::raise(SIGTERM);
     }},
    {"SIGTERM",
     [] {
       ::kill(::getpid(), SIGTERM);
       waitForEver();
     }},
    {"SIGINT", [] { ::raise(SIGINT); }},
    {"SIGSTKFLT", [] { ::raise(SIGSTKFLT); }},
    {"SIGRTMIN+3", [] { ::raise(SIGRTMIN + 3); }},
    {"SIGALRM", waitForAlarm},
    {"SIGUSR2", signalAnotherThread},
    {"two-signals", signalTwice},
    {"SIGABRT", [] { std::abort(); }},
    {"terminate", [] { std::terminate(); }},
    {"SIGSEGV", fault},
    {"SIGSEGV-reported",
     [] {
       ::signal(SIGSEGV, reportAndDie);
       fault();
     }},
    {"asks",
     [] {
       askForHandlers();
       std::exit(0);
     }},
    {"device-fault", faultOnDevice},
    {"exec", [] { ::execl("/bin/sh", "sh", "-c", "exit 9", nullptr); }},
    {"execlp", [] { ::execlp("sh", "sh", "-c", "exit 9", nullptr); }},
    {"exec-itself", becomeMyself},
    {"exec-missing", startMissing},
    {"exec-failing", startNoProgram},
    {"children-end",
     [] {
       endChildren();
       std::exit(0);
     }},
    {"running-exit", [] { std::exit(7); }},
    {"running-exit-SIGALRM",
     [] {
       const itimerval Soon = {{0, 0}, {0, 300'000}};
       ::setitimer(ITIMER_REAL, &Soon, nullptr);
       std::exit(7);
     }},
    {"running-_exit", [] { ::_exit(3); }},
    {"exit-with-data-as-stderr",
     [] {
       ::close(STDERR_FILENO);
       HasData = ::memfd_create("data", 0) == STDERR_FILENO;
       std::exit(7);
     }},
    {"running-many-SIGTERM", signalAgainAndAgain},
    {"running-SIGTERM", [] { ::raise(SIGTERM); }},
    {"running-many-waves", launchManyWaves},
};

} // namespace

/// After Luthier's end, which is registered later.
void lookAtData() {
  struct stat About = {};
  if (HasData)
    ::fstat(STDERR_FILENO, &About);
  expect(About.st_size == 0, "the program's file has been written to");
}

int main(int Argc, char **Argv) {
  if (Argc != 3)
    return 2;
  std::atexit(lookAtData);
  File = Argv[1];
  const std::string Mode = Argv[2];
  if (Mode == "children-use")
    return useInChildren();
  const auto End = Ends.find(Mode);
  if (End == Ends.end())
    return 2;
  D = new Device(File);
  if (Mode.starts_with("running"))
    launch(D->Queue, D->Kernel, D->Arguments);
  else
    std::printf("counted %u\n", D->use());
  std::fflush(stdout);
  End->second();
}
