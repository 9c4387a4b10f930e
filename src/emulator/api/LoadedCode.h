// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A code object in a device's memory, as a loader puts it there.
#ifndef LUTHIER_EMULATOR_API_LOADEDCODE_H
#define LUTHIER_EMULATOR_API_LOADEDCODE_H

#include "emulator/api/KernelMetadata.h"
#include "emulator/api/Memory.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include "llvm/Support/Error.h"

namespace luthier::emulator::api {

struct LoadedKernel {
  std::string Name;
  uint64_t DescriptorAddress = 0;
  uint64_t EntryAddress = 0;
  llvm::amdhsa::kernel_descriptor_t Descriptor{};
  KernelMetadata Metadata;
  uint32_t kernargSize() const;
  /// Where the first hidden argument begins, or the end of all.
  uint32_t explicitKernargSize() const;
};

struct LoadedCode {
  struct Symbol {
    uint64_t Address, Size;
  };
  /// Device addresses.
  uint64_t Begin = 0, Size = 0;
  std::string Processor;
  llvm::StringMap<Symbol> Symbols;
  /// In order of their names.
  std::vector<LoadedKernel> Kernels;

  const LoadedKernel *findKernel(llvm::StringRef Name) const;
};

/// The code stays where Begin is until it is freed there.
llvm::Expected<LoadedCode> loadCode(llvm::ArrayRef<uint8_t> Elf, Memory &Into);

} // namespace luthier::emulator::api

#endif // LUTHIER_EMULATOR_API_LOADEDCODE_H
