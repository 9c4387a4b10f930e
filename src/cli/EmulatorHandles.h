// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What luthier/emulator.h gives out, owned, and its failures as errors.
#ifndef LUTHIER_CLI_EMULATORHANDLES_H
#define LUTHIER_CLI_EMULATORHANDLES_H

#include "cli/Arguments.h"
#include "luthier/emulator.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace luthier::cli {

template <auto Destroy> struct EmulatorDeleter {
  template <class T> void operator()(T *Handle) const { Destroy(Handle); }
};
using DeviceHandle =
    std::unique_ptr<luthier_emu_device,
                    EmulatorDeleter<luthier_emu_device_destroy>>;
using CodeHandle =
    std::unique_ptr<luthier_emu_code, EmulatorDeleter<luthier_emu_unload>>;
using ExecutionHandle =
    std::unique_ptr<luthier_emu_execution,
                    EmulatorDeleter<luthier_emu_execution_destroy>>;

template <class T> T sized() {
  T Result{};
  Result.struct_size = sizeof(T);
  return Result;
}

/// What the last failing call said; of creating a device for null.
llvm::Error deviceError(const luthier_emu_device *Device);

llvm::Expected<DeviceHandle>
createDevice(const luthier_emu_device_options &Options);
llvm::Expected<DeviceHandle> cloneDevice(luthier_emu_device *Device);
llvm::Expected<CodeHandle> loadCode(luthier_emu_device *Device,
                                    llvm::ArrayRef<uint8_t> CodeObject);

/// What --strict[=CHECKS] asks for, as the emulator takes it; empty for
/// nothing.
std::string strictChecks(const Arguments &Args);

/// A number up to \p Most, 0 if the option is not given.
llvm::Expected<uint64_t> numberOf(const Arguments &Args, llvm::StringRef Option,
                                  uint64_t Most);

} // namespace luthier::cli

#endif // LUTHIER_CLI_EMULATORHANDLES_H
