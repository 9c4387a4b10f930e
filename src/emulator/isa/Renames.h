// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mnemonics that a later generation gave to an operation that had one before.
#ifndef LUTHIER_EMULATOR_ISA_RENAMES_H
#define LUTHIER_EMULATOR_ISA_RENAMES_H

#include <string>

namespace luthier::emulator {

/// The name under which the table of operations has \p Mnemonic, which comes
/// without encoding suffix.
const std::string &canonicalMnemonic(const std::string &Mnemonic);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_ISA_RENAMES_H
