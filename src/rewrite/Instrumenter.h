// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine's pipeline behind one call: a lifted kernel and a task in, a
// loadable code object out. Knows nothing of HSA.
#ifndef LUTHIER_REWRITE_INSTRUMENTER_H
#define LUTHIER_REWRITE_INSTRUMENTER_H

#include "hook/HookModule.h"
#include "luthier/InstrumentationTask.h"
#include "luthier/LiftedRepresentation.h"
#include "luthier/Refusal.h"
#include <cstdint>
#include <vector>

namespace luthier {

/// What instrumenting one kernel took and cost.
struct InstrumentationReport {
  unsigned Points = 0;   ///< Hook calls inserted.
  unsigned Payloads = 0; ///< Variants compiled.
  unsigned VGPRsBefore = 0, VGPRsAfter = 0;
  unsigned SGPRsBefore = 0, SGPRsAfter = 0;
  size_t BytesBefore = 0, BytesAfter = 0;
  /// Seconds.
  double CompileTime = 0, RewriteTime = 0, EmitTime = 0;
};

/// An instruction of the original in the instrumented code.
struct PCPair {
  /// Bytes from the instrumented kernel's entry; behind the payload, if any.
  uint64_t Offset = 0;
  /// Address in the original, as linked.
  uint64_t Original = 0;
};

struct InstrumentedKernel {
  /// An ET_DYN code object whose only kernel has the original's name.
  std::vector<uint8_t> CodeObject;
  /// Bytes to use instead of the packet's if larger.
  uint32_t PrivateSegmentSize = 0;
  uint32_t GroupSegmentSize = 0;
  /// Every instruction that was kept, in order of its place: for comparing the
  /// two versions, and for naming the application's place of a fault.
  std::vector<PCPair> Map;
  InstrumentationReport Report;
};

/// Instruments \p LR as \p Task says; \p LR's instructions stay as they are.
/// \p LoadBias is what the loader added to the original's addresses: code that
/// asks for its own position keeps getting the original's.
llvm::Expected<InstrumentedKernel>
instrumentKernel(LiftedRepresentation &LR, const InstrumentationTask &Task,
                 HookResolver Resolve, uint64_t LoadBias);

/// The machine code of \p LR as it stands, one function after the other,
/// without any instrumentation: the same bytes as the original for an unedited
/// kernel.
llvm::Expected<std::vector<uint8_t>>
emitUninstrumented(const LiftedRepresentation &LR);

} // namespace luthier

#endif // LUTHIER_REWRITE_INSTRUMENTER_H
