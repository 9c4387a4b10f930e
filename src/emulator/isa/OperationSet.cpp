// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Picks the handlers that suit the host.
#include "emulator/isa/Operation.h"
#include <cstdlib>

namespace luthier::emulator {

namespace generic {
const OperationSet &operations();
}
namespace avx2 {
const OperationSet &operations();
}

namespace avx512 {
const OperationSet &operations();
}

namespace {

[[maybe_unused]] bool hostHasAvx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("f16c");
}
[[maybe_unused]] bool hostHasAvx512() {
  return hostHasAvx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512cd");
}

} // namespace

const OperationSet &operationSet() {
#ifdef LUTHIER_EMULATOR_HAS_avx512
  if (hostHasAvx512())
    return avx512::operations();
#endif
#ifdef LUTHIER_EMULATOR_HAS_avx2
  if (hostHasAvx2())
    return avx2::operations();
#endif
#ifdef LUTHIER_EMULATOR_HAS_generic
  return generic::operations();
#else
  // A developer's build, for a host it was not made for.
  std::abort();
#endif
}

} // namespace luthier::emulator
