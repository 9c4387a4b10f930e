// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Channels.h"
#include "runtime/HostMemory.h"
#include "runtime/HsaApi.h"
#include "runtime/OpenChannel.h"
#include "runtime/ToolExceptions.h"
#include "runtime/Verification.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace llvm;

namespace luthier::runtime {

using detail::ChannelState;
using detail::OpenChannel;

Channels &channels() {
  static auto *All = new Channels;
  return *All;
}

Expected<Channels::Pointer>
Channels::open(const void *Variable, const std::string &Owner,
               uint32_t LargestRecord, detail::RawConsumer Consume,
               const ChannelOptions &Options, WhenLoaded Loaded) {
  constexpr unsigned MostLanes = 64;
  const uint64_t Most = uint64_t(LargestRecord) * MostLanes;
  const unsigned Log2Units = ChannelRing::log2UnitsFor(Options.Bytes);
  if (Most > UINT32_MAX / 2 ||
      detail::channelUnits(Most) > detail::mostUnitsOfBlock(1u << Log2Units))
    return createStringError(
        "a channel of " + Twine(Options.Bytes) + " bytes of " + Owner +
        " is too small: a wave pushes up to " + Twine(MostLanes) +
        " records of " + Twine(LargestRecord) +
        " bytes at once, and twice as much has to fit in");
  std::lock_guard Guard(Lock);
  erase_if(Open, [](const Known &K) { return K.Channel->isClosed(); });
  if (any_of(Open, [&](const Known &K) { return K.Variable == Variable; }))
    return createStringError("a channel of " + Owner + " is open already");
  if (Seen.contains(Variable))
    return createStringError("a channel of " + Owner +
                             " is opened too late, when its device code is "
                             "loaded: open it in the tool's constructor");
  auto New = std::make_shared<OpenChannel>(
      Log2Units,
      // What is verified runs on copies of memory, where nobody consumes.
      Options.WhenFull == ChannelOptions::Wait && !isVerifying(),
      std::move(Consume), Owner);
  Open.push_back({Variable, New, std::move(Loaded)});
  return New;
}

void Channels::close(const void *Variable) {
  std::lock_guard Guard(Lock);
  Seen.erase(Variable);
  for (Known &K : Open)
    if (K.Variable == Variable) {
      K.Variable = nullptr;
      K.Loaded = {};
      K.Channel->close();
    }
}

/// Memory of the host, all zero, that \p Agent reads and writes directly.
static Expected<void *> allocateFor(hsa_agent_t Agent, size_t Bytes) {
  const std::optional<hsa_amd_memory_pool_t> Pool =
      hostPool(HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED);
  if (!Pool)
    return createStringError("there is no host memory for a channel");
  void *Memory = nullptr;
  if (Error E = checkHsa(
          amdApi().hsa_amd_memory_pool_allocate_fn(*Pool, Bytes, 0, &Memory),
          "allocating a channel"))
    return std::move(E);
  if (Error E = checkHsa(
          amdApi().hsa_amd_agents_allow_access_fn(1, &Agent, nullptr, Memory),
          "giving a device access to a channel")) {
    amdApi().hsa_amd_memory_pool_free_fn(Memory);
    return std::move(E);
  }
  std::memset(Memory, 0, Bytes);
  return Memory;
}

Error Channels::loaded(const void *Variable, const OwnExecutable &Code,
                       hsa_agent_t Agent, uint64_t Address) {
  Pointer Channel;
  {
    std::lock_guard Guard(Lock);
    Seen.insert(Variable);
    for (const Known &K : Open)
      if (K.Variable == Variable) {
        Channel = K.Channel;
        if (K.Loaded)
          K.Loaded(Code, Agent);
      }
  }
  if (!Channel)
    return Error::success();
  Expected<void *> Memory = allocateFor(Agent, Channel->bytes());
  if (!Memory)
    return Memory.takeError();
  const uint64_t OnDevice = reinterpret_cast<uint64_t>(*Memory);
  const std::function<void()> Free = [Memory = *Memory, OnDevice] {
    includeInVerification(OnDevice);
    amdApi().hsa_amd_memory_pool_free_fn(Memory);
  };
  Expected<ChannelState> State =
      Channel->addRing(Agent, *Memory, OnDevice, Free);
  if (!State) {
    Free();
    return State.takeError();
  }
  excludeFromVerification(OnDevice, OnDevice + Channel->bytes());
  return checkHsa(
      coreApi().hsa_memory_copy_fn(reinterpret_cast<void *>(Address), &*State,
                                   sizeof(*State)),
      "opening a channel");
}

std::vector<Channels::Pointer> Channels::all() {
  std::lock_guard Guard(Lock);
  std::vector<Pointer> Result;
  for (const Known &K : Open)
    Result.push_back(K.Channel);
  return Result;
}

void Channels::flush() {
  for (const Pointer &C : all())
    C->flush();
}

void Channels::finish() {
  for (const Pointer &C : all())
    C->finish();
}

bool Channels::empty() {
  std::lock_guard Guard(Lock);
  return Open.empty();
}

void Channels::expectKilledWaves(hsa_agent_t Agent) {
  for (const Pointer &C : all())
    C->expectKilledWaves(Agent);
}

void Channels::unloaded() {
  for (const Pointer &C : all())
    C->removeRings();
}

} // namespace luthier::runtime

Expected<std::shared_ptr<luthier::detail::OpenChannel>>
luthier::detail::openChannel(const void *Variable, uint32_t LargestRecord,
                             RawConsumer Consume,
                             const ChannelOptions &Options) {
  return runtime::channels().open(Variable,
                                  "tool " + runtime::fileNameOf(Variable),
                                  LargestRecord, std::move(Consume), Options);
}
