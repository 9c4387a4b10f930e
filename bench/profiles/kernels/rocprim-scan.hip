// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rocPRIM's scan, whose workgroups look back at what those before them have
// published.
#include "Input.h"
#include "Primitives.h"

int main() {
  constexpr unsigned Count = 500'000;
  const DeviceArray<unsigned> Values(numbersBelow(Count, 1ull << 32, 19)),
      Sums(Count);
  callPrimitive([&](void *Storage, size_t &Bytes) {
    return rocprim::exclusive_scan(Storage, Bytes, Values.get(), Sums.get(), 7u,
                                   Count, rocprim::plus<unsigned>());
  });
  printDigest("rocprim-scan", Sums);
}
