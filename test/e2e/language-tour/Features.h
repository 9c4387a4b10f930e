// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What HIP can say in a function, each as a number made of a work-item's own.
// Hooks compute it on the device, the tool's host code on the host.
#ifndef LUTHIER_TEST_E2E_LANGUAGETOUR_FEATURES_H
#define LUTHIER_TEST_E2E_LANGUAGETOUR_FEATURES_H

#include "luthier/Hook.h"

#include <cmath>
#include <cstdint>
#include <cstring>

#define BOTH __host__ __device__

namespace tour {

constexpr uint32_t Items = 256; ///< Of the first workgroup.

BOTH __attribute__((noinline)) inline uint32_t notInlined(uint32_t T) {
  uint32_t R = 1;
  for (uint32_t I = 0; I < T % 5; ++I)
    R = R * T + I;
  return R;
}

BOTH inline uint32_t overloaded(uint32_t T) { return T + 1; }
BOTH inline uint32_t overloaded(float T) { return T * 2; }
BOTH inline uint32_t overloaded(uint32_t A, int B) { return A * B; }
BOTH inline uint32_t overloads(uint32_t T) {
  return overloaded(T) + 1000 * overloaded(float(T)) + overloaded(T, 7);
}

template <typename A, int N> BOTH uint32_t instance(A Value) {
  A Sum = 0;
  for (int I = 0; I < N; ++I)
    Sum += Value / (I + 1);
  return Sum;
}
BOTH inline uint32_t templates(uint32_t T) {
  return instance<uint32_t, 3>(T) + 1000 * instance<float, 5>(T) +
         instance<long, 2>(-long(T));
}

LUTHIER_MAX_DEPTH(12) BOTH inline uint32_t fibonacci(uint32_t N) {
  return N < 2 ? N : fibonacci(N - 1) + fibonacci(N - 2);
}
BOTH inline uint32_t recursion(uint32_t T) { return fibonacci(T % 11); }

struct Node {
  uint32_t Value;
  const Node *Left, *Right;
};
BOTH inline uint32_t sumOf(const Node *N);
LUTHIER_MAX_DEPTH(4) BOTH inline uint32_t sumOf(const Node *N) {
  return N ? N->Value + 3 * sumOf(N->Left) + 5 * sumOf(N->Right) : 0;
}
BOTH inline uint32_t trees(uint32_t T) {
  Node Low{T, nullptr, nullptr}, High{T + 1, nullptr, &Low};
  Node Top{7, T & 1 ? &High : &Low, T & 2 ? &Low : nullptr};
  return sumOf(&Top);
}

BOTH inline uint32_t square(uint32_t T) { return T * T; }
BOTH inline uint32_t next(uint32_t T) { return T + 1; }
BOTH inline uint32_t pointers(uint32_t T) {
  uint32_t (*const Table[])(uint32_t) = {square, next, fibonacci};
  return Table[T % 3](T % 9);
}

struct Shape {
  uint32_t Width = 3;
  BOTH virtual uint32_t area() const = 0;
};
struct Square : Shape {
  BOTH explicit Square(uint32_t W) { Width = W; }
  BOTH uint32_t area() const override { return Width * Width; }
};
struct Line final : Shape {
  BOTH uint32_t area() const override { return Width; }
};
BOTH inline uint32_t virtuals(uint32_t T) {
  Square A(T);
  Line B;
  const Shape &Any = T % 3 ? static_cast<const Shape &>(A) : B;
  return Any.area();
}

BOTH inline uint32_t lambdas(uint32_t T) {
  uint32_t Calls = 0;
  auto add = [&Calls, T](auto... Terms) {
    ++Calls;
    return (T + ... + Terms);
  };
  uint32_t Sum = add(1, 2u, 3ul) + add();
  return 100 * Sum + Calls;
}

BOTH inline uint32_t locals(uint32_t T) {
  uint32_t Ring[24], Copy[24];
  for (uint32_t I = 0; I < 24; ++I)
    Ring[(7 * I + T) % 24] = I * T;
  std::memcpy(Copy, Ring, sizeof(Copy));
  std::memset(Ring, 1, 8 * sizeof(Ring[0]));
  return Copy[T % 24] + Ring[T % 8] + Copy[(T + 5) % 24];
}

BOTH inline uint32_t aligned(uint32_t T) {
  alignas(128) volatile uint32_t Wide[8] = {};
  Wide[T % 8] = T;
  return Wide[T % 8] +
         1000 * (reinterpret_cast<uintptr_t>(&Wide[0]) % 128 == 0);
}

BOTH inline uint32_t computedSizes(uint32_t T) {
  const uint32_t Count = T % 8 + 1;
  auto *Local =
      static_cast<uint32_t *>(__builtin_alloca(Count * sizeof(uint32_t)));
  for (uint32_t I = 0; I < Count; ++I)
    Local[I] = I * T;
  return Local[Count - 1] + Local[T % Count];
}

struct Small {
  uint8_t A;
  int16_t B;
};
struct Large {
  uint64_t Values[12];
};
BOTH __attribute__((noinline)) inline uint32_t sumOf(Small S, Large L) {
  L.Values[1] += S.A;
  return L.Values[1] + L.Values[11] + S.B;
}
BOTH inline uint32_t structures(uint32_t T) {
  Large L{};
  L.Values[1] = T;
  L.Values[11] = 2 * T;
  const uint32_t Sum = sumOf({uint8_t(T), int16_t(-3)}, L);
  return Sum + 1000 * L.Values[1];
}

union Bits {
  float Number;
  uint32_t Word;
  struct {
    uint32_t Fraction : 23, Exponent : 8, Sign : 1;
  };
};
BOTH inline uint32_t unions(uint32_t T) {
  Bits B;
  B.Number = -1.5f * T;
  return B.Exponent + 1000 * B.Sign + (B.Fraction >> 16);
}

BOTH inline uint32_t control(uint32_t T) {
  uint32_t R = 0;
  for (uint32_t I = 0;; ++I) {
    switch ((T + I) % 5) {
    case 0:
      R += 3;
      [[fallthrough]];
    case 1:
      R *= 2;
      break;
    case 2:
      continue;
    default:
      if (I > T % 7)
        goto Done;
      R += I;
    }
    if (I > 40)
      break;
  }
Done:
  return R;
}

/// Constructors of other places, which clang gives two names.
struct Elsewhere {
  uint32_t Value;
  BOTH Elsewhere(uint32_t);
  BOTH ~Elsewhere();
};
BOTH inline Elsewhere::Elsewhere(uint32_t V) : Value(V * 3) {}
BOTH inline Elsewhere::~Elsewhere() { Value = 0; }

struct Destroyed {
  uint32_t *Sum;
  BOTH explicit Destroyed(uint32_t &S) : Sum(&S) {}
  BOTH virtual uint32_t worth() const { return 1; }
  BOTH virtual ~Destroyed() { *Sum += 10; }
};
struct DestroyedTwice : Destroyed {
  using Destroyed::Destroyed;
  BOTH uint32_t worth() const override { return 5; }
  BOTH ~DestroyedTwice() override { *Sum += 100; }
};
/// No destructor, whatever its symbol has in it.
BOTH __attribute__((noinline)) inline uint32_t idD0Event(uint32_t T) {
  return T * 7;
}
BOTH inline uint32_t lifetimes(uint32_t T) {
  uint32_t Sum = Elsewhere(T).Value + idD0Event(T);
  {
    Destroyed Once(Sum);
    DestroyedTwice Twice(Sum);
    const Destroyed &Some = T & 1 ? Twice : Once;
    Sum += Some.worth();
  }
  return Sum;
}

struct Members {
  uint32_t Base;
  BOTH explicit Members(uint32_t B) : Base(B) {}
  BOTH uint32_t first(uint32_t N) { return Base + N; }
  BOTH uint32_t second(uint32_t N) { return Base * 2 + N; }
  BOTH virtual uint32_t third(uint32_t N) { return Base ^ N; }
};
BOTH inline uint32_t memberPointers(uint32_t T) {
  uint32_t (Members::*const Table[])(uint32_t) = {
      &Members::first, &Members::second, &Members::third};
  Members M(T);
  return (M.*Table[T % 3])(T + 7);
}

// HIP lets devices, but not the host, fuse multiplications with additions.
#pragma clang fp contract(off)

BOTH inline uint32_t floats(uint32_t T) {
  const float X = T * 0.37f + 0.1f;
  const float R = X / 3.0f + sqrtf(X) - fmaf(X, X, 1.5f) + floorf(X * 10);
  uint32_t Word;
  std::memcpy(&Word, &R, 4);
  return Word;
}
/// Host and device libraries may differ in the last digits.
BOTH inline uint32_t functions(uint32_t T) {
  const float X = T * 0.017f + 0.1f;
  return uint32_t(int(1000 * (sinf(X) + expf(-X) + logf(X) + powf(X, 1.3f))));
}
BOTH inline uint32_t doubles(uint32_t T) {
  const double X = T * 0.37 + 0.1;
  return uint32_t(int64_t(1e6 * (sin(X) + pow(X, 0.3) + sqrt(X) / 3 - 1 / X)));
}
BOTH inline uint32_t halves(uint32_t T) {
  const _Float16 X = _Float16(float(T)) * _Float16(0.25f) + _Float16(0.5f);
  return uint32_t(float(X) * 16);
}
BOTH inline uint32_t integers(uint32_t T) {
  const int64_t X = T * 123456789012345l + 7, Y = T * 77l - 1000;
  const auto Wide = static_cast<unsigned __int128>(X) * uint64_t(Y | 1);
  return uint32_t(X / (Y | 1)) ^ uint32_t(X % (T + 3)) ^ uint32_t(Wide >> 70) ^
         __builtin_popcountll(X) ^ (__builtin_clzll(X) << 8) ^
         (__builtin_ctz(T | 64) << 16);
}

} // namespace tour

/// All of them.
#define TOUR_FEATURES(F)                                                       \
  F(notInlined)                                                                \
  F(overloads)                                                                 \
  F(templates)                                                                 \
  F(recursion)                                                                 \
  F(trees)                                                                     \
  F(pointers)                                                                  \
  F(virtuals)                                                                  \
  F(lifetimes)                                                                 \
  F(memberPointers)                                                            \
  F(lambdas)                                                                   \
  F(locals)                                                                    \
  F(aligned)                                                                   \
  F(computedSizes)                                                             \
  F(structures)                                                                \
  F(unions)                                                                    \
  F(control)                                                                   \
  F(floats)                                                                    \
  F(functions)                                                                 \
  F(doubles)                                                                   \
  F(halves)                                                                    \
  F(integers)

#endif // LUTHIER_TEST_E2E_LANGUAGETOUR_FEATURES_H
