// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks that Sends.hip loads or compiles: they send, print and have counters of
// the wave. Names are those of its own.
#include "luthier/ChannelHooks.h"
#include "luthier/Hook.h"
#include "luthier/Intrinsics.h"
#include "luthier/Print.h"
#include <cassert>

MARK_LUTHIER_DEVICE_MODULE

struct Sent {
  uint32_t Number, Inverse;
};
__device__ luthier::Channel<Sent> Stream;
__device__ uint64_t Number, NoChannel;

LUTHIER_HOOK_ANNOTATE send() {
  const uint32_t N = luthier::waveCounter(Number);
  luthier::pushOnce(Stream, Sent{N, ~N});
  luthier::waveAdd(Number, 1);
  luthier::waveAtomicAdd(&NoChannel, uint64_t(1));
}

LUTHIER_HOOK_ANNOTATE addUp() { luthier::waveFlush(Number); }

LUTHIER_HOOK_ANNOTATE show() {
  if (__lane_id() < 2)
    printf("lane %u of a %s\n", __lane_id(), __lane_id() ? "module" : "hook");
}

LUTHIER_HOOK_ANNOTATE insist() { assert(__lane_id() < 5); }
