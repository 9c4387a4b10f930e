// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's answer to "has this processor this opcode".
#ifndef LUTHIER_TEST_UNIT_EMULATOR_COVERAGE_AVAILABILITY_H
#define LUTHIER_TEST_UNIT_EMULATOR_COVERAGE_AVAILABILITY_H

namespace llvm {
class FeatureBitset;
}

namespace luthier::test {

bool isAvailable(unsigned Opcode, const llvm::FeatureBitset &Features);

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_EMULATOR_COVERAGE_AVAILABILITY_H
