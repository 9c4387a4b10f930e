// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compilers emit on each target for memory of all kinds, divergent loops,
// lane operations, divisions, a call and its stack: strict mode must have
// nothing to say about it. Results do not matter.

__attribute__((noinline)) static float onStack(float A, int Count) {
  float Values[8];
  for (int N = 0; N < 8; ++N)
    Values[N] = A * N;
  for (int N = 0; N < Count; ++N)
    Values[N & 7] += Values[(N + 3) & 7];
  return Values[Count & 7];
}

__kernel void work(__global float4 *In, __global float4 *Out, uint Count,
                   float Bias) {
  __local float Near[64];
  const uint Lane = __builtin_amdgcn_workitem_id_x();
  const uint I = __builtin_amdgcn_workgroup_id_x() * 64 + Lane;
  const float4 Here = I < Count ? In[I] : (float4)(0);
  Near[Lane] = Here.x / (Here.y + Bias);
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  float Sum = 0;
  for (uint J = 0; J < 64; ++J) {
    const float Square = Near[J] * Near[J] + Bias;
    Sum += __builtin_amdgcn_rcpf(Square) * __builtin_amdgcn_exp2f(-Square) *
           __builtin_amdgcn_sqrtf(Square);
  }
  const int From = __builtin_amdgcn_readfirstlane((int)Sum & 31);
  Sum += __builtin_amdgcn_readlane((int)(Sum * 3), From);
  Sum += __builtin_amdgcn_update_dpp(0, (int)(Sum * 5), 0x111, 0xf, 0xf, 1);
  if (Sum > 3.0f)
    Sum += onStack(Sum, Lane & 15);
  if (Lane & 4)
    while (Sum < 1000.0f)
      Sum = Sum * 1.7f + 1.0f;
  const ulong Quotient = (ulong)Count * I / (Lane + 3);
  if (I < Count) {
    Out[I] = (float4)(Sum, Here.y, From, Quotient);
    In[I] = Here + Sum;
  }
}
