// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Clause.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "lift/LiftedImpl.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier {

unsigned clauseLength(const LiftedRepresentation &LR, const MachineInstr &MI) {
  if (MI.getOpcode() != AMDGPU::S_CLAUSE)
    return 0;
  const unsigned Length = (MI.getOperand(0).getImm() & 0x3f) + 1;
  const auto &Origins = LR.impl().Origins;
  auto Origin = Origins.find(&MI);
  // A tool's own is what the tool says.
  if (Origin == Origins.end() || LR.impl().isChanged(MI))
    return Length;
  const MachineInstr *Member = &MI;
  for (unsigned N = 0; N != Length; ++N) {
    const uint64_t Next = Origin->second.Address + Origin->second.Size;
    // Control may come to the middle from elsewhere where a block ends.
    Member = Member->getNextNode();
    Origin = Member ? Origins.find(Member) : Origins.end();
    if (Origin == Origins.end() || Origin->second.Address != Next ||
        LR.impl().isChanged(*Member))
      return 0;
  }
  return Length;
}

} // namespace luthier
