// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's machine IR, of which a LiftedRepresentation consists, with the AMDGPU
// target's opcodes, registers and classes of instructions. For tools that do
// more with an instruction than to ask what Luthier's own headers answer.
#ifndef LUTHIER_MACHINEIR_H
#define LUTHIER_MACHINEIR_H

#include "luthier/AMDGPU.h"

#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/IR/Constants.h"

#endif // LUTHIER_MACHINEIR_H
