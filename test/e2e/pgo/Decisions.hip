// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A decision of two conditions, which the first argument chooses, a line that
// no lane comes to, and a kernel that is not launched.
#include "Check.h"
#include <csignal>
#include <cstdlib>

// Rounds of a kernel that a profile makes better, and of one that becomes worse
// with it, whatever is in it.
#ifndef GAIN
#define GAIN 0
#define LOSS 0
#endif
#ifdef __LLVM_INSTR_PROFILE_USE
constexpr unsigned Gained = 0, Lost = LOSS;
#else
constexpr unsigned Gained = GAIN, Lost = 0;
#endif

template <unsigned Rounds> static __device__ void goRound() {
  for (unsigned I = 0; I < Rounds; ++I)
    __asm__ volatile("s_nop 0");
}

__global__ void decide(const unsigned *In, unsigned *Out) {
  const unsigned Lane = threadIdx.x;
  goRound<Gained>();
  unsigned Value = 1;
  if (In[0] > Lane && Lane % 2)
    Value = 2;
  if (In[0] > 1000)
    Value = 3;
// A compiler that makes another program of it by a profile, or to count.
#if defined(IS_WRONG) && defined(__LLVM_INSTR_PROFILE_USE)
  ++Value;
#endif
#if defined(COUNTS_WRONG) && defined(__LLVM_INSTR_PROFILE_GENERATE)
  ++Value;
#endif
  Out[Lane] = Value;
}

__global__ void clear(unsigned *Out) {
  goRound<Lost>();
  if (Out[threadIdx.x] > 7)
    Out[threadIdx.x] = 0;
}

__global__ void unused(unsigned *Out) { Out[threadIdx.x] = 4; }

int main(int Argc, char **Argv) {
  constexpr unsigned Lanes = 64;
  const unsigned Limit = Argc > 1 ? std::atoi(Argv[1]) : 0;
  const std::vector<unsigned> Limits = {Limit}, Zeros(Lanes);
  const DeviceArray<unsigned> In(Limits), Out(Zeros);
  decide<<<1, Lanes>>>(In.get(), Out.get());
  clear<<<1, Lanes>>>(Out.get());
  unsigned Sum = 0;
  for (unsigned Value : Out.read())
    Sum += Value;
  std::printf("%u\n", Sum);
  if (Argc > 2 && Argv[2][0] == 'k')
    std::raise(SIGKILL);
  return Argc > 2 ? 7 : 0;
}
