// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device functions through which hooks reach the application's registers.
// Register numbers are LLVM's (llvm::AMDGPU::SGPR4, ::VGPR2, ::VCC, ...; see
// AMDGPU.h) and constant once the hook is inserted: literals, or arguments that
// are constants. Outside of hooks these functions trap.
#ifndef LUTHIER_INTRINSICS_H
#define LUTHIER_INTRINSICS_H

#include "luthier/Hook.h"
#include <cstdint>
#include <type_traits>

namespace luthier {

namespace detail {
template <typename T>
inline constexpr bool FitsRegisters =
    std::is_scalar_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);
} // namespace detail

/// The value that register \p Reg of the application has where the hook is
/// inserted. T is as wide as the register: 32 or 64 bits. Of a vector register,
/// each lane gets its own value, valid in lanes that are active there.
template <typename T>
LUTHIER_INTRINSIC_ANNOTATE T readReg([[maybe_unused]] unsigned Reg) {
  static_assert(detail::FitsRegisters<T>, "T has 32 or 64 bits");
  __builtin_trap();
}

/// Gives register \p Reg of the application the value \p Value, in effect after
/// the hook. Of a vector register, only active lanes are written.
template <typename T>
LUTHIER_INTRINSIC_ANNOTATE void writeReg([[maybe_unused]] unsigned Reg,
                                         [[maybe_unused]] T Value) {
  static_assert(detail::FitsRegisters<T>, "T has 32 or 64 bits");
  __builtin_trap();
}

/// Makes \p Mask the set of active lanes for the rest of the hook; everything
/// before it in program order runs under the old set, everything after it under
/// the new one. The value must be the same in all lanes. At the hook's end the
/// application's own set is active again, whatever the hook did.
LUTHIER_INTRINSIC_ANNOTATE inline void
writeExec([[maybe_unused]] uint64_t Mask) {
  __builtin_trap();
}

} // namespace luthier

#endif // LUTHIER_INTRINSICS_H
