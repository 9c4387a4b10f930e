// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant texts of code that is loaded, by their addresses on the device. They
// are read from the files, so that no device has to be asked.
#ifndef LUTHIER_RUNTIME_LOADEDTEXTS_H
#define LUTHIER_RUNTIME_LOADEDTEXTS_H

#include "codeobject/CodeObject.h"
#include "runtime/LoadedCode.h"
#include <cstdint>
#include <deque>
#include <hsa/hsa.h>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace luthier::runtime {

class OwnExecutable;

/// Thread-safe.
class LoadedTexts {
public:
  void add(const OwnExecutable &Code, hsa_agent_t Agent);
  /// What is there up to a zero. Of other addresses, the address in brackets.
  std::string at(hsa_agent_t Agent, uint64_t Address) const;

private:
  struct Loaded {
    uint64_t Agent;
    AddressRange Range;
    std::vector<uint8_t> Bytes; ///< The code may be gone before its messages.
    std::unique_ptr<CodeObject> Code;
  };
  mutable std::mutex Lock;
  std::deque<Loaded> All; ///< The last one first.
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_LOADEDTEXTS_H
