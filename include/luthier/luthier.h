// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tools need, but for LLVM's machine IR: a tool that looks into
// instructions and blocks, names registers or changes code also includes
// luthier/MachineIR.h, which takes a compiler several times as long.
#ifndef LUTHIER_LUTHIER_H
#define LUTHIER_LUTHIER_H

#include <hip/hip_runtime.h>

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
#include "luthier/TripCount.h"
#include "luthier/Variables.h"
#include "luthier/Version.h"

#endif // LUTHIER_LUTHIER_H
