// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code of many shapes, compiled for every target at every level: what the
// compiler makes of it has all encodings in it that it uses.
#define KERNEL extern "C" __attribute__((amdgpu_kernel)) void
#define NOINLINE __attribute__((noinline))
#define GLOBAL __attribute__((address_space(1)))
#define SHARED __attribute__((address_space(3)))
using Int = GLOBAL int;
using UInt = GLOBAL unsigned;
using Float = GLOBAL float;
using Double = GLOBAL double;
using Half = _Float16;
using Half2 = Half __attribute__((ext_vector_type(2)));
using Half8 = Half __attribute__((ext_vector_type(8)));
using Half16 = Half __attribute__((ext_vector_type(16)));
using Half4 = Half __attribute__((ext_vector_type(4)));
using Short2 = short __attribute__((ext_vector_type(2)));
using Float4 = float __attribute__((ext_vector_type(4)));
using Float8 = float __attribute__((ext_vector_type(8)));
using Byte4 = unsigned char __attribute__((ext_vector_type(4)));

static inline unsigned id() {
  return __builtin_amdgcn_workgroup_id_x() * 64 +
         __builtin_amdgcn_workitem_id_x();
}

KERNEL integers(Int *To, const Int *From, int N, long M) {
  unsigned I = id();
  long A = From[I];
  unsigned B = From[I + 1];
  A = A * M + (A >> 7) - (B % 13u) * (A / (N | 1));
  B = __builtin_rotateleft32(B, N) ^ __builtin_bitreverse32(B) ^
      __builtin_popcount(B) ^ __builtin_clz(B | 1) ^ __builtin_ctz(B | 1);
  To[I] = int(A ^ B) + __builtin_amdgcn_ubfe(B, 3, 9) +
          __builtin_amdgcn_perm(B, A, 0x05010400) +
          __builtin_amdgcn_mbcnt_lo(~0u, 0) + __builtin_abs(int(A));
}

/// Halves and bytes: SDWA, op_sel, true16, d16 loads.
KERNEL narrow(GLOBAL unsigned char *Bytes, GLOBAL short *Words,
              GLOBAL Half *Halves, GLOBAL Byte4 *Quads, int N) {
  unsigned I = id();
  unsigned char B = Bytes[I] + Bytes[I + 3] * 5;
  short W = Words[I] - Words[I + 7] * B;
  Bytes[I] = (B >> 3) + (W >> 8) + (W & 0xff) * (B & 15);
  Words[I] = W * (short)N + (short)(B << 4);
  Half H = Halves[I] * Halves[I + 1] + (Half)N;
  Halves[I] = __builtin_elementwise_max(H, (Half)W) / Halves[I + 2];
  Byte4 Q = Quads[I];
  Quads[I] = Q.wzyx + Q * Q.x;
  Halves[I + 9] = (Half)__builtin_amdgcn_rcph(H);
}

KERNEL packed(GLOBAL Half2 *H, GLOBAL Short2 *S, Float *F, int N) {
  unsigned I = id();
  H[I] = H[I] * H[I + 1] + H[I].yx;
  S[I] = S[I] * S[I + 1] - S[I].yx;
  S[I + 1] = __builtin_elementwise_max(S[I], (Short2)(short)N) >> 2;
  H[I + 2] = __builtin_amdgcn_cvt_pkrtz(F[I], F[I + 1]) == H[I] ? H[I] : -H[I];
}

KERNEL floats(Float *F, Double *D, float X, double Y) {
  unsigned I = id();
  float A = F[I];
  double B = D[I];
  A = A * X + 0.15915494f - __builtin_fabsf(A) / X + __builtin_sqrtf(A);
  B = __builtin_fma(B, Y, 2.5) / (B + 1.5) + 1.0e300 * B;
  for (int J = 0; J < 3; ++J)
    A = __builtin_fminf(__builtin_fmaxf(A * 2.0f, -4.0f), A + float(B));
  F[I] = __builtin_amdgcn_fmed3f(A, 0.5f, X) + __builtin_amdgcn_sinf(A) +
         __builtin_amdgcn_exp2f(A) + __builtin_truncf(A);
  D[I] = __builtin_floor(B) + (double)A + (double)(long)B;
  F[I + 1] = (float)(int)A + (float)(unsigned char)(int)B;
}

/// Exchanges between lanes: DPP, DPP8, permutes, LDS.
KERNEL lanes(Int *To, Int *From, SHARED int *Tile) {
  unsigned T = __builtin_amdgcn_workitem_id_x();
  int V = From[id()];
  V += __builtin_amdgcn_update_dpp(V, V, 0x111, 0xf, 0xf, false);
  V += __builtin_amdgcn_update_dpp(0, V, 0x118, 0xc, 0xf, true);
  V ^= __builtin_amdgcn_mov_dpp(V, 0x1b, 0x5, 0xf, true);
#if defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
  V += __builtin_amdgcn_mov_dpp8(V, 07654321 & 0xffffff);
  V += __builtin_amdgcn_permlane16(V, V, 0x12345678, 0x9abcdef0, true, false);
#endif
  V += __builtin_amdgcn_ds_swizzle(V, 0x401f);
  V += __builtin_amdgcn_ds_bpermute(T * 4 ^ 20, V);
  V += __builtin_amdgcn_readlane(V, 3) + __builtin_amdgcn_readfirstlane(V);
  Tile[T] = V;
  __builtin_amdgcn_s_barrier();
  __atomic_fetch_add(&Tile[V & 255], 3, __ATOMIC_RELAXED);
  __builtin_amdgcn_s_barrier();
  To[id()] = Tile[255 - T] + Tile[T ^ 1] * Tile[T ^ 8];
}

