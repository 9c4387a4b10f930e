// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rocPRIM's device-wide histogram of even bins, and merging of sorted ranges.
#include "Primitives.h"

/// Bins of equal width over [0, 256 * Width); what lies beyond is not counted.
static void checkHistogram(Verdict &Results, size_t Size, uint32_t Width) {
  constexpr uint32_t Bins = 256;
  const std::vector<uint32_t> In = randomValues(Size, Bins * Width + 100);
  const DeviceArray<uint32_t> Values(In);
  const DeviceArray<uint32_t> Counts(Bins);
  callPrimitive([&](void *Storage, size_t &Bytes) {
    return rocprim::histogram_even(Storage, Bytes, Values.get(),
                                   unsigned(In.size()), Counts.get(), Bins + 1,
                                   0u, Bins * Width);
  });
  std::vector<uint32_t> Expected(Bins);
  for (uint32_t Value : In)
    if (Value < Bins * Width)
      ++Expected[Value / Width];
  Results.expectEqual(Counts.read(), Expected);
}

static void checkMerge(Verdict &Results, size_t First, size_t Second) {
  std::vector<uint32_t> A = randomValues(First, 1'000'000);
  std::vector<uint32_t> B = randomValues(Second, 999'999);
  std::sort(A.begin(), A.end());
  std::sort(B.begin(), B.end());
  const DeviceArray<uint32_t> DeviceA(A), DeviceB(B);
  const auto Out = deviceSpace<uint32_t>(First + Second);
  callPrimitive([&](void *Storage, size_t &Bytes) {
    return rocprim::merge(Storage, Bytes, DeviceA.get(), DeviceB.get(),
                          Out.get(), A.size(), B.size());
  });
  std::vector<uint32_t> Expected(First + Second);
  std::merge(A.begin(), A.end(), B.begin(), B.end(), Expected.begin());
  Results.expectEqual(firstOf(Out.read(), First + Second), Expected);
}

int main(int Argc, char **Argv) {
  Verdict Results("rocprim-histogram");
  for (size_t Size : sizesFor(Argc, Argv)) {
    checkHistogram(Results, Size, 4);
    checkHistogram(Results, Size, 1'000'003);
    checkMerge(Results, Size / 3, Size - Size / 3);
    checkMerge(Results, Size, 0);
  }
  return Results.finish();
}
