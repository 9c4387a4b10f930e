// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of a file and its instrumented version in lockstep on the emulated
// GPU. Both are in one code object (offline::Result), so that what they share
// has the same address for both; only the kernel's descriptor differs.
#ifndef LUTHIER_CLI_KERNELCOMPARISON_H
#define LUTHIER_CLI_KERNELCOMPARISON_H

#include "cli/ChosenKernel.h"
#include "cli/LaunchRequest.h"
#include "luthier/Offline.h"

namespace luthier::cli {

/// What is to be compared, whatever the seed.
struct ComparedLaunch {
  const ChosenKernel &Chosen;
  LaunchRequest Request;
  /// Bytes of private memory per work-item that every launch gives; 0 for what
  /// the descriptors say.
  uint32_t LaunchStack = 0;
  std::string Strict;
};

/// A device like the kernel's target. Refuses checks that there are not.
llvm::Expected<DeviceHandle> deviceFor(const ChosenKernel &Chosen,
                                       uint64_t Seed,
                                       const std::string &Strict = {});

class KernelComparison {
public:
  /// \p Made holds the kernel in both versions. Both outlive this.
  KernelComparison(const ComparedLaunch &What, const offline::Result &Made)
      : What(What), Made(Made), Launch(What.Request) {}

  /// The result as a line for VerifyReport. FILEs that arguments name are
  /// written.
  llvm::Expected<std::string> run(uint64_t Seed);

private:
  /// One version, on a device of its own.
  struct Side {
    DeviceHandle Device;
    CodeHandle Code;
    luthier_emu_kernel_info Info = sized<luthier_emu_kernel_info>();
    ExecutionHandle Execution;
  };

  llvm::Error load(uint64_t Seed);
  llvm::Error load(Side &S, llvm::ArrayRef<uint8_t> CodeObject);
  llvm::Error start(Side &S);
  llvm::Expected<std::string> compare(uint64_t Seed);
  std::string describe(const luthier_emu_difference &D) const;
  std::string hooksNear(const luthier_emu_difference &D) const;
  std::string line(const char *Result, const llvm::Twine &Text) const;
  const offline::Kernel &kernel() const { return Made.Kernels.front(); }

  const ComparedLaunch &What;
  const offline::Result &Made;
  LaunchRequest Launch;
  Side Old, New;
  uint64_t Bias = 0; ///< Addresses as loaded less those as linked.
};

} // namespace luthier::cli

#endif // LUTHIER_CLI_KERNELCOMPARISON_H
