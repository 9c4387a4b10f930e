// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams with masks of compute units: kernels run on those, on all of them,
// and on no others.
#include "Check.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

constexpr unsigned NumBlocks = 64;

/// Engine and unit, or pair of units, as the hardware names them.
__global__ void notePlaces(unsigned *Places) {
#if defined(__GFX9__)
  const unsigned Engine = __builtin_amdgcn_s_getreg(4 | 13 << 6 | 1 << 11);
  const unsigned Unit = __builtin_amdgcn_s_getreg(4 | 8 << 6 | 3 << 11);
#else
  const unsigned Engine = __builtin_amdgcn_s_getreg(23 | 18 << 6 | 1 << 11);
  const unsigned Unit = __builtin_amdgcn_s_getreg(23 | 10 << 6 | 3 << 11);
#endif
  Places[blockIdx.x] = Engine << 4 | Unit;
}

static std::set<unsigned> placesOf(hipStream_t Stream) {
  unsigned *Places;
  check(hipMalloc(&Places, NumBlocks * sizeof(unsigned)), "hipMalloc");
  notePlaces<<<NumBlocks, 64, 0, Stream>>>(Places);
  check(hipStreamSynchronize(Stream), "hipStreamSynchronize");
  std::vector<unsigned> Host(NumBlocks);
  check(hipMemcpy(Host.data(), Places, NumBlocks * sizeof(unsigned),
                  hipMemcpyDeviceToHost),
        "copy out");
  check(hipFree(Places), "hipFree");
  return {Host.begin(), Host.end()};
}

static std::set<unsigned> placesWith(unsigned Mask) {
  hipStream_t Stream;
  check(hipExtStreamCreateWithCUMask(&Stream, 1, &Mask),
        "hipExtStreamCreateWithCUMask");
  std::set<unsigned> Places = placesOf(Stream);
  check(hipStreamDestroy(Stream), "hipStreamDestroy");
  return Places;
}

int main() {
  hipDeviceProp_t Properties;
  check(hipGetDeviceProperties(&Properties, 0), "hipGetDeviceProperties");
  // Where units come in pairs, HIP counts the pairs. Before 6, its bits are of
  // the units all the same.
  const auto Units = size_t(Properties.multiProcessorCount);
  const bool InPairs = HIP_VERSION_MAJOR < 6 && Properties.warpSize == 32;
  const size_t OfTwoBits = InPairs ? 1 : 2;

  const std::set<unsigned> All = placesOf(nullptr);
  check(All.size() == Units, "all units run kernels", long(All.size()));
  const std::set<unsigned> Few = placesWith(0x0c), Others = placesWith(0xf3);
  check(Few.size() == OfTwoBits, "the mask's units", long(Few.size()));
  std::vector<unsigned> Rest;
  std::set_difference(All.begin(), All.end(), Few.begin(), Few.end(),
                      std::back_inserter(Rest));
  check(std::vector<unsigned>(Others.begin(), Others.end()) == Rest,
        "the other mask's units", long(Others.size()));
  check(placesOf(nullptr) == All, "other streams have no mask");
  return verdict();
}
