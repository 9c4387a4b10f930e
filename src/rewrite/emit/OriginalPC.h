// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instead of its own position, code gets the one it had in the original, which
// stays loaded: data found from there is the application's own, and pointers to
// functions are the original's.
#ifndef LUTHIER_REWRITE_EMIT_ORIGINALPC_H
#define LUTHIER_REWRITE_EMIT_ORIGINALPC_H

#include "amdgpu/MachineEncoder.h"

namespace llvm {
class MachineInstr;
} // namespace llvm

namespace luthier {

/// \p PC is known:
///   s_getpc_b64 s[4:5]   ->   s_mov_b32 s4, <low half of the original PC>
///                             s_mov_b32 s5, <high half>
void writeOriginalPC(const llvm::MachineInstr &GetPC, uint64_t PC,
                     amdgpu::MachineEncoder &Encoder,
                     amdgpu::CodeLayout &Layout);

/// Only \p PC's distance from the start of the laid-out code is known. The
/// addition takes SCC, which s_getpc leaves alone, so there are two copies:
///   s_getpc_b64 s[4:5]   ->   s_cbranch_scc1 .Lone
///                             s_getpc_b64 s[4:5]
///                             s_add_u32 s4, s4, <low half of the distance>
///                             s_addc_u32 s5, s5, <high half>
///                             s_cmp_lg_u32 s4, s4     SCC = 0 again
///                             s_branch .Ldone
///                           .Lone:
///                             <the same three>
///                             s_cmp_eq_u32 s4, s4     SCC = 1 again
///                           .Ldone:
/// with s_waitcnt_depctr 0 behind what is read next, where it exists.
void writeDistantPC(const llvm::MachineInstr &GetPC, int64_t PC,
                    amdgpu::MachineEncoder &Encoder,
                    amdgpu::CodeLayout &Layout);

} // namespace luthier

#endif // LUTHIER_REWRITE_EMIT_ORIGINALPC_H
