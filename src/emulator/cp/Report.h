// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LUTHIER_EMULATOR_CP_REPORT_H
#define LUTHIER_EMULATOR_CP_REPORT_H

#include <string>

namespace luthier::emulator {

/// One line on stderr beginning with "luthier-emulator:", written at once so
/// that lines of several threads do not mix.
void reportError(const std::string &Message);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_REPORT_H
