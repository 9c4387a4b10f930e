// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembly text to machine code, in process.
#ifndef LUTHIER_TEST_UNIT_EMULATOR_ASSEMBLER_H
#define LUTHIER_TEST_UNIT_EMULATOR_ASSEMBLER_H

#include <cstdint>
#include <string>
#include <vector>

namespace luthier::test {

/// The .text section of \p Source. Prints what is wrong and returns nothing
/// when it does not assemble. The wave size matters where a target has two.
std::vector<uint8_t> assemble(const std::string &Source,
                              const std::string &Processor = "gfx90a",
                              unsigned WaveSize = 64);

/// The object file of \p Source, which may name sections and symbols.
std::vector<uint8_t> assembleObject(const std::string &Source,
                                    const std::string &Processor,
                                    unsigned WaveSize);

/// The machine code of each line, padded; nothing, and no message, for a line
/// that does not assemble.
std::vector<std::vector<uint8_t>>
assembleEach(const std::vector<std::string> &Lines,
             const std::string &Processor, unsigned WaveSize);

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_EMULATOR_ASSEMBLER_H
