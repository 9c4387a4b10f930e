// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Inst::AddressMode means for memory operations.
#ifndef LUTHIER_EMULATOR_ISA_ADDRESSMODE_H
#define LUTHIER_EMULATOR_ISA_ADDRESSMODE_H

#include <cstdint>

namespace luthier::emulator::address {

// Flat encodings.
inline constexpr uint16_t Generic = 0, Global = 1, Scratch = 2;
// Buffer encodings: which parts of the address come from VGPRs.
inline constexpr uint16_t OffsetEnable = 1, IndexEnable = 2;

} // namespace luthier::emulator::address

#endif // LUTHIER_EMULATOR_ISA_ADDRESSMODE_H
