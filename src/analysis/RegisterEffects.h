// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one instruction reads and writes of a wave's registers, the parts that
// its operands do not show included.
#ifndef LUTHIER_ANALYSIS_REGISTEREFFECTS_H
#define LUTHIER_ANALYSIS_REGISTEREFFECTS_H

#include "analysis/ExecChange.h"
#include "analysis/RegisterSet.h"
#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class MachineInstr;
} // namespace llvm

namespace luthier {

enum class RegisterAccess : uint8_t {
  /// Of a vector register: in active lanes.
  Read,
  /// Of a vector register, in any lane (v_readlane, DPP, matrix operations).
  ReadInAnyLane,
  /// The old value may remain, all or in part.
  Write,
  /// Nothing of the old value remains; of a vector register, in active lanes.
  Overwrite,
};

struct RegisterEffect {
  RegisterUnits Units;
  RegisterAccess Access;
};

struct InstructionEffects {
  llvm::SmallVector<RegisterEffect, 8> Registers;
  ExecChange Exec = ExecChange::None;
  /// Control goes where it is not known who reads what, or a trap handler
  /// looks at the wave.
  bool ReadsEverything = false;
};

struct EffectsContext {
  bool IsWave32 = false;
  /// 16-bit results leave the upper half of the register alone, from gfx10 on.
  bool KeepsUpperHalf = false;
  /// s_set_gpr_idx_on may be in force: operands may be other registers.
  bool InIndexMode = false;
};

/// For code outside of index mode.
EffectsContext effectsContextOf(const LiftedRepresentation &LR);

InstructionEffects effectsOf(const llvm::MachineInstr &MI,
                             EffectsContext Context);

} // namespace luthier

#endif // LUTHIER_ANALYSIS_REGISTEREFFECTS_H
