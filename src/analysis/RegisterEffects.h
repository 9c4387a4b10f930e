// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one instruction reads and writes of a wave's registers, the parts that
// its operands do not show included.
#ifndef LUTHIER_ANALYSIS_REGISTEREFFECTS_H
#define LUTHIER_ANALYSIS_REGISTEREFFECTS_H

#include "analysis/ExecChange.h"
#include "analysis/RegisterSet.h"
#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace llvm {
class MachineBasicBlock;
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
  /// A trap handler, or code reached in a way that is not understood, may look
  /// at the whole wave.
  bool ReadsEverything = false;
  /// Something else than vector registers is written.
  bool WritesScalars = false;
  /// Scalar results are masks with zeros for inactive lanes.
  bool IsComparison = false;
  /// All of it may not happen (s_setvskip).
  bool MayBeSkipped = false;

  static bool isWrite(const RegisterEffect &Effect) {
    return Effect.Access == RegisterAccess::Write ||
           Effect.Access == RegisterAccess::Overwrite;
  }
};

struct EffectsContext {
  bool IsWave32 = false;
  /// 16-bit results leave the upper half of the register alone, from gfx10 on.
  bool KeepsUpperHalf = false;
  /// GPR-index mode may be on: operands may be other registers.
  bool InIndexMode = false;
  /// Vector instructions may do nothing (s_setvskip).
  bool MaySkip = false;
};

/// For code outside of index mode.
EffectsContext effectsContextOf(const LiftedRepresentation &LR);

InstructionEffects effectsOf(const llvm::MachineInstr &MI,
                             EffectsContext Context);

/// Of all instructions, computed once for several analyses.
class EffectsTable {
public:
  static EffectsTable run(const LiftedRepresentation &LR);

  /// In the order of the block's instructions.
  llvm::ArrayRef<InstructionEffects>
  of(const llvm::MachineBasicBlock &MBB) const;
  bool isWave32() const { return IsWave32; }

private:
  llvm::DenseMap<const llvm::MachineBasicBlock *,
                 std::vector<InstructionEffects>>
      Table;
  bool IsWave32 = false;
};

} // namespace luthier

#endif // LUTHIER_ANALYSIS_REGISTEREFFECTS_H
