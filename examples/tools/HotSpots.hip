// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often waves execute each instruction, and where it is in the source. It
// needs none of LLVM's headers, so it compiles in a third of the time.
#include "luthier/Counters.h"
#include "luthier/Mnemonic.h"
#include "luthier/Option.h"
#include "luthier/Tool.h"

using namespace luthier;

__attribute__((managed)) uint64_t Counts[1 << 16];
MARK_LUTHIER_DEVICE_MODULE

static Option<std::string> Name("name", "",
                                "only instructions whose name contains this");
static Option<unsigned> Most("most", 10, "instructions to print");

class HotSpots : public Tool {
  PlaceList Places;

  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    return countPlaces(LR, Task, Places, Counts,
                       [](const llvm::MachineInstr &MI) {
                         return Name->empty() ||
                                mnemonicOf(MI).find(*Name) != std::string::npos;
                       });
  }
  void onExit() override {
    if (!Places.size())
      return;
    Places.print(Counts, *Most);
    Places.writeJSON("hot-spots.json", Counts);
  }
};
LUTHIER_TOOL(HotSpots)
