// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rocPRIM's radix sort of numbers, and its merge sort.
#include "Input.h"
#include "Primitives.h"

int main() {
  constexpr unsigned Count = 100'000;
  const DeviceArray<unsigned> Keys(numbersBelow(Count, 1ull << 32, 18)),
      Sorted(Count);
  callPrimitive([&](void *Storage, size_t &Bytes) {
    return rocprim::radix_sort_keys(Storage, Bytes, Keys.get(), Sorted.get(),
                                    Count);
  });
  printDigest("rocprim-sort", Sorted);
  callPrimitive([&](void *Storage, size_t &Bytes) {
    return rocprim::merge_sort(Storage, Bytes, Keys.get(), Sorted.get(), Count);
  });
  printDigest("rocprim-sort", Sorted);
}
