// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers by file and number, which LLVM's register classes express only
// through functions that libLLVM does not export.
#ifndef LUTHIER_AMDGPU_REGISTERFILES_H
#define LUTHIER_AMDGPU_REGISTERFILES_H

#include "llvm/MC/MCRegister.h"
#include "llvm/MC/MCRegisterInfo.h"
#include <array>
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
  unsigned count(RegisterFile File) const { return Single[File].size(); }
  llvm::MCRegister single(RegisterFile File, unsigned Index) const {
    return Single[File][Index];
  }
  llvm::MCRegister sgpr(unsigned Index) const {
    return single(RegisterFile::SGPR, Index);
  }
  llvm::MCRegister vgpr(unsigned Index) const {
    return single(RegisterFile::VGPR, Index);
  }
  llvm::MCRegister agpr(unsigned Index) const {
    return single(RegisterFile::AGPR, Index);
  }
  /// s[Index:Index+1]; \p Index is even.
  llvm::MCRegister sgprPair(unsigned Index) const {
    return pair(RegisterFile::SGPR, Index);
  }
  /// Two of the file from First on; none if there is no such pair.
  llvm::MCRegister pair(RegisterFile File, unsigned First) const {
    return at(Pairs[File], First);
  }
  /// How many registers the widest tuples have.
  static constexpr unsigned Widest = 32;
  /// The tuple of that many from \p First on; none if there is no such.
  llvm::MCRegister widest(RegisterFile File, unsigned First) const {
    return at(Wide[File], First);
  }

private:
  explicit RegisterFiles(const llvm::MCRegisterInfo &MRI);

  std::vector<RegisterRange> Ranges;
  using ByNumber = std::vector<llvm::MCRegister>;
  class ByFile {
  public:
    ByNumber &operator[](RegisterFile File) { return Files[unsigned(File)]; }
    const ByNumber &operator[](RegisterFile File) const {
      return Files[unsigned(File)];
    }

  private:
    std::array<ByNumber, unsigned(RegisterFile::AGPR) + 1> Files;
  };

  static llvm::MCRegister at(const ByNumber &All, unsigned Index) {
    return Index < All.size() ? All[Index] : llvm::MCRegister();
  }

  ByFile Single, Pairs, Wide;
};

} // namespace luthier::amdgpu

#endif // LUTHIER_AMDGPU_REGISTERFILES_H
