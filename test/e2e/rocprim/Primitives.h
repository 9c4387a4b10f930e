// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the rocPRIM programs share: sizes, input, and the two-call convention of
// the library's device-wide functions.
#ifndef LUTHIER_TEST_E2E_ROCPRIM_PRIMITIVES_H
#define LUTHIER_TEST_E2E_ROCPRIM_PRIMITIVES_H

#include "Check.h"
#include <algorithm>
#include <rocprim/rocprim.hpp>
#include <string>

/// Ends and middles of waves, workgroups and grids. The largest take long, so
/// they are asked for by name; -O0 gets the smallest only.
inline std::vector<size_t> sizesFor(int Argc, char **Argv) {
  const std::string Which = Argc > 1 ? Argv[1] : "some";
  // One workgroup and some, for runs that take long for each instruction.
  if (Which == "tiny")
    return {65, 4097};
  if (Which == "small")
    return {0, 1, 2, 63, 64, 65, 1000, 4097};
  if (Which == "some")
    return {0, 1, 2, 63, 64, 65, 1000, 4097, 100'000};
  if (Which == "large")
    return {1'000'000, 10'000'000};
  if (const size_t Size = std::strtoull(Which.c_str(), nullptr, 10))
    return {Size};
  std::fprintf(stderr, "usage: %s [tiny|small|some|large|NUMBER]\n", Argv[0]);
  std::exit(2);
}

/// Values below \p Limit, so that a small limit makes many equal ones.
inline std::vector<uint32_t> randomValues(size_t Count, uint32_t Limit) {
  Random Input(Count + Limit);
  std::vector<uint32_t> Values(Count);
  for (uint32_t &Value : Values)
    Value = uint32_t((Input.next() >> 32) * Limit >> 32);
  return Values;
}

/// Asks for the temporary storage, then does the work.
template <typename F> void callPrimitive(F Call) {
  size_t Bytes = 0;
  CHECK_HIP(Call(nullptr, Bytes));
  // Not null, which would ask for the size again.
  const DeviceArray<char> Storage(std::max<size_t>(Bytes, 1));
  CHECK_HIP(Call(Storage.get(), Bytes));
}

/// The first \p Count of \p Values.
template <typename T>
std::vector<T> firstOf(std::vector<T> Values, size_t Count) {
  Values.resize(std::min(Count, Values.size()));
  return Values;
}

/// A device array of at least one element, since primitives of nothing may
/// still be given somewhere to write to.
template <typename T> DeviceArray<T> deviceSpace(size_t Count) {
  return DeviceArray<T>(std::max<size_t>(Count, 1));
}

#endif // LUTHIER_TEST_E2E_ROCPRIM_PRIMITIVES_H
