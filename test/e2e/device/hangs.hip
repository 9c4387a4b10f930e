// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that never end, one per argument: the program waits for them, or ends
// without waiting.
#include "Check.h"

#include <cstdlib>
#include <string>
#include <unistd.h>

/// Waits for a flag that nobody sets.
__global__ void spin(volatile int *Flag) {
  while (*Flag == 0)
    ;
}

__global__ void sleepingSpin(volatile int *Flag) {
  while (*Flag == 0)
    __builtin_amdgcn_s_sleep(2);
}

/// One wave spins, three wait for it at a barrier.
__global__ void spinBeforeBarrier(volatile int *Flag) {
  if (threadIdx.x < 64)
    while (*Flag == 0)
      ;
  __syncthreads();
  Flag[1] = 1;
}

/// Counts for as long as the host lets it.
__global__ void countUntilSet(volatile int *Flag, volatile unsigned *Count) {
  while (*Flag == 0)
    ++*Count;
}

/// Passes on what is said on stderr, until that is the watchdog's report.
static void awaitReport() {
  constexpr int Stderr = 2;
  int Ends[2];
  const int Real = ::dup(Stderr);
  if (::pipe(Ends) != 0 || ::dup2(Ends[1], Stderr) < 0)
    std::abort();
  std::string Said;
  while (Said.find("sees no progress") == std::string::npos) {
    char Piece[256];
    const ssize_t Size = ::read(Ends[0], Piece, sizeof(Piece));
    if (Size <= 0 || ::write(Real, Piece, size_t(Size)) != Size)
      std::abort();
    Said.append(Piece, size_t(Size));
  }
  ::dup2(Real, Stderr);
}

int main(int, char **Arguments) {
  const std::string Mode = Arguments[1];
  int *Flag;
  unsigned *Count;
  check(hipHostMalloc((void **)&Flag, 64, 0), "hipHostMalloc");
  check(hipHostMalloc((void **)&Count, 64, 0), "hipHostMalloc");
  *Flag = *Count = 0;
  if (Mode == "sleep")
    sleepingSpin<<<2, 64>>>(Flag);
  else if (Mode == "barrier")
    spinBeforeBarrier<<<1, 256>>>(Flag);
  else if (Mode == "count")
    countUntilSet<<<1, 1>>>(Flag, Count);
  else
    spin<<<1, 64>>>(Flag);
  std::printf("launched\n");
  std::fflush(stdout);
  if (Mode == "return")
    return 7;
  if (Mode == "at-once")
    _exit(8);
  // Longer than the watchdog's patience is: others are at work.
  if (Mode == "late")
    awaitReport();
  if (Mode == "count")
    ::sleep(2);
  if (Mode == "late" || Mode == "count")
    *(volatile int *)Flag = 1;
  hipError_t Error = hipDeviceSynchronize();
  std::printf("ended with %d, counted %d\n", Error, *Count > 0);
  return 0;
}
