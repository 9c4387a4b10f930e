// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LDS-direct: one value of LDS for all lanes, whose address and type M0 has.
#ifndef LUTHIER_EMULATOR_ISA_LDSDIRECT_H
#define LUTHIER_EMULATOR_ISA_LDSDIRECT_H

#include <cstdint>

namespace luthier::emulator {

struct Wave;

/// The value, extended to a dword; 0 and a fault where \p M0 names no dword of
/// the workgroup's LDS, or a type that does not exist.
uint32_t readLdsDirect(Wave &W, uint32_t M0);

/// The lanes that a load writes: those of each quad of which one is active.
uint64_t wholeQuads(uint64_t Exec);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_ISA_LDSDIRECT_H
