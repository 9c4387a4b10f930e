// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which instructions belong to a function: those that control reaches from its
// entry by branches and by running on, wherever they lie. Code that several
// functions share (one runs on into the next, or branches into it) is in each
// of them, and instructions may overlap. What data between or after them looks
// like does not matter.
#ifndef LUTHIER_LIFT_CODETRACER_H
#define LUTHIER_LIFT_CODETRACER_H

#include "codeobject/CodeObject.h"
#include "lift/Decoder.h"
#include <map>

namespace luthier {

/// Destinations of jumps through registers, by the jump's address.
using KnownJumps = std::map<uint64_t, uint64_t>;

/// Where a function's symbol says that it is.
struct CodeExtent {
  uint64_t Entry = 0;
  uint64_t Begin = 0, End = 0; ///< Begin is at most Entry.
};

/// All instructions of the function, by address. Those that are not reached
/// but lie between or behind them in the symbol's extent are among them as long
/// as they decode and stay in the function: a jump table's targets, say.
llvm::Expected<std::vector<DecodedInstruction>>
traceCode(const CodeObject &Object, const amdgpu::MCTarget &Target,
          const CodeExtent &Extent, const KnownJumps &Jumps);

} // namespace luthier

#endif // LUTHIER_LIFT_CODETRACER_H
