// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an instruction does to the set of active lanes.
#ifndef LUTHIER_ANALYSIS_EXECCHANGE_H
#define LUTHIER_ANALYSIS_EXECCHANGE_H

#include <cstdint>

namespace llvm {
class MachineInstr;
} // namespace llvm

namespace luthier {

/// How lanes that are active afterwards relate to those before.
enum class ExecChange : uint8_t {
  None,
  Shrinks, ///< Lanes may only become inactive.
  Grows,   ///< Lanes may only become active.
  All,     ///< Every lane becomes active.
  Nothing, ///< Every lane becomes inactive.
  Inverts,
  Unknown,
};

ExecChange execChangeOf(const llvm::MachineInstr &MI, bool IsWave32);

} // namespace luthier

#endif // LUTHIER_ANALYSIS_EXECCHANGE_H
