// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether what the table of operations says fits what LLVM's tables say. An
// operation that it does not fit is refused: no default would be right.
#ifndef LUTHIER_EMULATOR_EXEC_ROWCHECK_H
#define LUTHIER_EMULATOR_EXEC_ROWCHECK_H

#include <string>

namespace llvm {
class MCInstrDesc;
class MCRegisterInfo;
} // namespace llvm

namespace luthier::emulator {

struct OperationFacts;

/// Empty, or what is missing in \p Facts of an instruction that LLVM describes
/// with \p Desc.
std::string missingFacts(const OperationFacts &Facts,
                         const llvm::MCInstrDesc &Desc,
                         const llvm::MCRegisterInfo &Registers);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_ROWCHECK_H
