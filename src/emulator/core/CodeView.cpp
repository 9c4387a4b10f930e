// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/core/CodeView.h"
#include "emulator/core/Wave.h"

namespace luthier::emulator {

static void leavePage(Wave &W, const Inst &) { W.Event = WaveEvent::Redirect; }

CodePage::CodePage(uint64_t Base)
    : Base(Base), Slots(std::make_unique<CodeSlot[]>(NumSlots + NumExits)) {
  for (unsigned N = NumSlots; N != NumSlots + NumExits; ++N) {
    Slots[N].Fn.store(leavePage);
    Slots[N].I.Dwords = 0;
    Slots[N].I.Timing.Stall = 0;
  }
}

void CodeView::refresh() {
  uint64_t Now = Source.generation();
  if (Now == Generation)
    return;
  Generation = Now;
  Entries.fill(nullptr);
}

} // namespace luthier::emulator
