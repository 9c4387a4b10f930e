// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generators of rocRAND on the host, from their publications: Philox by
// Salmon et al. (2011), XORWOW by Marsaglia (2003), MRG32k3a by L'Ecuyer
// (1999), Sobol sequences in the Gray code order of Antonov and Saleev (1979).
// Seeding and streams follow rocRAND's documentation; streams are reached by
// powers of the transition, not by the library's tables of them.
#ifndef LUTHIER_TEST_E2E_ROCRAND_REFERENCES_H
#define LUTHIER_TEST_E2E_ROCRAND_REFERENCES_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

/// Word \p Index of the one stream of a key. Random123's known answer for
/// counter 0 and key 0 begins 6627e8d5.
inline uint32_t philox(uint64_t Seed, uint64_t Index) {
  uint32_t Key[2] = {uint32_t(Seed), uint32_t(Seed >> 32)};
  uint32_t C[4] = {uint32_t(Index / 4), uint32_t(Index / 4 >> 32), 0, 0};
  for (int Round = 0; Round != 10; ++Round) {
    const uint64_t Even = 0xd2511f53ull * C[0], Odd = 0xcd9e8d57ull * C[2];
    const uint32_t Next[4] = {
        uint32_t(Odd >> 32) ^ C[1] ^ Key[0], uint32_t(Odd),
        uint32_t(Even >> 32) ^ C[3] ^ Key[1], uint32_t(Even)};
    std::copy(Next, Next + 4, C);
    Key[0] += 0x9e3779b9;
    Key[1] += 0xbb67ae85;
  }
  return C[Index % 4];
}

/// A 32-bit word of each of the streams from \p First on.
using Streams = std::vector<std::vector<uint32_t>>;

/// Streams begin 2^67 steps apart.
class Xorwow {
public:
  using State = std::array<uint32_t, 5>;

  explicit Xorwow(uint64_t Seed) {
    const uint32_t Low = 1228688033u * (uint32_t(Seed) ^ 0x2c7f967f);
    const uint32_t High = 2073658381u * (uint32_t(Seed >> 32) ^ 0xa03697cb);
    Begin = {123456789 + Low, 362436069 ^ Low, 521288629 + High,
             88675123 ^ High, 5783321 + Low};
    WeylBegin = 6615241 + Low + High;
  }

  /// The first \p Length numbers of the first \p Count streams.
  Streams streams(unsigned Count, unsigned Length) const {
    Matrix Jump = step();
    for (unsigned N = 0; N != 67; ++N)
      Jump = multiply(Jump, Jump);
    State S = Begin;
    Streams Result;
    for (unsigned N = 0; N != Count; ++N, S = apply(Jump, S))
      Result.push_back(numbers(S, Length));
    return Result;
  }

private:
  static constexpr unsigned Bits = 160;
  /// Column B is the image of bit B.
  using Matrix = std::vector<State>;

  static State next(State S) {
    const uint32_t T = S[0] ^ S[0] >> 2;
    return {S[1], S[2], S[3], S[4], S[4] ^ S[4] << 4 ^ T ^ T << 1};
  }
  static Matrix step() {
    Matrix M(Bits);
    for (unsigned B = 0; B != Bits; ++B) {
      State Unit{};
      Unit[B / 32] = 1u << B % 32;
      M[B] = next(Unit);
    }
    return M;
  }
  static State apply(const Matrix &M, const State &S) {
    State Result{};
    for (unsigned B = 0; B != Bits; ++B)
      if (S[B / 32] >> B % 32 & 1)
        for (unsigned W = 0; W != 5; ++W)
          Result[W] ^= M[B][W];
    return Result;
  }
  static Matrix multiply(const Matrix &A, const Matrix &B) {
    Matrix Result(Bits);
    for (unsigned Column = 0; Column != Bits; ++Column)
      Result[Column] = apply(A, B[Column]);
    return Result;
  }
  std::vector<uint32_t> numbers(State S, unsigned Length) const {
    std::vector<uint32_t> Result(Length);
    // 2^67 steps change nothing about a sequence modulo 2^32.
    uint32_t Weyl = WeylBegin;
    for (uint32_t &Number : Result) {
      S = next(S);
      Number = S[4] + (Weyl += 362437);
    }
    return Result;
  }

