// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// printf() for arguments that come from a device.
#ifndef LUTHIER_RUNTIME_PRINTFORMAT_H
#define LUTHIER_RUNTIME_PRINTFORMAT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace luthier::runtime {

/// As the device passes them: integers and pointers as 64 bits, floating point
/// as the bits of a double; for a string what it says.
struct PrintArgument {
  uint64_t Value = 0;
  std::string Text = {};
};

/// What printf() makes of it. \p Format is anything: conversions that C does
/// not have, or that have no argument, stay as they are.
std::string formatPrint(llvm::StringRef Format,
                        llvm::ArrayRef<PrintArgument> Arguments);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_PRINTFORMAT_H
