// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host access to a tool's own device and managed variables. Managed variables
// are ordinary host memory that devices see too, so they can also be used
// directly; HIP's symbol calls know nothing of a tool's variables.
#ifndef LUTHIER_VARIABLES_H
#define LUTHIER_VARIABLES_H

#include "luthier/Export.h"
#include "llvm/Support/Error.h"
#include <cstddef>
#include <hsa/hsa.h>
#include <type_traits>

namespace luthier {

namespace detail {
LUTHIER_API llvm::Error readVariable(const void *Host, hsa_agent_t Agent,
                                     void *To, size_t Size);
LUTHIER_API llvm::Error writeVariable(const void *Host, hsa_agent_t Agent,
                                      const void *From, size_t Size);
} // namespace detail

/// The value of __device__ variable \p Variable on \p Agent. Call it when no
/// kernel that writes the variable is running.
template <typename T>
llvm::Error readVariable(const T &Variable, hsa_agent_t Agent, T &Value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return detail::readVariable(&Variable, Agent, &Value, sizeof(T));
}

/// Sets __device__ variable \p Variable on \p Agent.
template <typename T>
llvm::Error writeVariable(const T &Variable, hsa_agent_t Agent,
                          const T &Value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return detail::writeVariable(&Variable, Agent, &Value, sizeof(T));
}

} // namespace luthier

#endif // LUTHIER_VARIABLES_H
