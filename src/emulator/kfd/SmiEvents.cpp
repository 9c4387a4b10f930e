// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kfd/SmiEvents.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cerrno>
#include <fcntl.h>
#include <linux/kfd_ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace luthier::emulator {

/// The driver's file of a process's name holds no more.
static constexpr size_t LongestName = 15;

SmiEvents::~SmiEvents() {
  for (const Listener &L : Listeners)
    ::close(L.Fd);
}

int SmiEvents::listen(uint32_t GpuId) {
  // A pair of sockets takes masks and gives lines without further help, and
  // poll() knows when there is something to read.
  int Ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, Ends) != 0)
    return -1;
  ::fcntl(Ends[1], F_SETFD, FD_CLOEXEC);
  std::lock_guard Lock(Mutex);
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
  llvm::erase_if(Listeners, [&](Listener &L) {
    if (L.GpuId != GpuId)
      return false;
    L.Mask = readMask(L.Fd, L.Mask);
    if (!(L.Mask & KFD_SMI_EVENT_MASK_FROM_INDEX(Event)))
      return false;
    // Who does not read loses events, as with the driver.
    if (::send(L.Fd, Line.data(), Line.size(), MSG_NOSIGNAL) >= 0 ||
        errno != EPIPE)
      return false;
    ::close(L.Fd);
    return true;
  });
}

} // namespace luthier::emulator
