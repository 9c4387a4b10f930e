// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers by file and number, which LLVM's register classes express only
// through functions that libLLVM does not export.
#ifndef LUTHIER_AMDGPU_REGISTERFILES_H
#define LUTHIER_AMDGPU_REGISTERFILES_H

#include "llvm/MC/MCRegister.h"
#include "llvm/MC/MCRegisterInfo.h"
#include <vector>

namespace luthier::amdgpu {

enum class RegisterFile { None, SGPR, VGPR, AGPR };

/// Consecutive 32-bit registers of one file. Special registers such as VCC and
/// EXEC belong to none.
struct RegisterRange {
  RegisterFile File = RegisterFile::None;
  unsigned First = 0;
  unsigned Count = 0; ///< Halves count as the whole register.

  unsigned end() const { return First + Count; }
  bool isVector() const {
    return File == RegisterFile::VGPR || File == RegisterFile::AGPR;
  }
};

class RegisterFiles {
public:
  /// Register numbers are the same for all processors of the target, and so is
  /// what this returns.
  static const RegisterFiles &of(const llvm::MCRegisterInfo &MRI);

  RegisterRange rangeOf(llvm::MCRegister Reg) const { return Ranges[Reg.id()]; }
  unsigned sgprCount() const { return SGPRs.size(); }
  unsigned vgprCount() const { return VGPRs.size(); }
  llvm::MCRegister sgpr(unsigned Index) const { return SGPRs[Index]; }
  llvm::MCRegister vgpr(unsigned Index) const { return VGPRs[Index]; }
  llvm::MCRegister agpr(unsigned Index) const { return AGPRs[Index]; }
  /// s[Index:Index+1]; \p Index is even.
  llvm::MCRegister sgprPair(unsigned Index) const {
    return SGPRPairs[Index / 2];
  }

private:
  explicit RegisterFiles(const llvm::MCRegisterInfo &MRI);

  std::vector<RegisterRange> Ranges;
  std::vector<llvm::MCRegister> SGPRs, VGPRs, AGPRs, SGPRPairs;
};

} // namespace luthier::amdgpu

#endif // LUTHIER_AMDGPU_REGISTERFILES_H
