// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host access to a tool's own device and managed variables. Managed variables
// are ordinary host memory that devices see too, so they can also be used
// directly; HIP's symbol calls know nothing of a tool's variables.
#ifndef LUTHIER_VARIABLES_H
#define LUTHIER_VARIABLES_H

#include "luthier/Export.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstddef>
#include <hsa/hsa.h>
#include <type_traits>

namespace luthier {

namespace detail {
LUTHIER_API llvm::Error readVariable(const void *Host, hsa_agent_t Agent,
                                     void *To, size_t Size, size_t Offset = 0);
LUTHIER_API llvm::Error writeVariable(const void *Host, hsa_agent_t Agent,
                                      const void *From, size_t Size,
                                      size_t Offset = 0);
} // namespace detail

/// The value of __device__ variable \p Variable on \p Agent, or of a part of
/// it: Table[3]. Call it when no kernel that writes the variable is running.
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

/// Elements \p First and following of the array \p Variable, as many as
/// \p Values has room for: a std::vector, for instance. Fails if the array ends
/// before.
template <typename T, size_t N>
llvm::Error readVariable(const T (&Variable)[N], hsa_agent_t Agent,
                         std::type_identity_t<llvm::MutableArrayRef<T>> Values,
                         size_t First = 0) {
  static_assert(std::is_trivially_copyable_v<T>);
  return detail::readVariable(&Variable, Agent, Values.data(),
                              Values.size() * sizeof(T), First * sizeof(T));
}

/// The same for an array of arrays, whose elements are those of the innermost
/// ones, row by row.
template <typename T, size_t N, size_t M>
llvm::Error
readVariable(const T (&Variable)[N][M], hsa_agent_t Agent,
             llvm::MutableArrayRef<std::remove_all_extents_t<T>> Values,
             size_t First = 0) {
  using Element = std::remove_all_extents_t<T>;
  static_assert(std::is_trivially_copyable_v<Element>);
  return detail::readVariable(&Variable, Agent, Values.data(),
                              Values.size() * sizeof(Element),
                              First * sizeof(Element));
}

/// Sets elements \p First and following of the array \p Variable to \p Values.
template <typename T, size_t N>
llvm::Error writeVariable(const T (&Variable)[N], hsa_agent_t Agent,
                          std::type_identity_t<llvm::ArrayRef<T>> Values,
                          size_t First = 0) {
  static_assert(std::is_trivially_copyable_v<T>);
  return detail::writeVariable(&Variable, Agent, Values.data(),
                               Values.size() * sizeof(T), First * sizeof(T));
}

/// The same for an array of arrays.
template <typename T, size_t N, size_t M>
llvm::Error writeVariable(const T (&Variable)[N][M], hsa_agent_t Agent,
                          llvm::ArrayRef<std::remove_all_extents_t<T>> Values,
                          size_t First = 0) {
  using Element = std::remove_all_extents_t<T>;
  static_assert(std::is_trivially_copyable_v<Element>);
  return detail::writeVariable(&Variable, Agent, Values.data(),
                               Values.size() * sizeof(Element),
                               First * sizeof(Element));
}

} // namespace luthier

#endif // LUTHIER_VARIABLES_H
