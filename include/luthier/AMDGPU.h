// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The AMDGPU target as tools see it: opcodes (llvm::AMDGPU::V_READLANE_B32),
// registers, and the classification of instructions (llvm::SIInstrInfo). These
// headers are private to LLVM's target; against the shared libLLVM, only what
// is inline or virtual in them can be used.
#ifndef LUTHIER_AMDGPU_H
#define LUTHIER_AMDGPU_H

#include "luthier/detail/HipMacros.h"

#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIInstrInfo.h"
#include "SIRegisterInfo.h"

#endif // LUTHIER_AMDGPU_H
