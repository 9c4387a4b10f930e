// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies that attract each other with a screened force: the hardware's
// reciprocal square root and exponential, and several dependent launches.
#include "Check.h"

constexpr unsigned GroupSize = 128;
/// Keeps close encounters, and so rounding errors, small.
constexpr float Softening = 0.05f;

__global__ void accelerate(const float4 *Positions, float4 *Velocities,
                           unsigned Count, float TimeStep) {
  __shared__ float4 Near[GroupSize];
  const unsigned I = blockIdx.x * GroupSize + threadIdx.x;
  const float4 Here = I < Count ? Positions[I] : make_float4(0, 0, 0, 0);
  float X = 0, Y = 0, Z = 0;
  for (unsigned Start = 0; Start < Count; Start += GroupSize) {
    const unsigned Other = Start + threadIdx.x;
    Near[threadIdx.x] =
        Other < Count ? Positions[Other] : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (unsigned J = 0; J < GroupSize; ++J) {
      const float DX = Near[J].x - Here.x;
      const float DY = Near[J].y - Here.y;
      const float DZ = Near[J].z - Here.z;
      const float Square = DX * DX + DY * DY + DZ * DZ + Softening;
      const float Inverse = rsqrtf(Square);
      // The fourth component is the mass; padding has none.
      const float Force =
          Near[J].w * expf(-Square * Inverse) * Inverse * Inverse * Inverse;
      X += Force * DX;
      Y += Force * DY;
      Z += Force * DZ;
    }
    __syncthreads();
  }
  if (I < Count) {
    Velocities[I].x += TimeStep * X;
    Velocities[I].y += TimeStep * Y;
    Velocities[I].z += TimeStep * Z;
  }
}

__global__ void move(float4 *Positions, const float4 *Velocities,
                     unsigned Count, float TimeStep) {
  const unsigned I = blockIdx.x * GroupSize + threadIdx.x;
  if (I >= Count)
    return;
  Positions[I].x += TimeStep * Velocities[I].x;
  Positions[I].y += TimeStep * Velocities[I].y;
  Positions[I].z += TimeStep * Velocities[I].z;
}

/// The same in double precision. Both take flat vectors of four components.
static void stepOnHost(std::vector<double> &Positions,
                       std::vector<double> &Velocities, double TimeStep) {
  for (size_t I = 0; I < Positions.size(); I += 4)
    for (size_t J = 0; J < Positions.size(); J += 4) {
      double Delta[3], Square = Softening;
      for (int K = 0; K < 3; ++K) {
        Delta[K] = Positions[J + K] - Positions[I + K];
        Square += Delta[K] * Delta[K];
      }
      const double Distance = std::sqrt(Square);
      const double Force =
          Positions[J + 3] * std::exp(-Distance) / (Square * Distance);
      for (int K = 0; K < 3; ++K)
        Velocities[I + K] += TimeStep * Force * Delta[K];
    }
  for (size_t I = 0; I < Positions.size(); ++I)
    if (I % 4 != 3)
      Positions[I] += TimeStep * Velocities[I];
}

int main(int Argc, char **Argv) {
  const unsigned Times = timesUsual(Argc, Argv);
  const unsigned Count = 300 * Times;
  constexpr unsigned Steps = 4;
  constexpr float TimeStep = 0.01f;
  Random Input(7);
  std::vector<float> Flat = Input.uniform(Count * 4, -1, 1);
  for (unsigned I = 0; I < Count; ++I)
    Flat[I * 4 + 3] = Input.uniform(0.001f, 0.01f) / float(Times);

  std::vector<float4> Positions(Count);
  std::memcpy(Positions.data(), Flat.data(), Flat.size() * sizeof(float));
  const DeviceArray<float4> DevicePositions(Positions);
  const DeviceArray<float4> DeviceVelocities(
      std::vector<float4>(Count, make_float4(0, 0, 0, 0)));
  const unsigned Groups = groupsFor(Count, GroupSize);
  for (unsigned Step = 0; Step < Steps; ++Step) {
    accelerate<<<Groups, GroupSize>>>(DevicePositions.get(),
                                      DeviceVelocities.get(), Count, TimeStep);
    move<<<Groups, GroupSize>>>(DevicePositions.get(), DeviceVelocities.get(),
                                Count, TimeStep);
  }
  const std::vector<float4> Final = DevicePositions.read();
  std::vector<float> Actual(Flat.size());
  std::memcpy(Actual.data(), Final.data(), Actual.size() * sizeof(float));

  std::vector<double> Expected(Flat.begin(), Flat.end());
  std::vector<double> Velocities(Flat.size(), 0);
  for (unsigned Step = 0; Step < Steps; ++Step)
    stepOnHost(Expected, Velocities, TimeStep);

  // Positions are below 2, so storing one rounds by at most 2^-24 of that, once
  // per step. The sums' own errors (300 terms of a few float ulps each, a
  // velocity below 10; with more bodies the masses are smaller) are scaled by
  // TimeStep and stay smaller still.
  Verdict Results("nbody");
  Results.expectNear(Actual, Expected, 1e-5);
  return Results.finish();
}
