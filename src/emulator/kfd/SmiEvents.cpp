// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kfd/SmiEvents.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cerrno>
#include <fcntl.h>
#include <linux/kfd_ioctl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace luthier::emulator {

/// The driver's file of a process's name holds no more.
static constexpr size_t LongestName = 15;

SmiEvents::~SmiEvents() {
  for (const Listener &L : Listeners)
    ::close(L.Fd);
}

/// A driver is told of a close; the other end of a socket has to be asked.
static bool hasLeft(int Fd) {
  pollfd Poll{Fd, 0, 0};
  return ::poll(&Poll, 1, /*timeout=*/0) == 1 && Poll.revents & POLLHUP;
}

void SmiEvents::dropThoseWhoLeft() {
  llvm::erase_if(Listeners, [](const Listener &L) {
    if (!hasLeft(L.Fd))
      return false;
    ::close(L.Fd);
    return true;
  });
}

int SmiEvents::listen(uint32_t GpuId) {
  // A pair of sockets takes masks and gives lines without further help, and
  // poll() knows when there is something to read.
  int Ends[2];
  std::lock_guard Lock(Mutex);
  dropThoseWhoLeft();
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
                   Ends) != 0)
    return -1;
  // The driver's descriptor goes on into programs that the caller starts.
  ::fcntl(Ends[0], F_SETFD, 0);
  Listeners.push_back({GpuId, Ends[1]});
  return Ends[0];
}

void SmiEvents::reportMemoryFault(uint32_t GpuId) {
  const std::string Process =
      llvm::utohexstr(uint64_t(::getpid()), /*LowerCase=*/true);
  const llvm::StringRef Name = program_invocation_short_name;
  report(GpuId, KFD_SMI_EVENT_VMFAULT,
         Process + ":" + Name.take_front(LongestName).str());
}

/// The mask that was written last.
static uint64_t readMask(int Fd, uint64_t Mask) {
  uint64_t Written;
  while (::recv(Fd, &Written, sizeof(Written), 0) == sizeof(Written))
    Mask = Written;
  return Mask;
}

void SmiEvents::report(uint32_t GpuId, unsigned Event,
                       const std::string &Text) {
  const std::string Line = llvm::utohexstr(Event, true) + " " + Text + "\n";
  std::lock_guard Lock(Mutex);
  dropThoseWhoLeft();
  for (Listener &L : Listeners) {
    if (L.GpuId != GpuId)
      continue;
    L.Mask = readMask(L.Fd, L.Mask);
    // Who does not read loses events, as with the driver.
    if (L.Mask & KFD_SMI_EVENT_MASK_FROM_INDEX(Event))
      (void)::send(L.Fd, Line.data(), Line.size(), MSG_NOSIGNAL);
  }
}

} // namespace luthier::emulator
