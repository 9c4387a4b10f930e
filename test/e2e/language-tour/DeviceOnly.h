// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What only devices have: memory of their own, other lanes, atomics; and what
// the host expects of it.
#ifndef LUTHIER_TEST_E2E_LANGUAGETOUR_DEVICEONLY_H
#define LUTHIER_TEST_E2E_LANGUAGETOUR_DEVICEONLY_H

#include "Features.h"
#include <hip/hip_fp16.h>

namespace tour {

// -- Variables

struct Pair {
  uint32_t A, B;
  constexpr __host__ __device__ Pair(uint32_t N) : A(N), B(2 * N) {}
};
__device__ uint32_t Plain = 41;
static __device__ uint32_t Static[3] = {1, 2, 3};
__device__ uint32_t *Pointer = &Plain;
__device__ Pair Constructed(21);
__constant__ int Limits[3] = {10, 20, 30};
static __constant__ Pair ConstantPair(4);
constexpr float Weights[] = {1.5f, 2.5f, 3.5f};
__device__ uint32_t (*Operations[3])(uint32_t) = {square, next, nullptr};
namespace {
__device__ uint32_t Plenty = 6;
}

__device__ uint32_t variables(uint32_t T) {
  static const uint32_t Primes[] = {2, 3, 5, 7};
  return Plain + Static[T % 3] + *Pointer + Constructed.B + Limits[T % 3] +
         ConstantPair.B + uint32_t(2 * Weights[T % 3]) + Primes[T % 4] +
         Plenty + "text"[T % 4];
}
__device__ uint32_t tables(uint32_t T) {
  return Operations[T % 2](T) + 1000 * (Operations[T % 3] == next);
}
__device__ uint32_t counters(uint32_t T) {
  static uint32_t Calls[Items];
  for (uint32_t I = 0; I < T % 4; ++I)
    ++Calls[T];
  return Calls[T];
}

// -- Atomics, each on numbers of the item's own

__device__ uint32_t Words[Items][8];
__device__ uint64_t Longs[Items][4];
__device__ float Floats[Items];
__device__ double Doubles[Items];

__device__ uint32_t atomics(uint32_t T) {
  uint32_t *W = Words[T], R = 0;
  auto mix = [&R](uint32_t Old) { R = R * 31 + Old; };
  mix(atomicAdd(&W[0], T));
  mix(atomicSub(&W[0], 3u));
  mix(atomicExch(&W[1], T));
  mix(atomicMin(&W[1], T / 2));
  mix(atomicMax(&W[1], 9u));
  mix(atomicAnd(&W[1], 13u));
  mix(atomicOr(&W[2], T));
  mix(atomicXor(&W[2], 5u));
  mix(atomicInc(&W[3], 1u));
  mix(atomicInc(&W[3], 1u));
  mix(atomicDec(&W[3], 6u));
  mix(atomicCAS(&W[4], 0u, T));
  mix(atomicCAS(&W[4], T, 7u));
  mix(atomicMin(reinterpret_cast<int *>(&W[5]), -int(T)));
  for (uint32_t Word = 0; Word < 6; ++Word)
    mix(W[Word]);
  return R;
}

__device__ uint32_t wideAtomics(uint32_t T) {
  auto *L = reinterpret_cast<unsigned long long *>(Longs[T]);
  uint64_t Sum = atomicAdd(&L[0], T * 5'000'000'000ull);
  Sum += atomicMax(&L[0], 1ull << 40) + atomicCAS(&L[1], 0ull, ~0ull);
  Sum += atomicExch(&L[1], 3ull);
  atomicAdd(&Floats[T], 0.25f * T);
  atomicAdd(&Doubles[T], 0.125 * T);
  return uint32_t(Sum) + uint32_t(L[0] >> 30) + uint32_t(4 * Floats[T]) +
         uint32_t(8 * Doubles[T]);
}

template <int Scope> __device__ uint32_t inScope(uint32_t *Word, uint32_t T) {
  uint32_t R = __hip_atomic_fetch_add(Word, T, __ATOMIC_RELAXED, Scope);
  R += __hip_atomic_exchange(Word, 2 * T, __ATOMIC_ACQ_REL, Scope);
  uint32_t Expected = 2 * T;
  R += __hip_atomic_compare_exchange_strong(
      Word, &Expected, 5u, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE, Scope);
  R += __hip_atomic_load(Word, __ATOMIC_ACQUIRE, Scope);
  __hip_atomic_store(Word, 0u, __ATOMIC_RELEASE, Scope);
  return R;
}
__device__ uint32_t scopes(uint32_t T) {
  uint32_t *Word = &Words[T][7], R = 0;
  R = R * 3 + inScope<__HIP_MEMORY_SCOPE_SINGLETHREAD>(Word, T);
  R = R * 3 + inScope<__HIP_MEMORY_SCOPE_WAVEFRONT>(Word, T);
  R = R * 3 + inScope<__HIP_MEMORY_SCOPE_WORKGROUP>(Word, T);
  R = R * 3 + inScope<__HIP_MEMORY_SCOPE_AGENT>(Word, T);
  R = R * 3 + inScope<__HIP_MEMORY_SCOPE_SYSTEM>(Word, T);
  __threadfence_block();
  __threadfence();
  __threadfence_system();
  return R;
}

// -- Lanes, shared memory, clocks

__device__ uint32_t lanes(uint32_t T) {
  const uint32_t Half = 64 / warpSize;
  return __shfl_xor(T, 5) + __shfl(T, __lane_id() ^ 3) +
         __shfl_down(T & 31, 1, 2) + Half * __popcll(__ballot(T & 1)) +
         1000 * __any(T % 32 == 7) + 2000 * __all(T < Items) +
         __ffs(int(T) & 24) + __clz(int(T) | 1) + __popc(T) +
         __builtin_amdgcn_readfirstlane(77);
}

__device__ uint32_t shared(uint32_t T) {
  __shared__ uint32_t Box[Items];
  __shared__ uint32_t Sums[8];
  Box[T] = 3 * T;
  Sums[T / 32] = 0;
  atomicAdd(&Sums[T / 32], 2u);
  return Box[T ^ 1] + 10000 * Sums[T / 32];
}

__device__ uint32_t clocks(uint32_t) {
  const auto Start = clock64(), Wall = wall_clock64();
  __builtin_amdgcn_s_sleep(1);
  return (clock64() > Start) + 2 * (wall_clock64() >= Wall);
}

// -- hip_fp16.h

__device__ uint32_t fp16(uint32_t T) {
  const __half X = __hadd(__float2half(T * 0.25f), __float2half(1.0f));
  const __half2 Two = __hmul2(__half2half2(X), __float2half2_rn(2.0f));
  const __half Reciprocal = hrcp(__float2half(4.0f));
  return uint32_t(4 * __half2float(X)) + uint32_t(__high2float(Two)) +
         100000 * __hgt(X, __float2half(8.0f)) +
         uint32_t(400 * __half2float(Reciprocal));
}

#define DEVICE_FEATURES(F)                                                     \
  F(variables)                                                                 \
  F(tables)                                                                    \
  F(counters)                                                                  \
  F(atomics)                                                                   \
  F(wideAtomics)                                                               \
  F(scopes)                                                                    \
  F(lanes)                                                                     \
  F(shared)                                                                    \
  F(clocks)                                                                    \
  F(fp16)

// -- The same on the host

namespace expected {

#define ON_HOST(Name)                                                          \
  inline uint32_t Name(uint32_t T) { return tour::Name(T); }
TOUR_FEATURES(ON_HOST)
#undef ON_HOST

inline uint32_t variables(uint32_t T) {
  const uint32_t Primes[] = {2, 3, 5, 7}, Halves[] = {3, 5, 7};
  return 41 + (T % 3 + 1) + 41 + 42 + 10 * (T % 3 + 1) + 8 + Halves[T % 3] +
         Primes[T % 4] + 6 + "text"[T % 4];
}
inline uint32_t tables(uint32_t T) {
  return (T % 2 ? T + 1 : T * T) + 1000 * (T % 3 == 1);
}
inline uint32_t counters(uint32_t T) { return T % 4; }
inline uint32_t atomics(uint32_t T) {
  const uint32_t Least = T / 2, Most = Least < 9 ? 9 : Least;
  uint32_t R = 0;
  for (uint32_t Old : {0u, T,  0u, T,  Least, Most,      0u,    T,  0u, 1u,
                       0u, 0u, T,  0u, T - 3, Most & 13, T ^ 5, 6u, 7u, 0 - T})
    R = R * 31 + Old;
  return R;
}
inline uint32_t wideAtomics(uint32_t T) {
  const uint64_t Sum = T * 5'000'000'000ull;
  const uint64_t Most = Sum < 1ull << 40 ? 1ull << 40 : Sum;
  return uint32_t(Sum + ~0ull) + uint32_t(Most >> 30) + T + T;
}
inline uint32_t scopes(uint32_t T) {
  const uint32_t One = T + 1 + 5;
  return One * (1 + 3 + 9 + 27 + 81);
}
inline uint32_t lanes(uint32_t T) {
  const uint32_t Below = T & 1 ? T & 31 : (T & 31) + 1;
  return (T ^ 5) + (T ^ 3) + Below + 32 + 3000 + __builtin_ffs(int(T) & 24) +
         __builtin_clz(T | 1) + __builtin_popcount(T) + 77;
}
inline uint32_t shared(uint32_t T) { return 3 * (T ^ 1) + 10000 * 64; }
inline uint32_t clocks(uint32_t) { return 3; }
inline uint32_t fp16(uint32_t T) {
  // Of numbers up to 65, a half keeps multiples of 1/16 at least.
  return T + 4 + uint32_t(T * 0.5f + 2) + 100000 * (T > 28) + 100;
}

} // namespace expected
} // namespace tour

#endif // LUTHIER_TEST_E2E_LANGUAGETOUR_DEVICEONLY_H
