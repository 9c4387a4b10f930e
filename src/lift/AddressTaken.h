// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions a program may call through pointers: those whose address it
// has somewhere, other than for calling them by name.
#ifndef LUTHIER_LIFT_ADDRESSTAKEN_H
#define LUTHIER_LIFT_ADDRESSTAKEN_H

#include "codeobject/CodeObject.h"
#include <vector>

namespace luthier {

namespace amdgpu {
class MCTarget;
} // namespace amdgpu

/// Entries of functions, in order, that
/// - a relocation puts into data: tables, variables, virtual functions;
/// - code computes from its own position, and does not only call:
///     s_getpc_b64 s[4:5]
///     s_add_u32   s4, s4, function@rel32@lo+4
///     s_addc_u32  s5, s5, function@rel32@hi+12
/// A function may have no symbol. Where code hides an address better than that,
/// its function is missing; where it cannot be seen that code only calls, there
/// is one too many.
std::vector<uint64_t> addressTakenFunctions(const CodeObject &Object,
                                            const amdgpu::MCTarget &Target);

} // namespace luthier

#endif // LUTHIER_LIFT_ADDRESSTAKEN_H
