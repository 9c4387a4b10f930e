// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a kernel as it is or, if asked to, scrambled: then what the scrambled
// version leaves in memory is what the program sees, and with lockstep both
// have run side by side before, on copies of the device.
#ifndef LUTHIER_TEST_HIP_ON_EMULATOR_LAUNCH_H
#define LUTHIER_TEST_HIP_ON_EMULATOR_LAUNCH_H

#include "Module.h"
#include <array>

namespace luthier::hip {

struct LaunchShape {
  /// In work-items.
  std::array<uint32_t, 3> Grid, Workgroup;
  uint32_t DynamicLds = 0;
};

/// False if hardware would refuse. Whatever else goes wrong ends the process.
bool launch(Function &F, const LaunchShape &Shape,
            const std::vector<uint8_t> &Kernarg);

} // namespace luthier::hip

#endif // LUTHIER_TEST_HIP_ON_EMULATOR_LAUNCH_H
