// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wave's number in its workgroup, from the ids of a work-item of its own.
#ifndef LUTHIER_REWRITE_EMIT_WAVEINGROUP_H
#define LUTHIER_REWRITE_EMIT_WAVEINGROUP_H

#include "rewrite/emit/CallSiteCode.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace luthier {

/// Of each of x, y and z, where they share a register: x in the lowest
/// (AMDGPUUsage, "VGPR Register Set Up Order").
constexpr unsigned WorkItemIdBits = 10;
/// Registers that they are in at entry, where each has its own.
constexpr unsigned MaxLaunchVGPRs = 3;

void unpackWorkItemId(CallSiteCode &Code, llvm::MCRegister To,
                      llvm::MCRegister Packed, unsigned Axis);

struct WaveInGroupRegisters {
  /// May be the same, unless IdOf reads what is in the result's.
  llvm::MCRegister Result, Sum;
  llvm::MCRegister ItemsX, ItemsY;
  unsigned WaveSize;
};

/// By scalar instructions, which change SCC. \p IdOf puts one id of the wave's
/// first work-item, by its axis, somewhere, and may use the same register for
/// all, but none of \p Use; z comes first, x last.
void emitWaveInGroup(CallSiteCode &Code, const WaveInGroupRegisters &Use,
                     llvm::function_ref<llvm::MCRegister(unsigned)> IdOf);

} // namespace luthier

#endif // LUTHIER_REWRITE_EMIT_WAVEINGROUP_H
