// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/WaitingWaves.h"

#include "emulator/exec/CodeCache.h"
#include <algorithm>
#include <cstdio>
#include <tuple>

namespace luthier::emulator {

namespace {

/// What an event says about the wave, and how long its instruction is.
struct WaitKind {
  WaveEvent Event;
  unsigned Bytes;
  const char *What;
};
constexpr WaitKind Kinds[] = {
    {WaveEvent::Barrier, 4, "waits for the workgroup's other waves"},
    {WaveEvent::SplitBarrier, 4, "waits for the workgroup's other waves"},
    {WaveEvent::SplitBarrier, 4, "waits for waves that have not signalled"},
    {WaveEvent::GlobalSync, 8, "waits for waves of other workgroups"},
    {WaveEvent::Yield, 4, "sleeps in a loop"},
};
constexpr WaitKind Running{WaveEvent::None, 0, "runs in a loop"};

const WaitKind &kindOf(WaveEvent Event) {
  auto Found = std::ranges::find(Kinds, Event, &WaitKind::Event);
  return Found == std::end(Kinds) ? Running : *Found;
}

} // namespace

std::string hexText(uint64_t Value) {
  char Text[19];
  snprintf(Text, sizeof(Text), "0x%llx",
           static_cast<unsigned long long>(Value));
  return Text;
}

WaitingWave::WaitingWave(const Wave &W)
    : PC(W.PC - kindOf(W.Event).Bytes), Event(W.Event),
      Workgroup{W.WorkgroupId[0], W.WorkgroupId[1], W.WorkgroupId[2]},
      Number(W.IdInWorkgroup) {}

std::string describePC(uint64_t PC, uint64_t EntryPC) {
  // Code objects are smaller; beyond lies other code.
  constexpr uint64_t Far = 1 << 30;
  std::string Text = hexText(PC);
  if (PC - EntryPC < Far)
    return Text + " (entry + " + hexText(PC - EntryPC) + ")";
  if (EntryPC - PC < Far)
    return Text + " (entry - " + hexText(EntryPC - PC) + ")";
  return Text;
}

std::string describeWave(const WaitingWave &W) {
  const auto &Id = W.Workgroup;
  return "wave " + std::to_string(W.Number) + " of workgroup " +
         std::to_string(Id[0]) + "," + std::to_string(Id[1]) + "," +
         std::to_string(Id[2]);
}

std::string describeWaits(std::vector<WaitingWave> Waves, CodeCache &Code,
                          uint64_t EntryPC) {
  std::ranges::sort(Waves, {}, [](const WaitingWave &W) {
    return std::tuple(W.PC, W.Event, W.Workgroup, W.Number);
  });
  std::string Text;
  for (auto First = Waves.begin(); First != Waves.end();) {
    auto Last = std::find_if(First, Waves.end(), [&](const WaitingWave &W) {
      return W.PC != First->PC || W.Event != First->Event;
    });
    Text += "\n  ";
    if (Last - First > 1)
      Text += std::to_string(Last - First) + " waves, such as ";
    Text += describeWave(*First) + ", at " + describePC(First->PC, EntryPC) +
            ": " + Code.print(First->PC) + ": " + kindOf(First->Event).What;
    First = Last;
  }
  return Text;
}

} // namespace luthier::emulator
