// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rocPRIM's device-wide reductions and scans. Scans look back at what the
// workgroups before them published, in the middle of the same dispatch.
#include "Primitives.h"
#include <numeric>

static void checkReduce(Verdict &Results, const std::vector<uint32_t> &In) {
  const DeviceArray<uint32_t> Values(In);
  const DeviceArray<uint64_t> Sum(1);
  const DeviceArray<uint32_t> Greatest(1);
  callPrimitive([&](void *Storage, size_t &Bytes) {
    return rocprim::reduce(Storage, Bytes, Values.get(), Sum.get(), uint64_t(5),
                           In.size(), rocprim::plus<uint64_t>());
  });
  callPrimitive([&](void *Storage, size_t &Bytes) {
    return rocprim::reduce(Storage, Bytes, Values.get(), Greatest.get(),
                           uint32_t(0), In.size(),
                           rocprim::maximum<uint32_t>());
  });
  const std::vector<uint64_t> ExpectedSum{
      std::accumulate(In.begin(), In.end(), uint64_t(5))};
  const std::vector<uint32_t> ExpectedGreatest{
      std::accumulate(In.begin(), In.end(), 0u,
                      [](uint32_t A, uint32_t B) { return std::max(A, B); })};
  Results.expectEqual(Sum.read(), ExpectedSum);
  Results.expectEqual(Greatest.read(), ExpectedGreatest);
}

static void checkScans(Verdict &Results, const std::vector<uint32_t> &In) {
  const DeviceArray<uint32_t> Values(In);
  // An inclusive scan adds in the input's type.
  const DeviceArray<uint64_t> Wide(std::vector<uint64_t>(In.begin(), In.end()));
  const auto Out = deviceSpace<uint64_t>(In.size());
  std::vector<uint64_t> Expected(In.size());
  callPrimitive([&](void *Storage, size_t &Bytes) {
    return rocprim::inclusive_scan(Storage, Bytes, Wide.get(), Out.get(),
                                   In.size(), rocprim::plus<uint64_t>());
  });
  std::inclusive_scan(In.begin(), In.end(), Expected.begin(),
                      std::plus<uint64_t>(), uint64_t(0));
  Results.expectEqual(firstOf(Out.read(), In.size()), Expected);

  callPrimitive([&](void *Storage, size_t &Bytes) {
    return rocprim::exclusive_scan(Storage, Bytes, Values.get(), Out.get(),
                                   uint64_t(7), In.size(),
                                   rocprim::plus<uint64_t>());
  });
  std::exclusive_scan(In.begin(), In.end(), Expected.begin(), uint64_t(7));
  Results.expectEqual(firstOf(Out.read(), In.size()), Expected);
}

int main(int Argc, char **Argv) {
  Verdict Results("rocprim-scan");
  for (size_t Size : sizesFor(Argc, Argv)) {
    const std::vector<uint32_t> In = randomValues(Size, ~0u);
    checkReduce(Results, In);
    checkScans(Results, In);
  }
  return Results.finish();
}
