// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lld inside this process. A subprocess would take many times as long and would
// inherit LD_PRELOAD, and with it Luthier.
#ifndef LUTHIER_CODEOBJECT_LINKER_H
#define LUTHIER_CODEOBJECT_LINKER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace luthier {

/// Links the object file \p Object into a shared object. Fails with LinkFailed
/// and what the linker said. Thread-safe; one link runs at a time, since lld
/// keeps state in globals. Writes no file, starts no thread, and leaves the
/// program's signal handlers and LLVM's options as they are.
llvm::Expected<std::vector<uint8_t>>
linkSharedObject(llvm::ArrayRef<uint8_t> Object);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_LINKER_H
