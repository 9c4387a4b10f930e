// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the bytes of a dynamic module to a code object for each target.
#ifndef LUTHIER_RUNTIME_MODULEIMAGES_H
#define LUTHIER_RUNTIME_MODULEIMAGES_H

#include "codeobject/FatBinary.h"
#include "luthier/InstrumentationModule.h"

namespace luthier::runtime {

llvm::Error moduleError(ModuleFault Fault, const llvm::Twine &Message);

/// What InstrumentationModule::load() takes; \p Name is for messages. The
/// images own their bytes. Compiles bitcode, and so must not be called where
/// EngineLock may not be taken.
llvm::Expected<std::vector<BundledCodeObject>>
readModule(llvm::ArrayRef<uint8_t> Bytes, llvm::StringRef Name);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_MODULEIMAGES_H
