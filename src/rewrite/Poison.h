// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Overwrites, at every place where code may be inserted, what the analyses call
// free there with seeded garbage: a kernel that still computes the same shows
// that they are right. No hook and no compiler are involved, so that this works
// for every kernel that can be lifted and written.
//
// Registers are those that the code names; what lies above is nobody's. At one
// place in a divergent block of a wave64 kernel, with s[4:5] free as well:
//   s_nop 4                         results on their way
//   s_mov_b32 s9, 0x3b2f90aa
//   s_mov_b64 s[4:5], exec
//   s_mov_b64 exec, -1              dead is dead in all lanes
//   v_mov_b32 v7, 0x8812c4f1
//   s_mov_b64 exec, s[4:5]
//   s_mov_b32 s4, 0x1c23aa01
//   s_cmp_eq_u32 0, 0               SCC
//   s_nop 4
#ifndef LUTHIER_REWRITE_POISON_H
#define LUTHIER_REWRITE_POISON_H

#include "amdgpu/MachineEncoder.h"
#include "analysis/InsertionPoints.h"
#include "analysis/Liveness.h"
#include "analysis/LoadsInFlight.h"
#include "rewrite/Instrumenter.h"
#include <random>

namespace luthier {

class Poisoner {
public:
  /// \p Kept are registers that hold values of the engine's own between points.
  Poisoner(const LiftedRepresentation &LR, amdgpu::MachineEncoder &Encoder,
           const InstrumenterOptions &Options, const RegisterSet &Kept = {});

  // Append to the layout, or nothing where nothing may stand or nothing is
  // free.
  void before(const llvm::MachineInstr &MI, amdgpu::CodeLayout &Layout);
  void onEdge(const llvm::MachineBasicBlock &From,
              const llvm::MachineBasicBlock &To, amdgpu::CodeLayout &Layout);
  void atEntry(const llvm::MachineFunction &MF, amdgpu::CodeLayout &Layout);

  /// Places that were poisoned.
  unsigned places() const { return Places; }

private:
  using Code = llvm::SmallVectorImpl<uint8_t>;
  void write(RegisterSet Free, bool WithVectors, amdgpu::CodeLayout &Layout);
  void choose(RegisterSet &Free);
  void settle(Code &To);
  void vectors(const RegisterSet &Free, Code &To);
  void vector(unsigned Unit, Code &To);
  void oneLane(unsigned Unit, Code &To);
  void scalars(const RegisterSet &Free, Code &To);
  std::optional<unsigned> freePair(const RegisterSet &Free) const;
  int32_t garbage() { return int32_t(Random()); }

  amdgpu::MachineEncoder &Encoder;
  const Liveness Lives;
  const LoadsInFlight Loads;
  const InsertionPoints Legal;
  const unsigned Most;
  RegisterSet Universe;
  bool IsWave32 = false, HasMatrixOps = false, WaitsForAlu = false;
  std::mt19937 Random;
  unsigned Places = 0;
};

/// \p LR with nothing but poison in it.
llvm::Expected<InstrumentedKernel>
poisonKernel(const LiftedRepresentation &LR,
             const InstrumenterOptions &Options);

} // namespace luthier

#endif // LUTHIER_REWRITE_POISON_H
