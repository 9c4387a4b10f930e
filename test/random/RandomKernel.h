// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random kernels: everything about one follows from its seed. They end, read
// only what was written, and compute the same whatever the order of waves.
#ifndef LUTHIER_TEST_RANDOM_RANDOMKERNEL_H
#define LUTHIER_TEST_RANDOM_RANDOMKERNEL_H

#include "Dice.h"
#include "EmulatedRun.h"

namespace luthier::test {

struct RandomKernel {
  std::shared_ptr<const CodeObject> Object;
  KernelLaunch Launch;
  /// What it was made from.
  std::string Source;
};

/// From LLVM IR: structured and unstructured control flow, divergence, calls of
/// functions, through pointers and with recursion, LDS with barriers, stack,
/// atomics, few or many registers.
llvm::Expected<RandomKernel> randomIRKernel(const EngineTarget &T,
                                            uint64_t Seed);
/// From assembly: EXEC, VCC, SCC and lanes used as no compiler would, registers
/// up to the last one.
llvm::Expected<RandomKernel> randomAssemblyKernel(const EngineTarget &T,
                                                  uint64_t Seed);

} // namespace luthier::test

#endif // LUTHIER_TEST_RANDOM_RANDOMKERNEL_H