  State Begin;
  uint32_t WeylBegin;
};

/// Streams begin 2^76 steps apart, as L'Ecuyer's substreams do; the header of
/// rocRAND says 2^67.
class Mrg32k3a {
public:
  explicit Mrg32k3a(uint64_t Seed) {
    const uint32_t X = uint32_t(Seed) ^ 0x55555555;
    const uint32_t Y = uint32_t(Seed >> 32) ^ 0xaaaaaaaa;
    A = {modular(X, Seed, M1), modular(Y, Seed, M1), modular(X, Seed, M1)};
    B = {modular(Y, Seed, M2), modular(X, Seed, M2), modular(Y, Seed, M2)};
  }

  /// The first \p Length numbers, in [1, M1], of the first \p Count streams.
  Streams streams(unsigned Count, unsigned Length) const {
    Matrix JumpA{{{0, 1, 0}, {0, 0, 1}, {M1 - 810728, 1403580, 0}}};
    Matrix JumpB{{{0, 1, 0}, {0, 0, 1}, {M2 - 1370589, 0, 527612}}};
    for (unsigned N = 0; N != 76; ++N) {
      JumpA = multiply(JumpA, JumpA, M1);
      JumpB = multiply(JumpB, JumpB, M2);
    }
    Vector SA = A, SB = B;
    Streams Result;
    for (unsigned N = 0; N != Count; ++N) {
      Result.push_back(numbers(SA, SB, Length));
      SA = apply(JumpA, SA, M1);
      SB = apply(JumpB, SB, M2);
    }
    return Result;
  }

  static constexpr uint64_t M1 = 4294967087, M2 = 4294944443;

private:
  using Vector = std::array<uint64_t, 3>;
  using Matrix = std::array<Vector, 3>;

  static uint64_t modular(uint64_t X, uint64_t Y, uint64_t M) {
    return uint64_t((unsigned __int128)(X)*Y % M);
  }
  static Vector apply(const Matrix &M, const Vector &V, uint64_t Modulus) {
    Vector Result{};
    for (unsigned Row = 0; Row != 3; ++Row)
      for (unsigned K = 0; K != 3; ++K)
        Result[Row] =
            (Result[Row] + modular(M[Row][K], V[K], Modulus)) % Modulus;
    return Result;
  }
  static Matrix multiply(const Matrix &L, const Matrix &R, uint64_t Modulus) {
    Matrix Result{};
    for (unsigned Row = 0; Row != 3; ++Row)
      for (unsigned Column = 0; Column != 3; ++Column)
        for (unsigned K = 0; K != 3; ++K)
          Result[Row][Column] = (Result[Row][Column] +
                                 modular(L[Row][K], R[K][Column], Modulus)) %
                                Modulus;
    return Result;
  }
  static std::vector<uint32_t> numbers(Vector SA, Vector SB, unsigned Length) {
    std::vector<uint32_t> Result(Length);
    for (uint32_t &Number : Result) {
      const uint64_t PA = (1403580 * SA[1] + 810728 * (M1 - SA[0])) % M1;
      const uint64_t PB = (527612 * SB[2] + 1370589 * (M2 - SB[0])) % M2;
      SA = {SA[1], SA[2], PA};
      SB = {SB[1], SB[2], PB};
      Number = uint32_t(PA > PB ? PA - PB : PA + M1 - PB);
    }
    return Result;
  }

  Vector A, B;
};

/// Point \p Index of one dimension, given its direction vectors.
template <typename T> T sobol(const T *Directions, uint64_t Index) {
  T Point = 0;
  for (uint64_t Gray = Index ^ Index >> 1; Gray; Gray >>= 1, ++Directions)
    if (Gray & 1)
      Point ^= *Directions;
  return Point;
}

#endif // LUTHIER_TEST_E2E_ROCRAND_REFERENCES_H
