// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of every operation in scope of the emulator, in each encoding
// that LLVM has for it, with operands by chance. Memory operations have their
// addresses in registers that giveAddresses() fills.
#ifndef LUTHIER_TEST_UNIT_ANALYSIS_OPERATIONSAMPLES_H
#define LUTHIER_TEST_UNIT_ANALYSIS_OPERATIONSAMPLES_H

#include "EmulatedWave.h"
#include "Kernels.h"
#include <map>
#include <random>
#include <string>
#include <vector>

namespace luthier::test {

struct OperationSample {
  std::string Operation; ///< As in docs/emulator-coverage.md.
  std::vector<uint32_t> Code;
};

struct OperationSamples {
  /// Registers are v0 to v63 and s0 to s95.
  static constexpr unsigned VGPRs = 64;
  std::vector<OperationSample> Samples;
  /// All operations in scope, and for those without a sample why.
  std::map<std::string, std::string> Operations;
};

OperationSamples makeSamples(const TargetCase &Target, std::mt19937_64 &Random);

/// Makes the addresses of \p MI lead to where a wave may read and write.
void giveAddresses(const llvm::MachineInstr &MI, uint64_t Memory,
                   const TargetCase &Target, WaveState &State);

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_ANALYSIS_OPERATIONSAMPLES_H
