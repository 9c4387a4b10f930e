// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hook as machine code, ready to be copied to any number of points of one
// kernel, and what the code around each copy must do for it.
#ifndef LUTHIER_HOOK_PAYLOAD_H
#define LUTHIER_HOOK_PAYLOAD_H

#include "hook/HookModule.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCRegister.h"
#include <cstdint>
#include <variant>
#include <vector>

namespace luthier {

/// Registers past the kernel's own that serve the code around payloads. A
/// payload that reads or writes the application's flags uses these copies.
struct PayloadFrame {
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
};

/// Argument registers, counted in dwords from the frame's first ones.
struct ArgumentSlot {
  bool IsVector = false;
  unsigned Index = 0;
  unsigned Dwords = 1;
};

/// What makes one compilation differ from another.
struct PayloadVariant {
  HookReference Hook;
  /// For each parameter: the bits of a constant, or where the value arrives.
  llvm::SmallVector<std::variant<uint64_t, ArgumentSlot>, 2> Arguments;
};

struct Payload {
  /// Falls through at its end; touches nothing of the application's but what
  /// the flags below say and what the hook writes with writeReg.
  std::vector<uint8_t> Code;
  bool ClobbersSCC = false;
  bool ClobbersVCC = false;
  bool ClobbersM0 = false;
  bool WritesEXEC = false; ///< And may leave it changed.
  /// Copies that the hook reads, or writes so that the application sees it:
  /// they must be made and restored even where the flag is dead.
  bool UsesSCC = false, UsesVCC = false, UsesEXEC = false, UsesM0 = false;
  /// Reads registers of the application, where a load may still be in flight.
  bool ReadsApplication = false;
  /// Writes registers of the application from vector instructions.
  bool WritesApplication = false;
  /// Contains instructions that hardware does not hold back until what they
  /// read has been written (DPP, s_getreg, lane selects).
  bool NeedsDistance = false;
  /// One past the last register used; the frame's first where none is.
  unsigned SGPREnd = 0, VGPREnd = 0;
};

} // namespace luthier

#endif // LUTHIER_HOOK_PAYLOAD_H
