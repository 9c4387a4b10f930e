// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rocPRIM's device-wide selections: by flags and by predicate, partition, and
// run-length encoding.
#include "Primitives.h"

namespace {

struct IsOdd {
  __host__ __device__ bool operator()(uint32_t Value) const {
    return Value & 1;
  }
};

} // namespace

static void checkSelect(Verdict &Results, const std::vector<uint32_t> &In) {
  const DeviceArray<uint32_t> Values(In), NumSelected(1);
  const auto Out = deviceSpace<uint32_t>(In.size());
  std::vector<uint32_t> Expected;
  std::copy_if(In.begin(), In.end(), std::back_inserter(Expected), IsOdd());
  const std::vector<uint32_t> Count{uint32_t(Expected.size())};

  callPrimitive([&](void *Storage, size_t &Bytes) {
    return rocprim::select(Storage, Bytes, Values.get(), Out.get(),
                           NumSelected.get(), In.size(), IsOdd());
  });
  Results.expectEqual(NumSelected.read(), Count);
  Results.expectEqual(firstOf(Out.read(), Expected.size()), Expected);

  std::vector<uint8_t> Flags(In.size());
  std::transform(In.begin(), In.end(), Flags.begin(), IsOdd());
  const DeviceArray<uint8_t> DeviceFlags(Flags);
  CHECK_HIP(hipMemset(Out.get(), 0, Out.bytes()));
  callPrimitive([&](void *Storage, size_t &Bytes) {
    return rocprim::select(Storage, Bytes, Values.get(), DeviceFlags.get(),
                           Out.get(), NumSelected.get(), In.size());
  });
  Results.expectEqual(NumSelected.read(), Count);
  Results.expectEqual(firstOf(Out.read(), Expected.size()), Expected);
}

/// Those that are not selected follow in reverse order.
static void checkPartition(Verdict &Results, const std::vector<uint32_t> &In) {
  const DeviceArray<uint32_t> Values(In), NumSelected(1);
  const auto Out = deviceSpace<uint32_t>(In.size());
  callPrimitive([&](void *Storage, size_t &Bytes) {
    return rocprim::partition(Storage, Bytes, Values.get(), Out.get(),
                              NumSelected.get(), In.size(), IsOdd());
  });
  std::vector<uint32_t> Expected = In;
  const auto Middle =
      std::stable_partition(Expected.begin(), Expected.end(), IsOdd());
  std::reverse(Middle, Expected.end());
  const std::vector<uint32_t> Count{uint32_t(Middle - Expected.begin())};
  Results.expectEqual(NumSelected.read(), Count);
  Results.expectEqual(firstOf(Out.read(), In.size()), Expected);
}

static void checkRunLengths(Verdict &Results, const std::vector<uint32_t> &In) {
  const DeviceArray<uint32_t> Values(In), NumRuns(1);
  const auto Unique = deviceSpace<uint32_t>(In.size());
  const auto Lengths = deviceSpace<uint32_t>(In.size());
  callPrimitive([&](void *Storage, size_t &Bytes) {
    return rocprim::run_length_encode(Storage, Bytes, Values.get(), In.size(),
                                      Unique.get(), Lengths.get(),
                                      NumRuns.get());
  });
  std::vector<uint32_t> ExpectedUnique, ExpectedLengths;
  for (size_t I = 0; I != In.size(); ++I) {
    if (I == 0 || In[I] != In[I - 1]) {
      ExpectedUnique.push_back(In[I]);
      ExpectedLengths.push_back(0);
    }
    ++ExpectedLengths.back();
  }
  const std::vector<uint32_t> Count{uint32_t(ExpectedUnique.size())};
  Results.expectEqual(NumRuns.read(), Count);
  Results.expectEqual(firstOf(Unique.read(), Count[0]), ExpectedUnique);
  Results.expectEqual(firstOf(Lengths.read(), Count[0]), ExpectedLengths);
}

int main(int Argc, char **Argv) {
  Verdict Results("rocprim-select");
  for (size_t Size : sizesFor(Argc, Argv)) {
    checkSelect(Results, randomValues(Size, ~0u));
    checkPartition(Results, randomValues(Size, 1000));
    // Few values, so that runs are longer than one.
    checkRunLengths(Results, randomValues(Size, 3));
  }
  return Results.finish();
}
