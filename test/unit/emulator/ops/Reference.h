// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the randomised operation tests cover, for the coverage table.
#ifndef LUTHIER_TEST_UNIT_EMULATOR_OPS_REFERENCE_H
#define LUTHIER_TEST_UNIT_EMULATOR_OPS_REFERENCE_H

#include <string>
#include <vector>

namespace luthier::test {

/// Mnemonics, without encoding suffix, that are compared with an independent
/// evaluation on \p Processor.
std::vector<std::string> testedOperations(const std::string &Processor);

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_EMULATOR_OPS_REFERENCE_H
