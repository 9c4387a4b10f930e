// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes counted with LDS atomics, many lanes on the same bin, then merged with
// global atomics.
#include "Check.h"

constexpr unsigned Bins = 256;

__global__ void histogram(const uint8_t *Data, unsigned Count,
                          unsigned *Global) {
  __shared__ unsigned Local[Bins];
  for (unsigned Bin = threadIdx.x; Bin < Bins; Bin += blockDim.x)
    Local[Bin] = 0;
  __syncthreads();
  const unsigned Stride = gridDim.x * blockDim.x;
  for (unsigned I = blockIdx.x * blockDim.x + threadIdx.x; I < Count;
       I += Stride)
    atomicAdd(&Local[Data[I]], 1u);
  __syncthreads();
  for (unsigned Bin = threadIdx.x; Bin < Bins; Bin += blockDim.x)
    if (Local[Bin] != 0)
      atomicAdd(&Global[Bin], Local[Bin]);
}

int main(int Argc, char **Argv) {
  const unsigned Times = timesUsual(Argc, Argv);
  const unsigned Count = 120007 * Times, Groups = 23 * Times;
  constexpr unsigned GroupSize = 192;
  Random Input(6);
  std::vector<uint8_t> Data(Count);
  // The product of two bytes favours small values: bins of very unequal size.
  for (uint8_t &Value : Data) {
    const uint64_t Bits = Input.next();
    Value = uint8_t((Bits & 0xff) * (Bits >> 8 & 0xff) >> 8);
  }

  const DeviceArray<uint8_t> DeviceData(Data);
  const DeviceArray<unsigned> DeviceBins(std::vector<unsigned>(Bins, 0));
  histogram<<<Groups, GroupSize>>>(DeviceData.get(), Count, DeviceBins.get());

  std::vector<unsigned> Expected(Bins, 0);
  for (uint8_t Value : Data)
    ++Expected[Value];
  Verdict Results("histogram");
  Results.expectEqual(DeviceBins.read(), Expected);
  return Results.finish();
}
