// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/lockstep/Attribution.h"

namespace luthier::emulator::lockstep {

Result runAttributed(const Options &O,
                     const std::function<Result(const Options &)> &Run) {
  Result First = Run(O);
  if (!First.Found || First.Found->What != Difference::Kind::Garbage ||
      !First.ReadUnset.any())
    return First;
  Options Again = O;
  Again.KeptGarbage = First.ReadUnset;
  Result Second = Run(Again);
  if (Second.Found || Second.OriginalFault)
    return Second;
  First.Found->Detail += ", which the original reads itself";
  Second.Noted = std::move(First.Found);
  return Second;
}

} // namespace luthier::emulator::lockstep