KERNEL atomics(Int *P, Float *F, GLOBAL unsigned long *L, int N) {
  unsigned I = id();
  int Old = __atomic_fetch_add(&P[0], N, __ATOMIC_SEQ_CST);
  Old += __atomic_fetch_max(&P[I], Old, __ATOMIC_RELAXED);
  __atomic_compare_exchange_n(&P[1], &Old, N, false, __ATOMIC_ACQ_REL,
                              __ATOMIC_RELAXED);
  L[I] += __atomic_exchange_n(&L[1], (unsigned long)Old, __ATOMIC_RELEASE);
  __atomic_fetch_xor(&L[2], 5ul, __ATOMIC_RELAXED);
  F[I] = __builtin_nontemporal_load(&F[I + 1]);
}

/// Registers indexed by a variable, and stack arrays.
KERNEL indexed(Int *P, int N, int M) {
  int Small[8], Large[70];
  for (int J = 0; J < 8; ++J)
    Small[J] = P[J];
  for (int J = 0; J < 70; ++J)
    Large[J] = P[J] * N;
  Small[N & 7] = M;
  Large[P[id()] & 63] = M;
  P[id()] = Small[M & 7] + Large[P[id()] & 31] + Large[N & 63];
}

KERNEL branches(Int *P, int N) {
  unsigned I = id();
  int V = P[I];
  for (int J = 0; J < N; ++J) {
    if (V & 1)
      V = 3 * V + 1;
    else
      V /= 2;
    if (V == 1)
      break;
    switch (V & 15) {
    case 0:
      V += 5;
      break;
    case 1:
      V ^= 77;
      break;
    case 2:
      V -= J;
      break;
    case 3:
      V *= J;
      break;
    case 4:
      V += P[J];
      break;
    case 5:
      P[J] = V;
      break;
    case 6:
      V = ~V;
      break;
    case 7:
      __builtin_trap();
    default:
      V >>= 1;
    }
  }
  P[I] = V;
}

NOINLINE static int leaf(int X) { return X * 3 + 1; }
NOINLINE static int recursive(int N) {
  return N < 2 ? 1 : recursive(N - 1) + recursive(N - 2) + leaf(N);
}
NOINLINE static int twice(int (*F)(int), int X) { return F(X) + F(X + 1); }
NOINLINE static float many(float A, double B, Float4 C, int N) {
  Float4 Stack[5] = {};
  Stack[N & 3] = C * A;
  return Stack[(N >> 2) & 3].y + (float)B + leaf(N);
}
extern "C" NOINLINE __attribute__((visibility("default"))) int exported(int X) {
  return leaf(X) - X;
}
KERNEL calls(Int *P, Float *F, int N) {
  unsigned I = id();
  int V = leaf(P[I]) + recursive(N) + exported(V);
  Float4 C = {F[I + 2], 1.0f, F[I + 3], 2.0f};
  F[I] = many(F[I], F[I + 1], C, N);
  P[I] = V + twice(N & 1 ? leaf : recursive, V);
}

struct Big {
  int Words[24];
};
KERNEL wide(GLOBAL Big *To, GLOBAL Big *From, Float *F, GLOBAL Float4 *V) {
  To[id()] = From[id() * 3];
  V[id()] = V[id() + 1] * F[id()] + V[id() + 2].wzxy;
}

/// A large body of straight-line code with high register pressure.
KERNEL pressure(Float *F, float X) {
  float A[48];
  for (int J = 0; J < 48; ++J)
    A[J] = F[id() + 64 * J];
  for (int K = 0; K < 3; ++K)
#pragma unroll
    for (int J = 0; J < 48; ++J)
      A[J] = A[J] * A[(J * 7 + 3) % 48] + X;
  for (int J = 0; J < 48; ++J)
    F[id() + 64 * J] = A[J];
}

KERNEL matrices(GLOBAL Half4 *A, GLOBAL Half4 *B, GLOBAL Float4 *C,
                GLOBAL Half16 *A16, GLOBAL Half8 *A8, GLOBAL Float8 *C8,
                GLOBAL Float4 *C4) {
  unsigned I = id();
#if __has_builtin(__builtin_amdgcn_mfma_f32_16x16x16f16) &&                    \
    (defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__) ||      \
     defined(__gfx950__))
  C[I] = __builtin_amdgcn_mfma_f32_16x16x16f16(A[I], B[I], C[I], 0, 0, 0);
  C[I] = __builtin_amdgcn_mfma_f32_16x16x16f16(A[I], B[I], C[I + 1], 0, 0, 0);
#elif defined(__GFX11__) && WAVE_SIZE == 32
  C8[I] = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(A16[I], A16[I + 1], C8[I]);
#elif defined(__GFX12__) && WAVE_SIZE == 32
  C8[I] =
      __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(A8[I], A8[I + 1], C8[I]);
#else
  C[I] = C[I] * C[I + 1];
#endif
}

#if defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__) ||       \
    defined(__gfx1030__)
#define HAS_DOT 1
#endif
KERNEL special(UInt *P, Int *Q, GLOBAL unsigned long *L, int N) {
  unsigned I = id();
  L[I] = __builtin_readcyclecounter() + __builtin_amdgcn_ballot_w64(N > P[I]);
#ifdef HAS_DOT
  Q[I] = __builtin_amdgcn_sdot4(Q[I], P[I], N, false);
#endif
  P[I] = __builtin_amdgcn_sad_u8(P[I], N, 3) +
         __builtin_amdgcn_alignbit(P[I], N, 5) +
         __builtin_amdgcn_lerp(P[I], N, 1);
  __builtin_amdgcn_s_sleep(2);
  __builtin_amdgcn_s_setprio(1);
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
  P[I + 1] = __builtin_amdgcn_s_getreg(0x1801);
}
