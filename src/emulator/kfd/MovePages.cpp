// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By userfaultfd(2): who writes to protected pages waits until the descriptor
// is closed, and then finds what is mapped by then.
#include "emulator/kfd/MovePages.h"

#include "emulator/kfd/MapMemory.h"
#include "llvm/ADT/ScopeExit.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace luthier::emulator {

/// A descriptor that protects from writing, or -1. Faults in user mode are
/// enough, and need no privilege.
static int openFaultDescriptor() {
  const int Fd =
      int(::syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY));
  if (Fd < 0)
    return -1;
  uffdio_api Api{};
  Api.api = UFFD_API;
  Api.features = UFFD_FEATURE_PAGEFAULT_FLAG_WP;
  if (::ioctl(Fd, UFFDIO_API, &Api) == 0)
    return Fd;
  ::close(Fd);
  return -1;
}

bool canMovePages() {
  const int Fd = openFaultDescriptor();
  if (Fd >= 0)
    ::close(Fd);
  return Fd >= 0;
}

/// Pages of zeros are there already.
static void copyUnlessZero(char *To, const char *From, uint64_t Size) {
  constexpr uint64_t PageBytes = 4096;
  for (uint64_t At = 0; At != Size; At += PageBytes)
    if (std::any_of(From + At, From + At + PageBytes,
                    [](char C) { return C != 0; }))
      std::memcpy(To + At, From + At, PageBytes);
}

int movePagesToFile(void *Address, uint64_t Size, int File, uint64_t Offset) {
  // Only pages that are there can be protected.
  if (::madvise(Address, Size, MADV_POPULATE_READ) != 0)
    return errno;
  const int Fd = openFaultDescriptor();
  if (Fd < 0)
    return EOPNOTSUPP;
  const llvm::scope_exit Close([&] { ::close(Fd); });
  uffdio_register Register{};
  Register.range = {reinterpret_cast<uint64_t>(Address), Size};
  Register.mode = UFFDIO_REGISTER_MODE_WP;
  uffdio_writeprotect Protect{};
  Protect.range = Register.range;
  Protect.mode = UFFDIO_WRITEPROTECT_MODE_WP;
  if (::ioctl(Fd, UFFDIO_REGISTER, &Register) != 0 ||
      ::ioctl(Fd, UFFDIO_WRITEPROTECT, &Protect) != 0)
    return errno;
  void *Copy = mapMemory(nullptr, Size, MAP_SHARED, File, Offset);
  if (Copy == MAP_FAILED)
    return errno;
  copyUnlessZero(static_cast<char *>(Copy), static_cast<const char *>(Address),
                 Size);
  ::munmap(Copy, Size);
  const bool IsMapped = mapMemory(Address, Size, MAP_SHARED | MAP_FIXED, File,
                                  Offset) != MAP_FAILED;
  return IsMapped ? 0 : errno;
}

} // namespace luthier::emulator
