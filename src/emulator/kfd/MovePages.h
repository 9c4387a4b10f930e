// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts other pages behind memory that is in use. Device memory is private to
// the process, for the sake of huge pages, until somebody exports it; then its
// pages have to be those of the memory file.
#ifndef LUTHIER_EMULATOR_KFD_MOVEPAGES_H
#define LUTHIER_EMULATOR_KFD_MOVEPAGES_H

#include <cstdint>

namespace luthier::emulator {

/// Whether this system lets us; some containers do not.
bool canMovePages();

/// Copies \p Size bytes at \p Address (whole pages) to \p File at \p Offset,
/// where zeros are, and maps that there in their place. Threads that write
/// meanwhile wait; nothing that they write is lost. 0 or what errno shall be.
int movePagesToFile(void *Address, uint64_t Size, int File, uint64_t Offset);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_KFD_MOVEPAGES_H
