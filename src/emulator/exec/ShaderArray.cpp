// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/ShaderArray.h"

namespace luthier::emulator {

ShaderArray::~ShaderArray() = default;

std::unique_ptr<ShaderArray> ShaderArray::create(Options Opts, AddressSpace &,
                                                 std::string &Error) {
  Error = "no instruction set is emulated for " + Opts.Processor;
  return nullptr;
}

} // namespace luthier::emulator
