// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains of matrix operations, dot products and divergence, which compilers
// must pad; as compiled.cl.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef half Halves __attribute__((ext_vector_type(2)));
typedef float Block4 __attribute__((ext_vector_type(4)));
typedef float Block16 __attribute__((ext_vector_type(16)));
typedef float Block32 __attribute__((ext_vector_type(32)));
typedef double Doubles __attribute__((ext_vector_type(4)));
typedef half Half4 __attribute__((ext_vector_type(4)));
typedef half Half8 __attribute__((ext_vector_type(8)));
typedef half Half16 __attribute__((ext_vector_type(16)));
typedef float Block8 __attribute__((ext_vector_type(8)));

#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
static float4 chain(float4 A) {
  Block4 C = (Block4)(A.x, A.y, A.z, A.w);
  C = __builtin_amdgcn_mfma_f32_4x4x1f32(A.x, A.y, C, 0, 0, 0);
  C = __builtin_amdgcn_mfma_f32_4x4x1f32(C.x, C.y, C, 0, 0, 0);
  Block16 B = (Block16)(C.x);
  B = __builtin_amdgcn_mfma_f32_16x16x1f32(C.x, A.y, B, 0, 0, 0);
  C = __builtin_amdgcn_mfma_f32_16x16x4f32(B[3], A.y, C, 0, 0, 0);
  C = __builtin_amdgcn_mfma_f32_16x16x4f32(C.y, C.x, C, 0, 0, 0);
  B = __builtin_amdgcn_mfma_f32_32x32x2f32(C.x, C.y, B, 0, 0, 0);
  Block32 D = (Block32)(B[5]);
  D = __builtin_amdgcn_mfma_f32_32x32x1f32(C.x, B[9], D, 0, 0, 0);
  Half4 H = (Half4)(D[3], D[31], A.x, A.y);
  C = __builtin_amdgcn_mfma_f32_16x16x16f16(H, H, C, 0, 0, 0);
  H.x = C.x;
  B = __builtin_amdgcn_mfma_f32_32x32x8f16(H, H, B, 0, 0, 0);
  H.y = B[15];
  C = __builtin_amdgcn_mfma_f32_4x4x4f16(H, H, C, 0, 0, 0);
  const Halves P = (Halves)(C.x, C.y);
  float Dot = __builtin_amdgcn_fdot2(P, P, C.z, false);
  C.x += Dot;
  C.x += __builtin_amdgcn_fdot2(P, P, Dot, false);
#ifndef __gfx908__
  double X = C.x;
  X = __builtin_amdgcn_mfma_f64_4x4x4f64(X, X, X, 0, 0, 0);
  X = X * X + 3.0;
  Doubles Y = (Doubles)(X);
  Y = __builtin_amdgcn_mfma_f64_16x16x4f64(X, X, Y, 0, 0, 0);
  Y = __builtin_amdgcn_mfma_f64_16x16x4f64(Y.x, X, Y, 0, 0, 0);
  C.y += Y.x + Y.w;
#endif
#ifdef __gfx950__
  Half8 Q = (Half8)(C.x);
  C = __builtin_amdgcn_mfma_f32_16x16x32_f16(Q, Q, C, 0, 0, 0);
  Q.x = C.x;
  C = __builtin_amdgcn_mfma_f32_16x16x32_f16(Q, Q, C, 0, 0, 0);
  B = __builtin_amdgcn_mfma_f32_32x32x16_f16(Q, Q, B, 0, 0, 0);
  C.x += B[0] + C.y;
#endif
  return (float4)(C.x, C.y, C.z, C.w + B[7]);
}
#elif defined(__gfx1100__) || defined(__gfx1201__)
#if defined(__gfx1201__) && !defined(WAVE64)
typedef Half8 Factor;
typedef Block8 Result;
#define WMMA __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12
#elif defined(__gfx1201__)
typedef Half4 Factor;
typedef Block4 Result;
#define WMMA __builtin_amdgcn_wmma_f32_16x16x16_f16_w64_gfx12
#elif defined(WAVE64)
typedef Half16 Factor;
typedef Block4 Result;
#define WMMA __builtin_amdgcn_wmma_f32_16x16x16_f16_w64
#else
typedef Half16 Factor;
typedef Block8 Result;
#define WMMA __builtin_amdgcn_wmma_f32_16x16x16_f16_w32
#endif
static float4 chain(float4 A) {
  Factor X = (Factor)(A.x);
  Result D = (Result)(A.y);
  D = WMMA(X, X, D);
  X.x = D.x;
  D = WMMA(X, X, D);
  X.y = D.w;
  D = WMMA(X, X, D);
  return (float4)(D.x, D.y, D.z, D.w);
}
#else
static float4 chain(float4 A) { return A; }
#endif

__kernel void work(__global float4 *In, __global float4 *Out, uint Count,
                   float Bias) {
  const uint Lane = __builtin_amdgcn_workitem_id_x();
  float4 C = chain(In[Lane]);
  float Sum = C.x;
  if (Lane & 1) {
    Sum = __builtin_amdgcn_exp2f(Sum) * C.y;
    C.z = Sum + C.y;
  }
  float Next = Sum * Bias;
  if (Lane & 2)
    Next += Sum;
  Out[Lane] = (float4)(Sum, C.y + Next, C.z, Count);
}
