// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/cp/DoorbellWatch.h"

#include "emulator/cp/Clock.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace luthier::emulator {

/// Not by libc's function, whose name the preloaded library has, too.
static long control(int File, unsigned long Request, void *Argument) {
  return ::syscall(SYS_ioctl, File, Request, Argument);
}

std::unique_ptr<DoorbellWatch>
DoorbellWatch::create(const uint64_t *Doorbells) {
  // Linux lets everybody have those that see no faults of its own, and nobody
  // has it write to a doorbell.
  const int Faults = int(
      ::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY));
  if (Faults < 0)
    return nullptr;
  uffdio_api Api{};
  Api.api = UFFD_API;
  Api.features = UFFD_FEATURE_PAGEFAULT_FLAG_WP |
                 UFFD_FEATURE_WP_HUGETLBFS_SHMEM | UFFD_FEATURE_EXACT_ADDRESS;
  const int End =
      control(Faults, UFFDIO_API, &Api) == 0 ? ::eventfd(0, EFD_CLOEXEC) : -1;
  if (End < 0) {
    ::close(Faults);
    return nullptr;
  }
  return std::unique_ptr<DoorbellWatch>(
      new DoorbellWatch(Doorbells, Faults, End));
}

DoorbellWatch::DoorbellWatch(const uint64_t *Doorbells, int Faults, int End)
    : Doorbells(Doorbells), Faults(Faults), End(End) {
  // The application's signal handlers are not meant to run on our threads; a
  // new thread inherits the mask.
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  Listener = std::thread([this] { listen(); });
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

DoorbellWatch::~DoorbellWatch() {
  const uint64_t One = 1;
  while (::write(End, &One, sizeof(One)) < 0 && errno == EINTR)
    ;
  Listener.join();
  // Nothing is watched any more.
  ::close(Faults);
  ::close(End);
}

void DoorbellWatch::listen() {
  pthread_setname_np(pthread_self(), "luthier-rings");
  pollfd Files[] = {{Faults, POLLIN, 0}, {End, POLLIN, 0}};
  while (::poll(Files, 2, -1) >= 0 || errno == EINTR) {
    if (Files[1].revents)
      return;
    uffd_msg Message;
    if (::read(Faults, &Message, sizeof(Message)) != sizeof(Message))
      continue;
    if (noteRing(Message.arg.pagefault.address))
      Changed.notify_all();
  }
}

/// False where an earlier ring has woken everybody: several may come at once.
bool DoorbellWatch::noteRing(uint64_t Address) {
  std::lock_guard Guard(Lock);
  if (!IsArmed)
    return false;
  for (const Pages &Each : Watched)
    if (Address - Each.Begin < Each.Size)
      LastRung = Doorbells + (Address - Each.Begin) / sizeof(*Doorbells);
  ++Rings;
  // The first one makes it likely that others follow.
  noteWork(hostNanoseconds());
  setProtected(false);
  return true;
}

/// False if they are not there any more. Who waits for pages that become
/// writable goes on.
bool DoorbellWatch::setProtected(const Pages &Where, bool IsProtected) const {
  uffdio_writeprotect Change{};
  Change.range = {Where.Begin, Where.Size};
  Change.mode = IsProtected ? UFFDIO_WRITEPROTECT_MODE_WP : 0;
  long Result;
  do
    Result = control(Faults, UFFDIO_WRITEPROTECT, &Change);
  while (Result < 0 && errno == EAGAIN);
  return Result == 0;
}

void DoorbellWatch::setProtected(bool IsProtected) {
  std::erase_if(Watched, [&](const Pages &Each) {
    return !setProtected(Each, IsProtected);
  });
  IsArmed = IsProtected;
}

void DoorbellWatch::add(void *Begin, size_t Size) {
  uffdio_register New{};
  New.range = {reinterpret_cast<uint64_t>(Begin), Size};
  New.mode = UFFDIO_REGISTER_MODE_WP;
  if (control(Faults, UFFDIO_REGISTER, &New) != 0)
    return;
  std::lock_guard Guard(Lock);
  const Pages Where{New.range.start, New.range.len};
  if (!IsArmed || setProtected(Where, true))
    Watched.push_back(Where);
}

std::optional<uint64_t> DoorbellWatch::arm(uint64_t Now) {
  std::lock_guard Guard(Lock);
  // Another thread's clock may be ahead of Now.
  if (Now < LastWork.load(std::memory_order_relaxed) + QuietTime)
    return std::nullopt;
  if (!IsArmed)
    setProtected(true);
  if (Watched.empty())
    return std::nullopt;
  return Rings;
}

DoorbellWatch::Woken DoorbellWatch::sleep(uint64_t Armed, const uint64_t *Own,
                                          uint64_t Longest) {
  std::unique_lock Guard(Lock);
  if (!Changed.wait_for(Guard, std::chrono::nanoseconds(Longest),
                        [&] { return Rings != Armed; }))
    return Woken::ByTime;
  return LastRung == Own ? Woken::ByOwnRing : Woken::ByOthers;
}

void DoorbellWatch::wake() {
  {
    std::lock_guard Guard(Lock);
    LastRung = nullptr;
    ++Rings;
  }
  Changed.notify_all();
}

} // namespace luthier::emulator
