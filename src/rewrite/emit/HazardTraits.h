// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What code at the seams between application and payloads has to wait for.
#ifndef LUTHIER_REWRITE_EMIT_HAZARDTRAITS_H
#define LUTHIER_REWRITE_EMIT_HAZARDTRAITS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace luthier {

/// How a wave counts its outstanding memory operations.
enum class SeamWaits : uint8_t {
  Gfx9,  ///< All by s_waitcnt.
  Gfx10, ///< Stores by s_waitcnt_vscnt.
  Gfx12, ///< An instruction per class of operation.
};

struct SeamTraits {
  llvm::StringRef Processor;
  SeamWaits Counters;
  unsigned EnterStates;  ///< Before touching the application's VGPRs.
  unsigned MatrixStates; ///< The same in kernels with matrix operations.
  unsigned StoreStates;  ///< From a wide store to overwriting its data.
  unsigned LeaveStates;  ///< After writing registers of the application.
  unsigned M0States;     ///< From a write of M0 to its use.
  unsigned ModeStates;   ///< Between accesses to one hardware register.
  bool AwaitsALU;        ///< There is s_waitcnt_depctr.
  bool HasMaskHazard;    ///< See SeamCode::renewMask().
  bool HasReadHazard;    ///< See SeamCode::forgetReads().
  /// The last byte of a lane's scratch that an instruction reaches without a
  /// register for the address. 0: each needs one; but there, scalar registers
  /// can be stored by scalar instructions, whose base is FLAT_SCRATCH.
  unsigned ScratchReach;
};

/// Null for a processor this engine does not know.
const SeamTraits *seamTraits(llvm::StringRef Processor);

} // namespace luthier

#endif // LUTHIER_REWRITE_EMIT_HAZARDTRAITS_H
