// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a payload may count on where it runs: registers that serve the code
// around payloads, registers that a payload may allocate, where its arguments
// arrive, and what the kernel was given at its launch.
#ifndef LUTHIER_HOOK_PAYLOADABI_H
#define LUTHIER_HOOK_PAYLOADABI_H

#include "codeobject/HiddenArguments.h"
#include "hook/KeptNumbers.h"
#include "hook/StateValueArray.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCRegister.h"
#include <map>

namespace luthier {

/// Where the shared memory, counters and arguments of one tool module begin.
struct ModuleLayout {
  unsigned LdsOffset = 0; ///< From StateValue::LdsBase on.
  unsigned FirstAccumulator = 0, FirstLaneCounter = 0;
  /// Of those that Luthier adds, behind the places that HiddenArguments has.
  unsigned LaunchArguments = 0;
  bool operator==(const ModuleLayout &) const = default;
};

/// Registers that serve the code around payloads, and those that a payload may
/// allocate. A payload that reads or writes the application's flags uses these
/// copies. The windows may lie among the application's registers.
struct PayloadABI {
  /// The application's own: s0, v0 and a0 up to these, exclusive.
  unsigned ApplicationSGPRs = 0, ApplicationVGPRs = 0, ApplicationAGPRs = 0;
  llvm::MCRegister VccSave;  ///< Aligned SGPR pair.
  llvm::MCRegister ExecSave; ///< Aligned SGPR pair.
  llvm::MCRegister SccSave;  ///< One SGPR: 1 or 0.
  llvm::MCRegister M0Save;   ///< One SGPR.
  /// Arguments that differ from point to point arrive from here on.
  unsigned FirstArgumentSGPR = 0;
  unsigned FirstArgumentVGPR = 0;
  /// Free for the payload: [First, Limit).
  unsigned FirstSGPR = 0, SGPRLimit = 0;
  unsigned FirstVGPR = 0, VGPRLimit = 0;

  /// Lanes of a wave of the kernel. Of 32: pairs above keep a mask in their
  /// low half.
  unsigned WaveSize = 64;
  llvm::MCRegister ModeSave; ///< One SGPR.
  /// One SGPR: where the payload's stack begins, in bytes of each lane's
  /// private memory. Invalid: a payload that needs stack is refused.
  llvm::MCRegister StackPointer;
  /// SGPRs from an even number on that hold the first wave counters, a pair
  /// each, for as long as the wave runs. The next are lanes of State, as many
  /// as it has room for, and the others lanes of VGPRs from FirstCounterVGPR
  /// on.
  unsigned FirstCounterSGPR = 0, NumScalarCounters = 0;
  unsigned FirstCounterVGPR = 0, NumCounterVGPRs = 0;
  /// These VGPRs may be the application's: while it runs, the counters are on
  /// the stack.
  bool CountersOnStack = false;
  KeptNumbers Numbers; ///< In the first counters.
  /// VGPRs from an even number on: a pair for each counter of lanes.
  unsigned FirstLaneVGPR = 0, NumLaneCounters = 0;
  llvm::MCRegister State;       ///< VGPR laid out as StateValueArray.def says.
  llvm::MCRegister WorkItemIds; ///< VGPR: x | y << 10 | z << 20.
  /// Inside of the windows, not to be touched.
  llvm::SmallVector<llvm::MCRegister, 4> Kept;

  /// Bytes of the kernel's own arguments, where the implicit ones begin.
  unsigned ExplicitKernargSize = 0;
  /// Offsets from the start of the kernel's arguments; those that a hook reads
  /// and that are missing here get it refused.
  std::map<HiddenArgument, unsigned> HiddenArguments;
  /// Of the module that is compiled.
  ModuleLayout Module;
};

} // namespace luthier

#endif // LUTHIER_HOOK_PAYLOADABI_H
