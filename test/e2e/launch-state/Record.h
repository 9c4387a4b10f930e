// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a work-item knows of its place in the launch, and what it can compute,
// written down once by the application's kernel and by hooks in it, in the same
// words.
#ifndef LUTHIER_TEST_E2E_LAUNCHSTATE_RECORD_H
#define LUTHIER_TEST_E2E_LAUNCHSTATE_RECORD_H

#include <cstdint>

struct Record {
  uint32_t Written;
  uint32_t Thread[3], Block[3], BlockSize[3], GridSize[3];
  uint32_t WarpSize, Lane;
  /// From other lanes: a shuffle, a ballot and a vote among those active.
  uint32_t Neighbour, AllSmall;
  uint64_t Ballot;
  uint64_t DispatchId;
  /// Of the launch, read through the dispatch pointer.
  uint32_t GridItems[3];
  float Rounded; ///< Depends on the rounding mode.
};

// Clang has no other name for it.
extern "C" __device__ uint64_t
launchDispatchId() __asm("llvm.amdgcn.dispatch.id");

/// What is computed where only some lanes are active.
struct Computed {
  uint32_t Written;
  uint32_t Local, Shared, Called, Variables, Half;
  float Root, Wave;
  double Quotient;
  uint64_t Small; ///< A ballot.
  uint32_t First; ///< The item of the first active lane.
  uint32_t Word, WordsOld;
  unsigned long long Long, LongsOld;
  float Sum;
};

struct Pointers {
  const void *Kernarg, *Dispatch, *Queue, *Implicit;
};

struct Times {
  uint64_t Clock, Wall;
};

// Inlined: outside of kernels, LLVM takes the kernarg pointer to be null.

/// The kernel's first argument, which hooks find through the kernarg pointer.
struct Records {
  uint32_t Count; ///< Work-items of the launch.
  /// By the kernel; by the hook at entry; at the end.
  Record *Slots[3];
  Pointers *Where[3];
  Computed *Results[3];
  Times *Clocks[5]; ///< In the order of Moment.
};

/// When a work-item looks at the clocks.
enum Moment { AtEntry, InKernel, Between, LaterInKernel, AtEnd };

__device__ __forceinline__ Times timesNow() {
#ifdef __HIP_DEVICE_COMPILE__ // HIP's headers have one of them only there.
  return {uint64_t(clock64()), uint64_t(wall_clock64())};
#else
  return {};
#endif
}

__device__ __forceinline__ Pointers pointersNow() {
  return {(const void *)__builtin_amdgcn_kernarg_segment_ptr(),
          (const void *)__builtin_amdgcn_dispatch_ptr(),
          (const void *)__builtin_amdgcn_queue_ptr(),
          (const void *)__builtin_amdgcn_implicitarg_ptr()};
}

__device__ __forceinline__ uint32_t workItem() {
  const auto *Packet = static_cast<const hsa_kernel_dispatch_packet_t *>(
      (const void *)__builtin_amdgcn_dispatch_ptr());
  uint32_t X = blockIdx.x * Packet->workgroup_size_x + threadIdx.x;
  uint32_t Y = blockIdx.y * Packet->workgroup_size_y + threadIdx.y;
  uint32_t Z = blockIdx.z * Packet->workgroup_size_z + threadIdx.z;
  return (Z * Packet->grid_size_y + Y) * Packet->grid_size_x + X;
}

__device__ __forceinline__ void writeRecord(Record &R) {
  const auto *Packet = static_cast<const hsa_kernel_dispatch_packet_t *>(
      (const void *)__builtin_amdgcn_dispatch_ptr());
  R.Thread[0] = threadIdx.x;
  R.Thread[1] = threadIdx.y;
  R.Thread[2] = threadIdx.z;
  R.Block[0] = blockIdx.x;
  R.Block[1] = blockIdx.y;
  R.Block[2] = blockIdx.z;
  R.BlockSize[0] = blockDim.x;
  R.BlockSize[1] = blockDim.y;
  R.BlockSize[2] = blockDim.z;
  R.GridSize[0] = gridDim.x;
  R.GridSize[1] = gridDim.y;
  R.GridSize[2] = gridDim.z;
  R.WarpSize = warpSize;
  R.Lane = __lane_id();
  R.Neighbour = __shfl_xor(threadIdx.x, 1);
  R.Ballot = __ballot(threadIdx.x % 3 == 0);
  R.AllSmall = __all(threadIdx.x < 40);
  R.DispatchId = launchDispatchId();
  R.GridItems[0] = Packet->grid_size_x;
  R.GridItems[1] = Packet->grid_size_y;
  R.GridItems[2] = Packet->grid_size_z;
  R.Rounded = 1.0f / (threadIdx.x + 3);
  R.Written = 0x600d;
}

static __device__ uint32_t Primes[] = {2, 3, 5, 7, 11};
static __constant__ uint32_t Squares[] = {0, 1, 4, 9, 16, 25, 36};

__device__ __attribute__((noinline)) inline uint32_t collatz(uint32_t N) {
  uint32_t Steps = 0;
  for (; N > 1; ++Steps)
    N = N % 2 ? 3 * N + 1 : N / 2;
  return Steps;
}

template <class T, int N> __device__ inline T power(T Value) {
  T Result = 1;
  for (int I = 0; I < N; ++I)
    Result *= Value;
  return Result;
}

/// \p R starts as zeros.
__device__ __forceinline__ void compute(Computed &R, uint32_t Item) {
#pragma clang fp contract(off)
  __shared__ uint32_t Box[1024];
  uint32_t Ring[8];
  if (Item % 3 == 1)
    return;
  for (uint32_t I = 0; I < Item % 8 + 1; ++I)
    Ring[(I + Item) % 8] = I * Item;
  R.Local = Ring[(Item % 8 + Item) % 8];
  const uint32_t Slot =
      (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  Box[Slot] = Item;
  R.Shared = atomicXor(&Box[Slot], 0x55u) + Box[Slot];
  R.Called = collatz(Item) + power<uint32_t, 3>(Item);
  R.Variables = Primes[Item % 5] * 100 + Squares[Item % 7];
  R.Root = sqrtf(float(Item)) / 3.0f + fmaf(Item, 0.1f, 2.5f);
  R.Wave = sinf(Item * 0.01f) + expf(-0.001f * Item);
  R.Half = uint32_t(float(_Float16(float(Item % 512)) * _Float16(0.3f)) * 64);
  R.Quotient = 1.0 / (Item + 0.7) + power<double, 2>(Item + 0.25);
  R.Small = __ballot(Item % 5 < 3);
  R.First = __builtin_amdgcn_readfirstlane(Item);
  R.WordsOld = atomicAdd(&R.Word, Item + 1);
  R.WordsOld += atomicMax(&R.Word, 500u) * 3;
  R.WordsOld += atomicCAS(&R.Word, 500u, Item) * 7;
  R.LongsOld = atomicAdd(&R.Long, (1ull << 33) + Item);
  R.LongsOld += atomicExch(&R.Long, R.LongsOld + Item);
  atomicAdd(&R.Sum, 0.5f * Item);
  R.Written = 0xd0e;
}

#endif // LUTHIER_TEST_E2E_LAUNCHSTATE_RECORD_H
