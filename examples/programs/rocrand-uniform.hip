// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that are not ours: the distribution's rocRAND fills buffers with
// uniform numbers. An argument picks one of the generators.
#include "Check.h"

#include <algorithm>
#include <rocrand/rocrand.h>

#define CHECK_ROCRAND(Call) checkRocrand((Call), #Call)

static void checkRocrand(rocrand_status Status, const char *Call) {
  if (Status == ROCRAND_STATUS_SUCCESS)
    return;
  std::fprintf(stderr, "%s: status %d\n", Call, int(Status));
  std::exit(2);
}

static std::vector<float> generate(rocrand_rng_type Type, uint64_t Seed,
                                   size_t Count) {
  const DeviceArray<float> Numbers(Count);
  rocrand_generator Generator;
  CHECK_ROCRAND(rocrand_create_generator(&Generator, Type));
  CHECK_ROCRAND(rocrand_set_seed(Generator, Seed));
  CHECK_ROCRAND(rocrand_generate_uniform(Generator, Numbers.get(), Count));
  std::vector<float> Result = Numbers.read();
  CHECK_ROCRAND(rocrand_destroy_generator(Generator));
  return Result;
}

/// That these are plausible, not that they are right: a wrong instruction in
/// the generators hardly ever leaves numbers uniform.
static void expectUniform(Verdict &Results, const std::vector<float> &Numbers) {
  const auto Ends = std::minmax_element(Numbers.begin(), Numbers.end());
  Results.expect(*Ends.first > 0 && *Ends.second <= 1, "range");

  // Shares of the eighths of the interval. The standard deviation of a share
  // of 50,000 numbers is 0.0015; five of them are allowed.
  constexpr int Parts = 8;
  double Sum = 0, Shares[Parts] = {};
  for (float Number : Numbers) {
    Sum += Number;
    Shares[std::min(int(Number * Parts), Parts - 1)] += 1.0 / Numbers.size();
  }
  for (double Share : Shares)
    Results.expect(std::fabs(Share - 1.0 / Parts) < 0.0075, "distribution");
  // Its standard deviation is 0.0013.
  Results.expect(std::fabs(Sum / Numbers.size() - 0.5) < 0.0065, "mean");
  Results.addToDigest(Numbers);
}

struct Named {
  const char *Name;
  rocrand_rng_type Type;
};
/// XORWOW prepares 131,072 states, some two thousand times the work of drawing
/// the numbers.
static constexpr Named Generators[] = {
    {"philox", ROCRAND_RNG_PSEUDO_PHILOX4_32_10},
    {"xorwow", ROCRAND_RNG_PSEUDO_XORWOW}};

int main(int Argc, char **Argv) {
  // Odd, so that the kernels' vector stores have a tail.
  constexpr size_t Count = 50001;
  constexpr uint64_t Seed = 0x5eed;
  Verdict Results("rocrand-uniform");
  bool Any = false;
  for (const Named &Generator : Generators)
    if (Argc < 2 || std::strcmp(Argv[1], Generator.Name) == 0) {
      expectUniform(Results, generate(Generator.Type, Seed, Count));
      Any = true;
    }
  Results.expect(Any, "name of a generator");
  return Results.finish();
}
