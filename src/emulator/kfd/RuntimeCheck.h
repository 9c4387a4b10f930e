// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the GPU runtime of this process knows the emulated devices: each has
// a table of them, and says little about those that are not in it.
#ifndef LUTHIER_EMULATOR_KFD_RUNTIMECHECK_H
#define LUTHIER_EMULATOR_KFD_RUNTIMECHECK_H

#include "emulator/cp/DeviceModel.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace luthier::emulator {

/// A library of the runtime, and the texts in it.
struct RuntimeLibrary {
  std::string Path;
  std::vector<llvm::StringRef> ReadOnly;
};

/// ROCr and HIP, as far as they are loaded.
std::vector<RuntimeLibrary> loadedRuntimeLibraries();

/// A line for each device that a library has no name of.
std::vector<std::string>
unknownDevices(llvm::ArrayRef<RuntimeLibrary> Libraries,
               llvm::ArrayRef<const DeviceModel *> Models);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_KFD_RUNTIMECHECK_H
