// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "amdgpu/WideStores.h"
#include "SIInstrInfo.h"
#include "llvm/CodeGen/MachineInstr.h"

using namespace llvm;

namespace luthier::amdgpu {

bool isWideStore(const MachineInstr &MI, const RegisterFiles &Files) {
  if (!MI.mayStore() || !(SIInstrInfo::isVMEM(MI) || SIInstrInfo::isFLAT(MI)))
    return false;
  // Addresses have no more than two.
  return any_of(MI.uses(), [&](const MachineOperand &MO) {
    if (!MO.isReg() || !MO.getReg().isPhysical())
      return false;
    const RegisterRange Range = Files.rangeOf(MO.getReg().asMCReg());
    return Range.isVector() && Range.Count > 2;
  });
}

} // namespace luthier::amdgpu
