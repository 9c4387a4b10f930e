// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mmap(2) for the driver itself: by its name it would come back to the driver
// through the preloaded library.
#ifndef LUTHIER_EMULATOR_KFD_MAPMEMORY_H
#define LUTHIER_EMULATOR_KFD_MAPMEMORY_H

#include <cstdint>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace luthier::emulator {

/// For reading and writing. MAP_FAILED and errno if that fails.
inline void *mapMemory(void *Address, uint64_t Size, int Flags, int File,
                       uint64_t Offset) {
  return reinterpret_cast<void *>(::syscall(
      SYS_mmap, Address, Size, PROT_READ | PROT_WRITE, Flags, File, Offset));
}

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_KFD_MAPMEMORY_H
