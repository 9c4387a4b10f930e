// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a code object's metadata note says about its kernels' arguments
// (AMDGPUUsage, "Code Object Metadata"). The emulator's own reader: it judges
// those that the engine's reader helped to make.
#ifndef LUTHIER_EMULATOR_API_KERNELMETADATA_H
#define LUTHIER_EMULATOR_API_KERNELMETADATA_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace luthier::emulator::api {

struct KernelArgument {
  std::string Name, TypeName, Kind;
  uint32_t Offset = 0, Size = 0;
  bool isHidden() const { return llvm::StringRef(Kind).starts_with("hidden_"); }
};

struct KernelMetadata {
  std::string Name;
  std::vector<KernelArgument> Arguments;
  uint32_t KernargSize = 0;
  uint32_t MaxWorkgroupSize = 0;
};

/// \p Blob is MessagePack. Fails for a damaged one.
llvm::Expected<std::vector<KernelMetadata>>
readKernelMetadata(llvm::StringRef Blob);

} // namespace luthier::emulator::api

#endif // LUTHIER_EMULATOR_API_KERNELMETADATA_H
