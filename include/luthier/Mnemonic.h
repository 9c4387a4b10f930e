// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of instructions as numbers that hooks can compare:
//
//   if (Name == luthier::mnemonicID("global_load_dword"))
#ifndef LUTHIER_MNEMONIC_H
#define LUTHIER_MNEMONIC_H

#include "luthier/Export.h"
#include <cstdint>
#include <string>

namespace llvm {
class MachineInstr;
}

namespace luthier {

/// FNV-1a of the name: the same in every version of Luthier and LLVM.
constexpr uint32_t mnemonicID(const char *Name) {
  uint32_t Hash = 2166136261u;
  for (; *Name; ++Name)
    Hash = (Hash ^ static_cast<uint8_t>(*Name)) * 16777619u;
  return Hash;
}

/// The name of \p MI as assembly for its target spells it, without suffixes for
/// the encoding (_e32, _e64, _dpp, _sdwa). Of two operations in one
/// instruction, the first.
LUTHIER_API std::string mnemonicOf(const llvm::MachineInstr &MI);

} // namespace luthier

#endif // LUTHIER_MNEMONIC_H
