// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launch that the options of `luthier exec` and `luthier verify` ask for.
#ifndef LUTHIER_CLI_LAUNCHREQUEST_H
#define LUTHIER_CLI_LAUNCHREQUEST_H

#include "cli/EmulatorHandles.h"
#include "cli/ExecArgument.h"

namespace luthier::cli {

class LaunchRequest {
public:
  /// --grid, --block, --lds, --scratch and --arg.
  static std::vector<OptionSpec> options();

  /// Reads \p Args for kernel \p Kernel of \p Code, which says what arguments
  /// there are. Errors show how the kernel can be launched.
  static llvm::Expected<LaunchRequest>
  read(const Arguments &Args, luthier_emu_code *Code, std::string Kernel);

  /// Puts buffers into the device's memory. Once, before launch().
  llvm::Error place(luthier_emu_device *Device);
  /// Valid as long as this object.
  luthier_emu_launch launch() const;
  /// Writes the files that arguments name, from the memory of the device that
  /// place() was called with or of a copy.
  llvm::Error writeOutputs(luthier_emu_device *Device) const;

private:
  llvm::Error readShape(const Arguments &Args);
  llvm::Error layOut(luthier_emu_code *Code);

  std::string Kernel;
  std::vector<ExecArgument> Given;
  std::vector<uint64_t> Offsets;   ///< Of the arguments.
  std::vector<uint64_t> Addresses; ///< Of buffers, 0 for other arguments.
  std::vector<uint8_t> Kernarg;
  luthier_emu_launch Shape = sized<luthier_emu_launch>();
};

} // namespace luthier::cli

#endif // LUTHIER_CLI_LAUNCHREQUEST_H
