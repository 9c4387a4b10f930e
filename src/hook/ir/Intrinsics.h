// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Luthier's own intrinsics by name. A call of one is a call of a declaration
// with the attribute "luthier_intrinsic", whose value is the name.
#ifndef LUTHIER_HOOK_IR_INTRINSICS_H
#define LUTHIER_HOOK_IR_INTRINSICS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallBase;
class CallInst;
class IRBuilderBase;
class Type;
class Value;
} // namespace llvm

namespace luthier {

inline constexpr const char *IntrinsicAttribute = "luthier_intrinsic";

/// What hooks call; include/luthier/Intrinsics.h says what they do.
inline constexpr llvm::StringLiteral WaveAddIntrinsic = "luthier::waveAdd";
inline constexpr llvm::StringLiteral WaveAddLowIntrinsic =
    "luthier::detail::waveAddLow";
inline constexpr llvm::StringLiteral WaveAddWideIntrinsic =
    "luthier::detail::waveAddWide";
inline constexpr llvm::StringLiteral WaveSetHalfIntrinsic =
    "luthier::detail::waveSetHalf";
inline constexpr llvm::StringLiteral WaveCounterIntrinsic =
    "luthier::waveCounter";
inline constexpr llvm::StringLiteral FirstLaneIntrinsic = "luthier::firstLane";
inline constexpr llvm::StringLiteral ReadRegIntrinsic = "luthier::readReg";
inline constexpr llvm::StringLiteral WriteRegIntrinsic = "luthier::writeReg";

/// What that header's inline functions are made of.
inline constexpr llvm::StringLiteral ScalarIntrinsic =
    "luthier::detail::scalar";
inline constexpr llvm::StringLiteral ScalarAddressIntrinsic =
    "luthier::detail::scalarAddress";

inline constexpr llvm::StringLiteral FirstWorkItemIntrinsic =
    "luthier::detail::firstWorkItem";
inline constexpr llvm::StringLiteral LaneCountIntrinsic =
    "luthier::detail::laneCount";
inline constexpr llvm::StringLiteral LaneCounterIntrinsic =
    "luthier::detail::laneCounter";
inline constexpr llvm::StringLiteral KeptIntrinsic = "luthier::detail::kept";

/// Stands for an argument that arrives in registers; its arguments are the
/// members of the ArgumentSlot.
inline constexpr llvm::StringLiteral ArgumentIntrinsic = "luthier.argument";

/// The qualified name of the intrinsic that \p Call calls, or nothing.
llvm::StringRef intrinsicName(const llvm::CallBase &Call);

/// Is the first argument of intrinsic \p Name a wave-private counter?
bool namesCounter(llvm::StringRef Name);

/// Is the first argument of intrinsic \p Name the number of a counter of lanes?
bool namesLaneCounter(llvm::StringRef Name);

/// Is the first argument of intrinsic \p Name the number of a register?
bool namesRegister(llvm::StringRef Name);

/// A call of intrinsic \p Name. LLVM takes it for convergent and for an access
/// to memory that nothing else sees.
llvm::CallInst *callIntrinsic(llvm::IRBuilderBase &B, llvm::StringRef Name,
                              llvm::Type *Result,
                              llvm::ArrayRef<llvm::Value *> Arguments);

} // namespace luthier

#endif // LUTHIER_HOOK_IR_INTRINSICS_H
