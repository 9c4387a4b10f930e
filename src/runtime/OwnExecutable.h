// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A code object that Luthier itself loads onto one agent: instrumented code, or
// the device side of a tool.
#ifndef LUTHIER_RUNTIME_OWNEXECUTABLE_H
#define LUTHIER_RUNTIME_OWNEXECUTABLE_H

#include "runtime/LoadedCode.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <hsa/hsa.h>
#include <memory>
#include <vector>

namespace luthier::runtime {

class OwnExecutable {
public:
  static llvm::Expected<std::unique_ptr<OwnExecutable>>
  load(std::vector<uint8_t> CodeObject, hsa_agent_t Agent);
  /// No dispatch of its kernels may be under way. Does nothing after the GPU
  /// runtime was shut down, which destroyed it already.
  ~OwnExecutable();
  OwnExecutable(const OwnExecutable &) = delete;
  OwnExecutable &operator=(const OwnExecutable &) = delete;

  /// The code object's.
  llvm::ArrayRef<uint8_t> bytes() const { return Bytes; }
  /// What a packet must carry to run kernel \p Name.
  llvm::Expected<uint64_t> kernelObject(llvm::StringRef Name) const;
  /// What it takes up on the device.
  llvm::SmallVector<AddressRange, 1> ranges() const;
  /// Device addresses of all variables.
  llvm::Expected<llvm::StringMap<uint64_t>> variables() const;

private:
  OwnExecutable(std::vector<uint8_t> Bytes, hsa_agent_t Agent)
      : Bytes(std::move(Bytes)), Agent(Agent) {}

  /// The loader and debuggers refer to them while the executable exists.
  std::vector<uint8_t> Bytes;
  hsa_agent_t Agent;
  hsa_executable_t Executable = {0};
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_OWNEXECUTABLE_H
