// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of scalar registers, fields of MODE, and lanes of a wave.
#ifndef LUTHIER_EMULATOR_CORE_REGISTERS_H
#define LUTHIER_EMULATOR_CORE_REGISTERS_H

#include <cstdint>

namespace luthier::emulator {

/// Lanes of a register row. A wave of 32 lanes uses the first half of each.
inline constexpr unsigned NumLanes = 64;

/// Registers in the vector file before the first AGPR.
inline constexpr unsigned NumArchVgprs = 256;
/// AGPRs included.
inline constexpr unsigned NumVectorRegs = 2 * NumArchVgprs;

/// Scalar register numbers, as the encodings of generation 9 have them; the
/// decoder renumbers M0 and NULL of others. Wave::S is indexed with them, so
/// EXEC, VCC, M0 and SCC need no special case on reads.
namespace sreg {
inline constexpr unsigned FlatScratch = 102;
inline constexpr unsigned Vcc = 106;
inline constexpr unsigned TrapTemp = 108;
inline constexpr unsigned M0 = 124;
inline constexpr unsigned Exec = 126;
// Numbers that no encoding uses.
/// FLAT_SCRATCH where it is no SGPR pair.
inline constexpr unsigned HiddenFlatScratch = 192;
/// NULL as a source: always zero.
inline constexpr unsigned Null = 196;
/// NULL as a destination, with room for the widest load.
inline constexpr unsigned Sink = 200;
inline constexpr unsigned SinkSize = 32;
inline constexpr unsigned Vccz = 251;
inline constexpr unsigned Execz = 252;
inline constexpr unsigned Scc = 253;
/// As a source: what M0 points to in LDS.
inline constexpr unsigned LdsDirect = 254;
} // namespace sreg

/// MODE register fields.
namespace mode {
inline constexpr unsigned RoundSingle = 0; ///< 2 bits
inline constexpr unsigned RoundDouble = 2; ///< 2 bits, also f16
inline constexpr unsigned DenormSingle = 4;
inline constexpr unsigned DenormDouble = 6;
inline constexpr uint32_t Dx10Clamp = 1u << 8;
inline constexpr uint32_t Ieee = 1u << 9;
/// Half-precision results that overflow become the largest finite value.
inline constexpr uint32_t Fp16Overflow = 1u << 23;
inline constexpr uint32_t GprIndexEnable = 1u << 27;
/// Vector instructions have no effect.
inline constexpr uint32_t SkipVector = 1u << 28;
/// Depth of the stack that forks and joins keep in SGPRs.
inline constexpr unsigned ForkDepth = 29; ///< 3 bits
} // namespace mode

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CORE_REGISTERS_H
