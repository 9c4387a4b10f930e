// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// VGPRs that functions leave as they were: v40-v47, v56-v63 and so on to
// v248-v255 (AMDGPUUsage, "Non-Kernel Functions").
#ifndef LUTHIER_LIFT_CALLEESAVED_H
#define LUTHIER_LIFT_CALLEESAVED_H

#include "luthier/RegisterSet.h"

namespace llvm {
class MachineFunction;
}

namespace luthier {

/// By functions that nothing is known of.
RegisterSet calleeSavedVGPRs();

/// Those of them that \p MF puts away before it does anything else with them,
/// and that in the order of its code it last takes back from there. Who does
/// not do that need not keep to what compilers agreed on.
RegisterSet calleeSavedVGPRs(const llvm::MachineFunction &MF);

} // namespace luthier

#endif // LUTHIER_LIFT_CALLEESAVED_H
