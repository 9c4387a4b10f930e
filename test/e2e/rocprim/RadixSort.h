// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rocPRIM's radix sort of keys and of pairs. It is stable, so that the values
// say in which order equal keys came.
#ifndef LUTHIER_TEST_E2E_ROCPRIM_RADIXSORT_H
#define LUTHIER_TEST_E2E_ROCPRIM_RADIXSORT_H

#include "Primitives.h"
#include <numeric>

struct SortInput {
  explicit SortInput(size_t Count)
      : Keys(randomValues(Count, ~0u)), Few(randomValues(Count, 500)),
        Values(Count), Order(Count) {
    std::iota(Values.begin(), Values.end(), 0u);
    Order = Values;
    std::stable_sort(Order.begin(), Order.end(),
                     [&](uint32_t A, uint32_t B) { return Few[A] < Few[B]; });
  }
  std::vector<uint32_t> Keys;
  /// Keys with many equal ones, and where a stable sort takes each from.
  std::vector<uint32_t> Few, Values, Order;
};

template <typename Config>
void checkRadixSort(Verdict &Results, const SortInput &In) {
  const size_t Count = In.Keys.size();
  const DeviceArray<uint32_t> Keys(In.Keys), Few(In.Few), Values(In.Values);
  const auto SortedKeys = deviceSpace<uint32_t>(Count);
  const auto SortedValues = deviceSpace<uint32_t>(Count);
  callPrimitive([&](void *Storage, size_t &Bytes) {
    return rocprim::radix_sort_keys<Config>(Storage, Bytes, Keys.get(),
                                            SortedKeys.get(), Count);
  });
  std::vector<uint32_t> Expected = In.Keys;
  std::sort(Expected.begin(), Expected.end());
  Results.expectEqual(firstOf(SortedKeys.read(), Count), Expected);

  callPrimitive([&](void *Storage, size_t &Bytes) {
    return rocprim::radix_sort_pairs<Config>(Storage, Bytes, Few.get(),
                                             SortedKeys.get(), Values.get(),
                                             SortedValues.get(), Count);
  });
  Expected = In.Few;
  std::sort(Expected.begin(), Expected.end());
  Results.expectEqual(firstOf(SortedKeys.read(), Count), Expected);
  Results.expectEqual(firstOf(SortedValues.read(), Count), In.Order);
}

#endif // LUTHIER_TEST_E2E_ROCPRIM_RADIXSORT_H
