// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Alone in this file because LLVM's generated table is slow to compile.
#include "Availability.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include <cassert>
#include <cstdint>
#include <iterator>

// The generated functions must not meet another copy of themselves.
#define AMDGPU LuthierCoverageAMDGPU
#define AMDGPU_MC LuthierCoverageAMDGPUMC
#define GET_SUBTARGETINFO_ENUM
#include "AMDGPUGenSubtargetInfo.inc"
#define GET_COMPUTE_FEATURES
#define GET_AVAILABLE_OPCODE_CHECKER
#include "AMDGPUGenInstrInfo.inc"

namespace luthier::test {

bool isAvailable(unsigned Opcode, const llvm::FeatureBitset &Features) {
  return llvm::LuthierCoverageAMDGPUMC::isOpcodeAvailable(Opcode, Features);
}

} // namespace luthier::test
