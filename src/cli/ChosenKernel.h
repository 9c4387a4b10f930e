// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel that --target and --kernel choose of a file.
#ifndef LUTHIER_CLI_CHOSENKERNEL_H
#define LUTHIER_CLI_CHOSENKERNEL_H

#include "cli/Arguments.h"
#include "cli/InspectedFile.h"

namespace luthier::cli {

struct ChosenKernel {
  InspectedFile File;
  const BundledCodeObject *Image = nullptr; ///< Of File.
  std::shared_ptr<CodeObject> Object;
  const KernelInfo *Kernel = nullptr; ///< Of Object.

  const std::string &name() const { return Kernel->Name; }
  std::string readableName() const { return cli::readableName(name()); }
};

/// The options that it is chosen by.
std::vector<OptionSpec> kernelOptions();

/// Without --kernel, or if there is none of that name, the error lists those
/// there are. A file may have code for one target in several places, as
/// programs have: one for each source file.
llvm::Expected<ChosenKernel> chooseKernel(const Arguments &Args,
                                          const std::string &Path);

} // namespace luthier::cli

#endif // LUTHIER_CLI_CHOSENKERNEL_H
