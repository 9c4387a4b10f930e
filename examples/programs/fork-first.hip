// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forks before anything touched the GPU, as launchers and data loaders do; then
// parent and child both use it. Whoever starts the runtime too early, in a
// library's constructor for example, breaks the child.
#include "Check.h"

#include <sys/wait.h>
#include <unistd.h>

constexpr unsigned GroupSize = 256;

__global__ void powers(unsigned *Out, unsigned Count, unsigned Base) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  unsigned Power = 1;
  for (unsigned Exponent = I; Exponent > 0; Exponent >>= 1, Base *= Base)
    if (Exponent & 1)
      Power *= Base;
  Out[I] = Power;
}

static void computePowers(Verdict &Results, unsigned Count, unsigned Base) {
  const DeviceArray<unsigned> Out(Count);
  powers<<<groupsFor(Count, GroupSize), GroupSize>>>(Out.get(), Count, Base);
  std::vector<unsigned> Expected(Count);
  unsigned Power = 1;
  for (unsigned &Value : Expected) {
    Value = Power;
    Power *= Base;
  }
  Results.expectEqual(Out.read(), Expected);
}

/// Returns what main returns; the digest goes to the parent.
static int runChild(int ToParent, unsigned Count) {
  Verdict Results("fork-first (child)");
  computePowers(Results, Count, 5);
  const uint64_t Digest = Results.digest();
  const bool Sent = write(ToParent, &Digest, sizeof(Digest)) == sizeof(Digest);
  return Results.good() && Sent ? 0 : 1;
}

int main(int Argc, char **Argv) {
  const unsigned Count = 10007 * timesUsual(Argc, Argv);
  int Ends[2];
  if (pipe(Ends) != 0)
    return 2;
  const pid_t Child = fork();
  if (Child < 0)
    return 2;
  if (Child == 0)
    return runChild(Ends[1], Count);
  close(Ends[1]);

  Verdict Results("fork-first");
  computePowers(Results, Count, 3);
  std::vector<uint64_t> ChildDigest(1);
  Results.expect(read(Ends[0], ChildDigest.data(), sizeof(uint64_t)) ==
                     sizeof(uint64_t),
                 "answer from the child");
  Results.addToDigest(ChildDigest);
  int Status = 0;
  Results.expect(waitpid(Child, &Status, 0) == Child && Status == 0,
                 "end of the child");
  return Results.finish();
}
