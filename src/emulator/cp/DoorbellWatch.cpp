// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/cp/DoorbellWatch.h"

#include "emulator/cp/Clock.h"
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace luthier::emulator {

/// Not by libc's function, whose name the preloaded library has, too.
static long control(int File, unsigned long Request, void *Argument) {
  return ::syscall(SYS_ioctl, File, Request, Argument);
}

std::unique_ptr<DoorbellWatch> DoorbellWatch::create(const uint64_t *Doorbells,
                                                     uint64_t LongestSleep) {
  // Linux lets everybody watch the faults of their own code, and nobody has
  // Linux itself write to a doorbell.
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
      new DoorbellWatch(Doorbells, LongestSleep, Faults, End));
}

DoorbellWatch::DoorbellWatch(const uint64_t *Doorbells, uint64_t LongestSleep,
                             int Faults, int End)
    : Doorbells(Doorbells), Longest(LongestSleep), Faults(Faults), End(End) {
  struct stat Status{};
  ::fstat(Faults, &Status);
  Device = Status.st_dev;
  Inode = Status.st_ino;
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
  ::close(Faults);
  ::close(End);
}

/// Some programs close all descriptors that they did not open; the next files
/// get the numbers.
bool DoorbellWatch::isOpen() const {
  struct stat Status;
  return ::fstat(Faults, &Status) == 0 && Status.st_dev == Device &&
         Status.st_ino == Inode;
}

/// Where somebody writes. Nothing when the thread shall end, or can learn of no
/// more.
std::optional<uint64_t> DoorbellWatch::waitForFault() const {
  for (;;) {
    pollfd Files[] = {{Faults, POLLIN, 0}, {End, POLLIN, 0}};
    if (::poll(Files, 2, -1) < 0) {
      if (errno == EINTR)
        continue;
      return std::nullopt;
    }
    if (Files[1].revents || !isOpen())
      return std::nullopt;
    uffd_msg Message;
    const ssize_t Size = ::read(Faults, &Message, sizeof(Message));
    if (Size < 0 && (errno == EAGAIN || errno == EINTR))
      continue;
    if (Size != sizeof(Message))
      return std::nullopt;
    if (Message.event == UFFD_EVENT_PAGEFAULT)
      return Message.arg.pagefault.address;
  }
}

void DoorbellWatch::listen() {
  pthread_setname_np(pthread_self(), "luthier-rings");
  while (std::optional<uint64_t> Address = waitForFault())
    if (noteRing(*Address))
      Changed.notify_all();
  giveUp();
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

/// Queues look for rings from now on.
void DoorbellWatch::giveUp() {
  {
    std::lock_guard Guard(Lock);
    // Linux has done it where the file is gone.
    if (isOpen())
      for (const Pages &Each : Watched)
        release(Each);
    Watched.clear();
    IsArmed = false;
    IsOver = true;
    LastRung = nullptr;
    ++Rings;
  }
  Changed.notify_all();
}

/// Who waits for them goes on, and finds what is there.
void DoorbellWatch::release(const Pages &Where) const {
  uffdio_range Range{Where.Begin, Where.Size};
  control(Faults, UFFDIO_UNREGISTER, &Range);
  control(Faults, UFFDIO_WAKE, &Range);
}

/// False if they are not there any more, or not all of them; then they are not
/// watched. Who waits for pages that become writable goes on.
bool DoorbellWatch::setProtected(const Pages &Where, bool IsProtected) const {
  uffdio_writeprotect Change{};
  Change.range = {Where.Begin, Where.Size};
  Change.mode = IsProtected ? UFFDIO_WRITEPROTECT_MODE_WP : 0;
  if (control(Faults, UFFDIO_WRITEPROTECT, &Change) == 0)
    return true;
  release(Where);
  return false;
}

void DoorbellWatch::setProtected(bool IsProtected) {
  std::erase_if(Watched, [&](const Pages &Each) {
    return !setProtected(Each, IsProtected);
  });
  IsArmed = IsProtected;
}

void DoorbellWatch::add(void *Begin, size_t Size) {
  const Pages Where{reinterpret_cast<uint64_t>(Begin), Size};
  std::lock_guard Guard(Lock);
  // What was there before is gone.
  std::erase_if(Watched,
                [&](const Pages &Each) { return Each.Begin == Where.Begin; });
  if (IsOver)
    return;
  uffdio_register New{};
  New.range = {Where.Begin, Where.Size};
  New.mode = UFFDIO_REGISTER_MODE_WP;
  if (control(Faults, UFFDIO_REGISTER, &New) == 0 &&
      (!IsArmed || setProtected(Where, true)))
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

DoorbellWatch::Woken DoorbellWatch::sleep(uint64_t Armed, const uint64_t *Own) {
  std::unique_lock Guard(Lock);
  ++Sleepers;
  const bool IsRung =
      Changed.wait_for(Guard, Longest, [&] { return Rings != Armed; });
  --Sleepers;
  if (!IsRung)
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

unsigned DoorbellWatch::sleepers() {
  std::lock_guard Guard(Lock);
  return Sleepers;
}

} // namespace luthier::emulator
