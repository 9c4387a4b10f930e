// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scrambled versions of kernels, made when they are first launched.
#ifndef LUTHIER_TEST_HIP_ON_EMULATOR_SCRAMBLED_H
#define LUTHIER_TEST_HIP_ON_EMULATOR_SCRAMBLED_H

#include "Module.h"
#include "rewrite/Instrumenter.h"

namespace luthier::hip {

struct Scrambled {
  luthier_emu_code *Code = nullptr;
  InstrumentedKernel Kernel;
  luthier_emu_kernel_info Info;
  /// Device addresses.
  std::vector<luthier_emu_pc_pair> Map;
};

/// \p ApplicationStack: bytes of a work-item that the launch gives the
/// original. Ends the process where the engine refuses.
const Scrambled &scrambled(Function &F, uint32_t ApplicationStack);

} // namespace luthier::hip

#endif // LUTHIER_TEST_HIP_ON_EMULATOR_SCRAMBLED_H
