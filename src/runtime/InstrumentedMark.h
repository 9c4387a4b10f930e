// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells `luthier run --fail-if-unchanged` that something was instrumented.
#ifndef LUTHIER_RUNTIME_INSTRUMENTEDMARK_H
#define LUTHIER_RUNTIME_INSTRUMENTEDMARK_H

namespace luthier::runtime {

/// The file that the command waits for, by whichever process of the run.
inline constexpr const char *InstrumentedMarkVariable =
    "LUTHIER_INSTRUMENTED_MARK";

/// A dispatch runs an instrumented kernel.
void markInstrumented();

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_INSTRUMENTEDMARK_H
