// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/isa/Renames.h"
#include <unordered_map>

namespace luthier::emulator {

const std::string &canonicalMnemonic(const std::string &Mnemonic) {
  // Never destroyed: kernels run while the process ends, too.
  using Map = std::unordered_map<std::string, std::string>;
  static const Map &Names = *new Map{
#define LUTHIER_RENAME(New, Canonical) {#New, #Canonical},
#include "emulator/isa/Renames.def"
  };
  auto It = Names.find(Mnemonic);
  return It == Names.end() ? Mnemonic : It->second;
}

} // namespace luthier::emulator
