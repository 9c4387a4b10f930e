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
#ifdef LUTHIER_EMULATOR_HAS_avx2
#ifdef LUTHIER_EMULATOR_HAS_generic
  bool HasAvx2 = __builtin_cpu_supports("avx2") &&
                 __builtin_cpu_supports("fma") &&
                 __builtin_cpu_supports("f16c");
  if (!HasAvx2)
    return generic::operations();
#endif
  return avx2::operations();
#else
  return generic::operations();
#endif
}

} // namespace luthier::emulator
