// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/strict/Options.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"

namespace luthier::emulator::strict {

static void enableAll(Options &O) { O.Undefined = O.Waits = O.Hazards = true; }

static bool parseTiming(llvm::StringRef Value, Options &O) {
  auto Timing = llvm::StringSwitch<std::optional<LoadTiming>>(Value)
                    .Case("earliest", LoadTiming::Earliest)
                    .Case("latest", LoadTiming::Latest)
                    .Case("random", LoadTiming::Random)
                    .Default(std::nullopt);
  O.Waits = true;
  O.Loads = Timing.value_or(O.Loads);
  return Timing.has_value();
}

static bool parseItem(llvm::StringRef Item, Options &O) {
  auto [Key, Value] = Item.split('=');
  if (Key == "loads")
    return parseTiming(Value, O);
  uint64_t Seed;
  if (Key == "seed" && !Value.getAsInteger(10, Seed)) {
    O.Seed = Seed;
    return true;
  }
  if (Item == "1" || Item == "all")
    enableAll(O);
  else if (Item == "undefined" || Item == "uninitialised" ||
           Item == "uninitialized" || Item == "poison") // Its names of before.
    O.Undefined = true;
  else if (Item == "hazards")
    O.Hazards = true;
  else if (Item == "continue")
    O.Continue = true;
  else
    return false;
  return true;
}

std::optional<Options> parseOptions(llvm::StringRef Text, std::string &Error) {
  Options O;
  if (Text.empty() || Text == "0")
    return O;
  llvm::SmallVector<llvm::StringRef, 8> Items;
  Text.split(Items, ',');
  for (llvm::StringRef Item : Items)
    if (!parseItem(Item, O)) {
      Error = "'" + Item.str() +
              "' is not all, undefined, hazards, "
              "loads=earliest|latest|random, seed=NUMBER or continue";
      return std::nullopt;
    }
  if (!O.anyCheck())
    enableAll(O);
  return O;
}

} // namespace luthier::emulator::strict
