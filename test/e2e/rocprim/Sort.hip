// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rocPRIM's device-wide radix and merge sorts, of keys and of pairs. Both are
// stable, so that the values say in which order equal keys came.
#include "RadixSort.h"

static void checkMergeSort(Verdict &Results, const SortInput &In) {
  const size_t Count = In.Keys.size();
  const DeviceArray<uint32_t> Keys(In.Keys), Few(In.Few), Values(In.Values);
  const auto SortedKeys = deviceSpace<uint32_t>(Count);
  const auto SortedValues = deviceSpace<uint32_t>(Count);
  callPrimitive([&](void *Storage, size_t &Bytes) {
    return rocprim::merge_sort(Storage, Bytes, Keys.get(), SortedKeys.get(),
                               Count, rocprim::greater<uint32_t>());
  });
  std::vector<uint32_t> Expected = In.Keys;
  std::sort(Expected.begin(), Expected.end(), std::greater<uint32_t>());
  Results.expectEqual(firstOf(SortedKeys.read(), Count), Expected);

  callPrimitive([&](void *Storage, size_t &Bytes) {
    return rocprim::merge_sort(Storage, Bytes, Few.get(), SortedKeys.get(),
                               Values.get(), SortedValues.get(), Count);
  });
  Expected = In.Few;
  std::sort(Expected.begin(), Expected.end());
  Results.expectEqual(firstOf(SortedKeys.read(), Count), Expected);
  Results.expectEqual(firstOf(SortedValues.read(), Count), In.Order);
}

int main(int Argc, char **Argv) {
  Verdict Results("rocprim-sort");
  for (size_t Size : sizesFor(Argc, Argv)) {
    const SortInput In(Size);
    checkRadixSort<rocprim::default_config>(Results, In);
    checkMergeSort(Results, In);
  }
  return Results.finish();
}
