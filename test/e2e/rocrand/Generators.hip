// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every generator that Debian's librocrand1 (5.3) offers, in every output it
// offers: PHILOX4_32_10, XORWOW, MRG32K3A and the Sobol sequences value by
// value against a host implementation, and all of them, MTGP32 too, by the
// first two moments of the distribution. An argument names the generator.
#include "Check.h"
#include "References.h"

#include <functional>
#include <memory>
#include <rocrand/rocrand.h>
#include <string>
// The library's own tables; which direction numbers a Sobol sequence uses is a
// matter of choice.
#include <rocrand/rocrand_sobol32_precomputed.h>
#include <rocrand/rocrand_sobol64_precomputed.h>

namespace {

constexpr uint64_t Seed = 0x5eed;
/// Numbers per output. All outputs of a generator together need fewer streams
/// than the 131,072 that rocRAND keeps, so each is used once.
constexpr size_t Count = 6000;

void checkRocrand(rocrand_status Status, const char *What) {
  if (Status == ROCRAND_STATUS_SUCCESS)
    return;
  std::fprintf(stderr, "%s: status %d\n", What, int(Status));
  std::exit(2);
}

/// Where a generator's numbers come from: groups of words. Outputs take whole
/// groups, in order.
class Source {
public:
  virtual ~Source() = default;
  /// Word \p K of group \p Group, of those \p Words that the group has.
  virtual uint32_t word(size_t Group, unsigned K, unsigned Words) const = 0;
  virtual void advance(size_t Groups, unsigned Words) = 0;
};

/// One stream, in order.
class PhiloxSource final : public Source {
public:
  uint32_t word(size_t Group, unsigned K, unsigned Words) const override {
    return philox(Seed, Next + Group * Words + K);
  }
  void advance(size_t Groups, unsigned Words) override {
    Next += Groups * Words;
  }

private:
  uint64_t Next = 0;
};

/// One dimension of a Sobol sequence, the high half first.
template <typename T> class SobolSource final : public Source {
public:
  explicit SobolSource(const T *Directions) : Directions(Directions) {}
  uint32_t word(size_t Group, unsigned K, unsigned) const override {
    const uint64_t Point = uint64_t(sobol(Directions, Next + Group))
                           << (64 - 8 * sizeof(T));
    return uint32_t(K == 0 ? Point >> 32 : Point);
  }
  void advance(size_t Groups, unsigned) override { Next += Groups; }

private:
  const T *Directions;
  uint64_t Next = 0;
};

/// A stream for each group.
class StreamSource final : public Source {
public:
  explicit StreamSource(Streams All) : All(std::move(All)) {}
  uint32_t word(size_t Group, unsigned K, unsigned) const override {
    return All.at(Next + Group).at(K);
  }
  void advance(size_t Groups, unsigned) override { Next += Groups; }

private:
  Streams All;
  size_t Next = 0;
};

struct Generator {
  rocrand_generator Handle = nullptr;
  /// Null where only moments are checked.
  std::unique_ptr<Source> Reference;
  /// MRG32k3a has its own way from numbers to outputs.
  bool IsMrg = false;
  Verdict *Results = nullptr;
};

/// How an output is made of a group's words.
template <typename T> struct Output {
  const char *Name;
  std::function<rocrand_status(rocrand_generator, T *)> Generate;
  unsigned WordsPerGroup, NumbersPerGroup;
  std::function<double(const uint32_t *Words, unsigned N)> Expected;
  /// Of the distribution: mean, variance and, for how much the sample's
  /// variance may vary, the fourth central moment.
  double Mean, Variance, Fourth;
  /// Relative to the larger of 1 and the value. 0 asks for equal values.
  double Bound = 0;
  /// Numbers that are NaN, and no part of the moments.
  size_t NaNs = 0;
};

double toDouble(__half Value) { return __half2float(Value); }
template <typename T> double toDouble(T Value) { return double(Value); }

/// Six standard deviations of the sample's own moments.
template <typename T>
void checkMoments(Verdict &Results, const Output<T> &O,
                  const std::vector<T> &Numbers) {
  std::vector<double> Values;
  for (T Number : Numbers)
    if (!std::isnan(toDouble(Number)))
      Values.push_back(toDouble(Number));
  Results.expect(Values.size() + O.NaNs == Numbers.size(), "number of NaNs");
  const double N = double(Values.size());
  double Mean = 0, Variance = 0;
  for (double Value : Values)
    Mean += Value / N;
  for (double Value : Values)
    Variance += std::pow(Value - Mean, 2) / N;
  Results.expect(std::fabs(Mean - O.Mean) <= 6 * std::sqrt(O.Variance / N),
                 (std::string(O.Name) + ": mean").c_str());
  Results.expect(std::fabs(Variance - O.Variance) <=
                     6 * std::sqrt((O.Fourth - O.Variance * O.Variance) / N),
                 (std::string(O.Name) + ": variance").c_str());
}

template <typename T>
void checkValues(Generator &G, const Output<T> &O,
                 const std::vector<T> &Numbers) {
  // A Sobol point of 64 bits is one word that comes as two.
  std::vector<uint32_t> Words(std::max(2u, O.WordsPerGroup));
  for (size_t I = 0; I != Numbers.size(); ++I) {
    for (unsigned K = 0; K != Words.size(); ++K)
      Words[K] = G.Reference->word(I / O.NumbersPerGroup, K, O.WordsPerGroup);
    const double Expected =
        O.Expected(Words.data(), unsigned(I % O.NumbersPerGroup));
    const double Actual = toDouble(Numbers[I]);
    const double Allowed = O.Bound * std::max(1.0, std::fabs(Expected));
    if (std::isnan(Expected) ? !std::isnan(Actual)
                             : !(std::fabs(Actual - Expected) <= Allowed)) {
      std::fprintf(stderr, "%s: number %zu is %.17g, expected %.17g\n", O.Name,
                   I, Actual, Expected);
      G.Results->expect(false, O.Name);
      break;
    }
  }
  G.Reference->advance(Numbers.size() / O.NumbersPerGroup, O.WordsPerGroup);
}

template <typename T> void check(Generator &G, const Output<T> &O) {
  const DeviceArray<T> Device(Count);
  checkRocrand(O.Generate(G.Handle, Device.get()), O.Name);
  const std::vector<T> Numbers = Device.read();
  G.Results->addToDigest(Numbers);
  if (O.Variance)
    checkMoments(*G.Results, O, Numbers);
  if (G.Reference && O.Expected)
    checkValues(G, O, Numbers);
}

/// The conversions of a family of generators. Their inputs are a group's words.
struct Family {
  /// Uniform numbers in (0, 1] of each precision, and their words.
  double (*Single)(const uint32_t *);
  double (*Double)(const uint32_t *);
  unsigned WordsPerDouble;
  /// 32 random bits.
  uint32_t (*Bits)(const uint32_t *);
  /// Two uniforms for a pair of normal numbers; null: one for one, by the
  /// inverse of the distribution function.
  void (*SinglePair)(const uint32_t *, double *);
  void (*DoublePair)(const uint32_t *, double *);
  unsigned WordsPerDoublePair;
  /// Small outputs are cut from the low end of the bits, several from each
  /// group; those of quasi-random points are their leading bits.
  bool IsQuasi = false;
  /// False where the library's conversion loses the distribution.
  bool SingleIsUniform = true;
  uint32_t small(const uint32_t *W, unsigned N, unsigned Size) const {
    return IsQuasi ? Bits(W) >> (32 - Size)
                   : Bits(W) >> Size * N & ((1u << Size) - 1);
  }
  unsigned perGroup(unsigned Size) const { return IsQuasi ? 1 : 32 / Size; }
};

uint64_t bits53(uint32_t Low, uint32_t High) {
  return Low ^ uint64_t(High) << 21;
}
constexpr double MrgScale = 2.3283065498378288e-10; // 1 / M1

const Family Words = {
    [](const uint32_t *W) {
      return double(fmaf(float(W[0]), 0x1p-32f, 0x1p-32f));
    },
    [](const uint32_t *W) {
      return double((W[0] | uint64_t(W[1] >> 11) << 32) + 1) * 0x1p-53;
    },
    2,
    [](const uint32_t *W) { return W[0]; },
    [](const uint32_t *W, double *U) {
      U[0] = (double(W[0]) + 1) * 0x1p-32, U[1] = (double(W[1]) + 1) * 0x1p-32;
    },
    [](const uint32_t *W, double *U) {
      U[0] = double(bits53(W[0], W[1]) + 1) * 0x1p-53,
      U[1] = double(bits53(W[2], W[3]) + 1) * 0x1p-53;
    },
    4};
const Family Mrg = {
    [](const uint32_t *W) { return double(float(W[0] * MrgScale)); },
    [](const uint32_t *W) { return W[0] * MrgScale; },
    1,
    [](const uint32_t *W) { return uint32_t((W[0] - 1) * 1.000000048661607); },
    [](const uint32_t *W, double *U) {
      U[0] = W[0] * MrgScale, U[1] = W[1] * MrgScale;
    },
    [](const uint32_t *W, double *U) {
      U[0] = double(float(W[0] * MrgScale)),
      U[1] = double(float(W[1] * MrgScale));
    },
    2};
const Family Points32 = {
    Words.Single,
    [](const uint32_t *W) { return (double(W[0]) + 1) * 0x1p-32; },
    1,
    Words.Bits,
    nullptr,
    nullptr,
    1,
    true};
/// The library converts points to float by their low halves, which are zero
/// for the first 2^32 points: all numbers are the smallest there is.
const Family Points64 = {
    [](const uint32_t *W) { return Words.Single(W + 1); },
    [](const uint32_t *W) {
      return double(((uint64_t(W[0]) << 32 | W[1]) >> 11) + 1) * 0x1p-53;
    },
    1,
    Words.Bits,
    nullptr,
    nullptr,
    1,
    true,
    false};

/// Box and Muller (1958).
double boxMuller(const double *U, unsigned N) {
  const double Radius = std::sqrt(-2 * std::log(U[0]));
  return Radius *
         (N == 0 ? std::sin(2 * M_PI * U[1]) : std::cos(2 * M_PI * U[1]));
}
/// Winitzki's approximation (2008) of the inverse error function, which the
/// library uses.
double inverseNormal(double U, bool IsDouble) {
  constexpr double A = 0.147;
  const double X = IsDouble ? 2 * U - 1 : fmaf(2, float(U), -1);
  const double L = std::log((1 - X) * (1 + X));
  if (std::isinf(L))
    return 0;
  const double T = 2 / (M_PI * A) + L / 2;
  // The library's root of 2 has single precision.
  return std::copysign(1.4142135f * std::sqrt(std::sqrt(T * T - L / A) - T), X);
}

double normal(const Family &F, bool IsDouble, const uint32_t *W, unsigned N) {
  if (!F.SinglePair)
    return inverseNormal(IsDouble ? F.Double(W) : F.Single(W), IsDouble);
  double U[2];
  (IsDouble ? F.DoublePair : F.SinglePair)(W, U);
  return boxMuller(U, N);
}

constexpr double Location = 0.5, Width = 0.25;

template <typename T, typename F>
Output<T> normalOutput(const char *Name, const Family &Kind, bool IsDouble,
                       F Generate) {
  Output<T> O{Name, Generate};
  O.NumbersPerGroup = Kind.SinglePair ? 2 : 1;
  O.WordsPerGroup = !Kind.SinglePair ? 1
                    : IsDouble       ? Kind.WordsPerDoublePair
                                     : 2;
  O.Expected = [=](const uint32_t *W, unsigned N) {
    return Location + Width * normal(Kind, IsDouble, W, N);
  };
  if (IsDouble || Kind.SingleIsUniform)
    O.Mean = Location, O.Variance = Width * Width,
    O.Fourth = 3 * std::pow(Width, 4);
  // Where the inverse is near 0 it is the root of a difference of numbers near
  // 4, which costs half of the digits.
  O.Bound = Kind.IsQuasi ? (IsDouble ? 1e-8 : 2e-4) : IsDouble ? 1e-14 : 1e-6;
  return O;
}

/// The library's math in half precision comes from AMD's device libraries of
/// that time, whose sine of a half takes finite arguments for infinite ones:
/// one number of each pair is NaN, on hardware too.
Output<__half> halfNormalOutput(const Family &Kind) {
  auto O =
      normalOutput<__half>("normal half", Kind, false, [](auto H, auto *To) {
        return rocrand_generate_normal_half(
            H, To, Count, __float2half(Location), __float2half(Width));
      });
  // An angle of almost 2 pi is off by 0.002, a radius is at most 4.8.
  O.Bound = 0.005;
  O.WordsPerGroup = 1;
  if (Kind.IsQuasi)
    return O;
  O.NaNs = Count / 2;
  O.Expected = [&Kind](const uint32_t *W, unsigned N) {
    const double U[] = {(Kind.small(W, 0, 16) + 1) * 0x1p-16,
                        (Kind.small(W, 1, 16) + 1) * 0x1p-16};
    return N == 0 ? NAN : Location + Width * boxMuller(U, 1);
  };
  return O;
}

template <typename T> Output<T> logNormal(Output<T> O) {
  const auto Exponent = O.Expected;
  O.Expected = [=](const uint32_t *W, unsigned N) {
    return std::exp(Exponent(W, N));
  };
  O.Bound *= 4;
  // Moment K of the distribution about zero.
  if (O.Variance == 0)
    return O;
  auto Moment = [](double K) {
    return std::exp(K * Location + K * K * Width * Width / 2);
  };
  O.Mean = Moment(1);
  O.Variance = Moment(2) - std::pow(Moment(1), 2);
  O.Fourth = Moment(4) - 4 * Moment(1) * Moment(3) +
             6 * std::pow(Moment(1), 2) * Moment(2) -
             3 * std::pow(Moment(1), 4);
  return O;
}

/// Of the integers from 0 to \p Limit - 1, or nearly so.
template <typename T> Output<T> uniform(Output<T> O, double Limit) {
  O.Mean = Limit / 2, O.Variance = Limit * Limit / 12,
  O.Fourth = std::pow(Limit, 4) / 80;
  return O;
}

void checkAll(Generator &G, const Family &F) {
  check(G,
        uniform<uint32_t>(
            {"uint",
             [](auto H, auto *To) { return rocrand_generate(H, To, Count); }, 1,
             1, [&](const uint32_t *W, unsigned) { return double(F.Bits(W)); }},
            0x1p32));
  check(G, uniform<uint8_t>({"char",
                             [](auto H, auto *To) {
                               return rocrand_generate_char(H, To, Count);
                             },
                             1, F.perGroup(8),
                             [&](const uint32_t *W, unsigned N) {
                               return double(F.small(W, N, 8));
                             }},
                            256));
  check(G, uniform<uint16_t>({"short",
                              [](auto H, auto *To) {
                                return rocrand_generate_short(H, To, Count);
                              },
                              1, F.perGroup(16),
                              [&](const uint32_t *W, unsigned N) {
                                return double(F.small(W, N, 16));
                              }},
                             65536));
  check(G, uniform<float>(
               {"uniform float",
                [](auto H, auto *To) {
                  return rocrand_generate_uniform(H, To, Count);
                },
                1, 1, [&](const uint32_t *W, unsigned) { return F.Single(W); }},
               F.SingleIsUniform));
  check(G, uniform<double>(
               {"uniform double",
                [](auto H, auto *To) {
                  return rocrand_generate_uniform_double(H, To, Count);
                },
                F.WordsPerDouble, 1,
                [&](const uint32_t *W, unsigned) { return F.Double(W); }},
               1));
  check(G, uniform<__half>({"uniform half",
                            [](auto H, auto *To) {
                              return rocrand_generate_uniform_half(H, To,
                                                                   Count);
                            },
                            1, F.perGroup(16),
                            [&](const uint32_t *W, unsigned N) {
                              return toDouble(__float2half(
                                  float((F.small(W, N, 16) + 1) * 0x1p-16)));
                            }},
                           1));
  auto Single =
      normalOutput<float>("normal float", F, false, [](auto H, auto *To) {
        return rocrand_generate_normal(H, To, Count, Location, Width);
      });
  check(G, Single);
  auto Double =
      normalOutput<double>("normal double", F, true, [](auto H, auto *To) {
        return rocrand_generate_normal_double(H, To, Count, Location, Width);
      });
  check(G, Double);
  Single.Name = "log-normal float";
  Single.Generate = [](auto H, auto *To) {
    return rocrand_generate_log_normal(H, To, Count, Location, Width);
  };
  check(G, logNormal(Single));
  Double.Name = "log-normal double";
  Double.Generate = [](auto H, auto *To) {
    return rocrand_generate_log_normal_double(H, To, Count, Location, Width);
  };
  Double = logNormal(Double);
  if (!F.SingleIsUniform) {
    // Here the double's numbers are made of the low halves too.
    Double.Expected = [](const uint32_t *W, unsigned) {
      return std::exp(Location +
                      Width * inverseNormal((W[1] + 1.0) * 0x1p-32, true));
    };
    Double.Variance = 0;
  }
  check(G, Double);
  auto Half = halfNormalOutput(F);
  check(G, Half);
  Half.Name = "log-normal half";
  Half.Generate = [](auto H, auto *To) {
    return rocrand_generate_log_normal_half(
        H, To, Count, __float2half(Location), __float2half(Width));
  };
  check(G, logNormal(Half));
  for (double Lambda : {0.7, 20.0, 5000.0}) {
    Output<uint32_t> O{"poisson",
                       [=](auto H, auto *To) {
                         return rocrand_generate_poisson(H, To, Count, Lambda);
                       },
                       1, 1};
    O.Mean = O.Variance = Lambda, O.Fourth = Lambda + 3 * Lambda * Lambda;
    check(G, O);
    if (G.Reference)
      G.Reference->advance(Count, 1);
  }
}

struct Kind {
  const char *Name;
  rocrand_rng_type Type;
  const Family *Conversions;
  std::unique_ptr<Source> (*Reference)();
};
constexpr size_t MaxGroups = 20 * Count;
const Kind Kinds[] = {
    {"philox", ROCRAND_RNG_PSEUDO_PHILOX4_32_10, &Words,
     []() -> std::unique_ptr<Source> {
       return std::make_unique<PhiloxSource>();
     }},
    {"xorwow", ROCRAND_RNG_PSEUDO_XORWOW, &Words,
     []() -> std::unique_ptr<Source> {
       return std::make_unique<StreamSource>(
           Xorwow(Seed).streams(MaxGroups, 4));
     }},
    {"mrg32k3a", ROCRAND_RNG_PSEUDO_MRG32K3A, &Mrg,
     []() -> std::unique_ptr<Source> {
       return std::make_unique<StreamSource>(
           Mrg32k3a(Seed).streams(MaxGroups, 4));
     }},
    {"mtgp32", ROCRAND_RNG_PSEUDO_MTGP32, &Words,
     []() -> std::unique_ptr<Source> { return nullptr; }},
    {"sobol32", ROCRAND_RNG_QUASI_SOBOL32, &Points32,
     []() -> std::unique_ptr<Source> {
       return std::make_unique<SobolSource<unsigned>>(
           h_sobol32_direction_vectors);
     }},
    {"sobol64", ROCRAND_RNG_QUASI_SOBOL64, &Points64,
     []() -> std::unique_ptr<Source> {
       return std::make_unique<SobolSource<unsigned long long>>(
           h_sobol64_direction_vectors);
     }},
};

} // namespace

int main(int Argc, char **Argv) {
  const std::string Name = Argc == 2 ? Argv[1] : "";
  for (const Kind &K : Kinds) {
    if (Name != K.Name)
      continue;
    const std::string Title = "rocrand-" + Name;
    Verdict Results(Title.c_str());
    Results.expect(philox(0, 0) == 0x6627e8d5 && philox(0, 3) == 0x9b00dbd8,
                   "known answer of Philox");
    Generator G;
    G.Results = &Results;
    checkRocrand(rocrand_create_generator(&G.Handle, K.Type), "create");
    if (K.Type < ROCRAND_RNG_QUASI_DEFAULT)
      checkRocrand(rocrand_set_seed(G.Handle, Seed), "seed");
    G.Reference = K.Reference();
    checkAll(G, *K.Conversions);
    checkRocrand(rocrand_destroy_generator(G.Handle), "destroy");
    return Results.finish();
  }
  std::fprintf(stderr, "usage: %s GENERATOR\n", Argv[0]);
  return 2;
}
