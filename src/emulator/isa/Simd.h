// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers are compiled more than once, for different host instruction sets.
// Each copy lives in its own namespace, so that the linker cannot mix them.
#ifndef LUTHIER_EMULATOR_ISA_SIMD_H
#define LUTHIER_EMULATOR_ISA_SIMD_H

#ifndef LUTHIER_EMULATOR_SIMD
#define LUTHIER_EMULATOR_SIMD generic
#endif

/// Lanes are independent: whatever registers alias, an iteration only touches
/// its own lane.
#define LUTHIER_LANE_LOOP _Pragma("clang loop vectorize(assume_safety)")

#endif // LUTHIER_EMULATOR_ISA_SIMD_H
