// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything a tool needs.
#ifndef LUTHIER_LUTHIER_H
#define LUTHIER_LUTHIER_H

#include <hip/hip_runtime.h>

#include "luthier/AMDGPU.h"
#include "luthier/Analysis.h"
#include "luthier/Channel.h"
#include "luthier/Error.h"
#include "luthier/ExecRegions.h"
#include "luthier/Hook.h"
#include "luthier/InstructionRuns.h"
#include "luthier/Instructions.h"
#include "luthier/Instrument.h"
#include "luthier/InstrumentationModule.h"
#include "luthier/Intrinsics.h"
#include "luthier/MemoryAccess.h"
#include "luthier/Mnemonic.h"
#include "luthier/Option.h"
#include "luthier/PathSum.h"
#include "luthier/Refusal.h"
#include "luthier/Report.h"
#include "luthier/Tool.h"
#include "luthier/Variables.h"
#include "luthier/Version.h"

#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/IR/Constants.h"

#endif // LUTHIER_LUTHIER_H
