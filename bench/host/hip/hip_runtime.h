// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Just enough of HIP to compile the example programs for the host alone, so
// that the benchmark can say what their kernels take there. Work-items of a
// workgroup run one after the other, switching only at barriers and shuffles.
#ifndef LUTHIER_BENCH_HOST_HIP_RUNTIME_H
#define LUTHIER_BENCH_HOST_HIP_RUNTIME_H

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <ucontext.h>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __host__
// A workgroup at a time.
#define __shared__ static

struct dim3 {
  dim3(unsigned X = 1, unsigned Y = 1, unsigned Z = 1) : x(X), y(Y), z(Z) {}
  unsigned x, y, z;
};
struct float4 {
  float x, y, z, w;
};
struct float3 {
  float x, y, z;
};
inline float4 make_float4(float X, float Y, float Z, float W) {
  return {X, Y, Z, W};
}
inline float3 make_float3(float X, float Y, float Z) { return {X, Y, Z}; }

constexpr unsigned warpSize = 64;
inline dim3 threadIdx, blockIdx, blockDim, gridDim;

using std::max;
using std::min;
inline float rsqrtf(float Value) { return 1 / std::sqrt(Value); }
inline float __expf(float Value) { return std::exp(Value); }

template <typename T, typename U> T atomicAdd(T *To, U Value) {
  return std::exchange(*To, T(*To + Value));
}
template <typename T, typename U> T atomicMin(T *To, U Value) {
  return std::exchange(*To, std::min<T>(*To, Value));
}
template <typename T, typename U> T atomicMax(T *To, U Value) {
  return std::exchange(*To, std::max<T>(*To, Value));
}

namespace host {

/// A work-item that may stop at a barrier.
struct Fiber {
  ucontext_t Context;
  std::unique_ptr<char[]> Stack;
  bool Done = false;
};

inline std::vector<Fiber> Fibers;
inline size_t Current = 0;
inline ucontext_t Scheduler;
inline void (*Body)(void *);
inline void *BodyArgument;
inline double Seconds = 0;
/// What the work-items of a workgroup show each other.
inline std::vector<uint64_t> Exchange;

inline void yield() { swapcontext(&Fibers[Current].Context, &Scheduler); }

inline void setItem(size_t N) {
  threadIdx =
      dim3(unsigned(N % blockDim.x), unsigned(N / blockDim.x % blockDim.y),
           unsigned(N / blockDim.x / blockDim.y));
}

inline void runFiber() {
  Body(BodyArgument);
  Fibers[Current].Done = true;
  yield();
}

/// Rounds in which each runs to its next barrier, until all have ended.
inline void runGroup(size_t Size) {
  constexpr size_t StackBytes = 64 * 1024;
  Fibers.resize(std::max(Fibers.size(), Size));
  Exchange.resize(Size);
  for (size_t N = 0; N != Size; ++N) {
    Fiber &F = Fibers[N];
    if (!F.Stack)
      F.Stack.reset(new char[StackBytes]);
    F.Done = false;
    getcontext(&F.Context);
    F.Context.uc_stack.ss_sp = F.Stack.get();
    F.Context.uc_stack.ss_size = StackBytes;
    makecontext(&F.Context, runFiber, 0);
  }
  for (bool Any = true; Any;) {
    Any = false;
    for (size_t N = 0; N != Size; ++N)
      if (!Fibers[N].Done) {
        Current = N;
        setItem(N);
        swapcontext(&Scheduler, &Fibers[N].Context);
        Any |= !Fibers[N].Done;
      }
  }
}

template <typename F> void launch(dim3 Grid, dim3 Block, bool Waits, F Kernel) {
  const auto Start = std::chrono::steady_clock::now();
  gridDim = Grid;
  blockDim = Block;
  Body = [](void *K) { (*static_cast<F *>(K))(); };
  BodyArgument = &Kernel;
  const size_t Size = size_t(Block.x) * Block.y * Block.z;
  for (unsigned Z = 0; Z != Grid.z; ++Z)
    for (unsigned Y = 0; Y != Grid.y; ++Y)
      for (unsigned X = 0; X != Grid.x; ++X) {
        blockIdx = dim3(X, Y, Z);
        if (Waits) {
          runGroup(Size);
          continue;
        }
        for (size_t N = 0; N != Size; ++N) {
          setItem(N);
          Kernel();
        }
      }
  const std::chrono::duration<double> Taken =
      std::chrono::steady_clock::now() - Start;
  Seconds += Taken.count();
}

/// Read by the benchmark.
struct Report {
  ~Report() { std::fprintf(stderr, "kernels took %.9f s\n", Seconds); }
};
inline Report AtExit;

} // namespace host

inline void __syncthreads() { host::yield(); }

/// Of a wave of 64 work-items.
template <typename T> T __shfl_down(T Value, unsigned Distance) {
  static_assert(sizeof(T) <= sizeof(uint64_t));
  const size_t Self = host::Current;
  std::memcpy(&host::Exchange[Self], &Value, sizeof(T));
  host::yield();
  const size_t From = Self % 64 + Distance < 64 ? Self + Distance : Self;
  std::memcpy(&Value,
              &host::Exchange[std::min(From, host::Exchange.size() - 1)],
              sizeof(T));
  host::yield();
  return Value;
}

using hipError_t = int;
using hipMemcpyKind = int;
constexpr int hipSuccess = 0, hipMemcpyHostToDevice = 0,
              hipMemcpyDeviceToHost = 0, hipMemcpyDeviceToDevice = 0;
inline const char *hipGetErrorString(int) { return "host"; }
inline int hipGetLastError() { return 0; }
inline int hipDeviceSynchronize() { return 0; }
inline int hipMalloc(void **To, size_t Bytes) {
  *To = std::malloc(std::max<size_t>(Bytes, 1));
  return 0;
}
inline int hipFree(void *Memory) {
  std::free(Memory);
  return 0;
}
inline int hipMemcpy(void *To, const void *From, size_t Bytes, int) {
  std::memmove(To, From, Bytes);
  return 0;
}
inline int hipMemset(void *To, int Value, size_t Bytes) {
  std::memset(To, Value, Bytes);
  return 0;
}

#endif // LUTHIER_BENCH_HOST_HIP_RUNTIME_H
