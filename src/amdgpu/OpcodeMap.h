// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM keeps two names for most operations and some registers: the pseudo that
// its code generator works with (S_ADD_U32, M0) and the real one with an
// encoding on some generations (S_ADD_U32_vi, M0_gfxpre11). This maps both ways
// for one processor.
#ifndef LUTHIER_AMDGPU_OPCODEMAP_H
#define LUTHIER_AMDGPU_OPCODEMAP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace luthier::amdgpu {

class OpcodeMap {
public:
  OpcodeMap(const llvm::MCInstrInfo &MCII, const llvm::MCRegisterInfo &MRI,
            const llvm::MCSubtargetInfo &STI);

  /// The opcode that is encoded for \p Opcode, which is returned itself if it
  /// is real already. Nothing if this processor has no encoding for it.
  std::optional<unsigned> realOpcode(unsigned Opcode) const;

  /// The pseudo that the code generator uses where decoding gives \p Real;
  /// \p Real itself where there is none.
  unsigned pseudoOpcode(unsigned Real) const { return PseudoOf[Real]; }

  llvm::MCRegister realRegister(llvm::MCRegister Reg) const {
    return llvm::MCRegister(RealRegister[Reg.id()]);
  }
  llvm::MCRegister pseudoRegister(llvm::MCRegister Reg) const {
    return llvm::MCRegister(PseudoRegister[Reg.id()]);
  }

private:
  void mapRegisters(const llvm::MCRegisterInfo &MRI,
                    const llvm::MCSubtargetInfo &STI);

  static constexpr uint16_t None = UINT16_MAX;
  std::vector<uint16_t> RealOf;
  std::vector<uint16_t> PseudoOf;
  std::vector<unsigned> RealRegister;
  std::vector<unsigned> PseudoRegister;
};

} // namespace luthier::amdgpu

#endif // LUTHIER_AMDGPU_OPCODEMAP_H
