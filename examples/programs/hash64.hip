// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 64-bit integer hashing: wide multiplications, rotations, shifts and carries
// on a machine whose registers hold 32 bits.
#include "Check.h"

__host__ __device__ inline uint64_t rotateLeft(uint64_t Value, unsigned By) {
  return Value << By | Value >> (64 - By);
}

/// A few rounds in the manner of xxHash, then MurmurHash3's finaliser.
__host__ __device__ inline uint64_t hash(uint64_t Value, uint64_t Seed) {
  uint64_t Hash = Seed + 0x27d4eb2f165667c5;
  for (unsigned Round = 0; Round < 8; ++Round) {
    Hash ^= rotateLeft(Value * 0xc2b2ae3d27d4eb4f, 31) * 0x9e3779b185ebca87;
    Hash = rotateLeft(Hash, 27) * 0x9e3779b185ebca87 + 0x85ebca77c2b2ae63;
    // The amount depends on the data: a real 64-bit shift.
    Value = rotateLeft(Value, 1 + Hash % 63) - Hash;
  }
  Hash = (Hash ^ Hash >> 33) * 0xff51afd7ed558ccd;
  Hash = (Hash ^ Hash >> 33) * 0xc4ceb9fe1a85ec53;
  return Hash ^ Hash >> 33;
}

__global__ void hash64(const uint64_t *Values, uint64_t *Hashes, uint64_t Seed,
                       unsigned Count) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Hashes[I] = hash(Values[I], Seed);
}

int main(int Argc, char **Argv) {
  const unsigned Count = 40009 * timesUsual(Argc, Argv);
  constexpr unsigned GroupSize = 320;
  constexpr uint64_t Seed = 0xfedcba9876543210;
  Random Input(11);
  std::vector<uint64_t> Values(Count);
  for (uint64_t &Value : Values)
    Value = Input.next();

  const DeviceArray<uint64_t> DeviceValues(Values), DeviceHashes(Count);
  hash64<<<groupsFor(Count, GroupSize), GroupSize>>>(
      DeviceValues.get(), DeviceHashes.get(), Seed, Count);

  std::vector<uint64_t> Expected(Count);
  for (unsigned I = 0; I < Count; ++I)
    Expected[I] = hash(Values[I], Seed);
  Verdict Results("hash64");
  Results.expectEqual(DeviceHashes.read(), Expected);
  return Results.finish();
}
