// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Overwrites, at every place where code may be inserted, what the analyses call
// free there with seeded garbage: a kernel that still computes the same shows
// that they are right. No hook and no compiler are involved, so that this works
// for every kernel that can be lifted and written; where there are hooks, the
// garbage comes before them.
//
// Registers are those that the code names and some above, as many as hooks
// would take. At one place in a divergent block of a wave64 kernel, where v7 is
// not needed any more and s[4:5] are free:
//   s_nop 4                         results on their way
//   s_mov_b64 s[4:5], exec
//   s_mov_b64 exec, -1              dead is dead in all lanes
//   v_mov_b32 v7, 0x8812c4f1
//   s_mov_b64 exec, s[4:5]
//   s_mov_b32 s4, 0x1c23aa01
//   s_mov_b32 s5, 0x3b2f90aa
//   s_cmp_eq_u32 0, 0               SCC
//   s_nop 4
#ifndef LUTHIER_REWRITE_SELFTEST_REGISTERSCRAMBLER_H
#define LUTHIER_REWRITE_SELFTEST_REGISTERSCRAMBLER_H

#include "amdgpu/MachineEncoder.h"
#include "rewrite/Result.h"
#include "rewrite/selftest/ScramblePlan.h"
#include <random>

namespace luthier {

class Poisoner {
public:
  /// \p Above are registers that the code does not name and the descriptor
  /// will allocate, \p Kept such as hold something between points.
  Poisoner(const LiftedRepresentation &LR, amdgpu::MachineEncoder &Encoder,
           const InstrumenterOptions &Options, const RegisterSet &Above,
           const RegisterSet &Kept);

  // Append to the layout, or nothing where nothing may stand or nothing is
  // free.
  void before(const llvm::MachineInstr &MI, amdgpu::CodeLayout &Layout) {
    write(Plan.before(MI), Layout);
  }
  void onEdge(const llvm::MachineBasicBlock &From,
              const llvm::MachineBasicBlock &To, amdgpu::CodeLayout &Layout) {
    write(Plan.onEdge(From, To), Layout);
  }
  void atEntry(const llvm::MachineFunction &MF, amdgpu::CodeLayout &Layout) {
    write(Plan.atEntry(MF), Layout);
  }

  /// Places that were poisoned.
  unsigned places() const { return Places; }

private:
  using Code = llvm::SmallVectorImpl<uint8_t>;
  void write(const PoisonPlace *Place, amdgpu::CodeLayout &Layout);
  void settle(Code &To);
  RegisterSet vectors(const PoisonPlace &Place, Code &To);
  void vector(unsigned Unit, Code &To);
  void oneLane(unsigned Unit, Code &To);
  void scalars(const RegisterSet &Units, Code &To);
  int32_t garbage() { return int32_t(Random()); }

  amdgpu::MachineEncoder &Encoder;
  bool IsWave32 = false, HasMatrixOps = false, WaitsForAlu = false;
  std::mt19937 Random;
  PoisonPlan Plan;
  unsigned Places = 0;
};

/// \p LR with nothing but poison in it.
llvm::Expected<InstrumentedKernel>
poisonKernel(const LiftedRepresentation &LR,
             const InstrumenterOptions &Options);

} // namespace luthier

#endif // LUTHIER_REWRITE_SELFTEST_REGISTERSCRAMBLER_H
