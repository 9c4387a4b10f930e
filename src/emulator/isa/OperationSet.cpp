// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Picks the handlers that suit the host.
#include "emulator/isa/Operation.h"

namespace luthier::emulator {

namespace generic {
const OperationSet &operations();
}
namespace avx2 {
const OperationSet &operations();
}

const OperationSet &operationSet() {
  bool HasAvx2 = __builtin_cpu_supports("avx2") &&
                 __builtin_cpu_supports("fma") &&
                 __builtin_cpu_supports("f16c");
  return HasAvx2 ? avx2::operations() : generic::operations();
}

} // namespace luthier::emulator
