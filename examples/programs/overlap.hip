// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains of copies and kernels on several streams that may run at the same
// time, and one kernel that waits for all of them through events.
#include "Check.h"

#include <deque>

constexpr unsigned Streams = 4, Rounds = 3;
constexpr unsigned GroupSize = 192;

/// How long it takes depends on the stream, so that chains drift apart.
__host__ __device__ inline unsigned mixed(unsigned Value, unsigned Stream) {
  for (unsigned I = 0; I < 20 * (Stream + 1); ++I)
    Value = (Value ^ Value >> 15) * 0x2c1b3c6d + Stream;
  return Value;
}

__global__ void mix(unsigned *Data, unsigned Count, unsigned Stream) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Data[I] = mixed(Data[I], Stream);
}

/// Reads what other workgroups of the launch before it wrote.
__global__ void mirror(const unsigned *In, unsigned *Out, unsigned Count) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Out[I] = In[Count - 1 - I] + I;
}

struct Sources {
  const unsigned *Data[Streams];
};

__global__ void combine(Sources In, unsigned *Out, unsigned Count) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  unsigned Value = 0;
  for (unsigned Stream = 0; Stream < Streams; ++Stream)
    Value = Value * 31 + In.Data[Stream][I];
  Out[I] = Value;
}

static std::vector<unsigned> chainOnHost(std::vector<unsigned> Data,
                                         unsigned Stream) {
  const unsigned Count = unsigned(Data.size());
  std::vector<unsigned> Other(Count);
  for (unsigned Round = 0; Round < Rounds; ++Round) {
    for (unsigned I = 0; I < Count; ++I)
      Other[Count - 1 - I] = mixed(Data[I], Stream) + (Count - 1 - I);
    Data.swap(Other);
  }
  return Data;
}

/// A stream, its memory, and the event that marks its chain's end.
class Chain {
public:
  explicit Chain(const std::vector<unsigned> &Input)
      : Count(unsigned(Input.size())), Data(Count), Other(Count) {
    CHECK_HIP(hipStreamCreateWithFlags(&Stream, hipStreamNonBlocking));
    CHECK_HIP(hipEventCreateWithFlags(&Done, hipEventDisableTiming));
    CHECK_HIP(hipMemcpyAsync(Data.get(), Input.data(), Data.bytes(),
                             hipMemcpyHostToDevice, Stream));
  }
  ~Chain() {
    CHECK_HIP(hipEventDestroy(Done));
    CHECK_HIP(hipStreamDestroy(Stream));
  }

  void addRound(unsigned Number) {
    const unsigned Groups = groupsFor(Count, GroupSize);
    mix<<<Groups, GroupSize, 0, Stream>>>(Data.get(), Count, Number);
    mirror<<<Groups, GroupSize, 0, Stream>>>(Data.get(), Other.get(), Count);
    CHECK_HIP(hipMemcpyAsync(Data.get(), Other.get(), Data.bytes(),
                             hipMemcpyDeviceToDevice, Stream));
  }
  void finish() { CHECK_HIP(hipEventRecord(Done, Stream)); }

  unsigned Count;
  hipStream_t Stream;
  hipEvent_t Done;
  DeviceArray<unsigned> Data, Other;
};

int main(int Argc, char **Argv) {
  const unsigned Count = 6007 * timesUsual(Argc, Argv);
  Random Input(13);
  std::vector<unsigned> Inputs[Streams], Expected(Count, 0);
  for (std::vector<unsigned> &Values : Inputs) {
    Values.resize(Count);
    for (unsigned &Value : Values)
      Value = unsigned(Input.next());
  }

  // A deque, because chains cannot move.
  std::deque<Chain> Chains;
  for (const std::vector<unsigned> &Values : Inputs)
    Chains.emplace_back(Values);
  // Round by round, so that packets of all streams are interleaved.
  for (unsigned Round = 0; Round < Rounds; ++Round)
    for (unsigned Stream = 0; Stream < Streams; ++Stream)
      Chains[Stream].addRound(Stream);
  Sources Finished;
  for (unsigned Stream = 0; Stream < Streams; ++Stream) {
    Chains[Stream].finish();
    CHECK_HIP(
        hipStreamWaitEvent(Chains[0].Stream, Chains[Stream].Done, /*flags=*/0));
    Finished.Data[Stream] = Chains[Stream].Data.get();
  }
  const DeviceArray<unsigned> Combined(Count);
  combine<<<groupsFor(Count, GroupSize), GroupSize, 0, Chains[0].Stream>>>(
      Finished, Combined.get(), Count);
  CHECK_HIP(hipStreamSynchronize(Chains[0].Stream));

  Verdict Results("overlap");
  for (unsigned Stream = 0; Stream < Streams; ++Stream) {
    const std::vector<unsigned> Values = chainOnHost(Inputs[Stream], Stream);
    Results.expectEqual(Chains[Stream].Data.read(), Values);
    for (unsigned I = 0; I < Count; ++I)
      Expected[I] = Expected[I] * 31 + Values[I];
  }
  Results.expectEqual(Combined.read(), Expected);
  return Results.finish();
}
