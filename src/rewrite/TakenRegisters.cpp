// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/TakenRegisters.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {

std::optional<unsigned> TakenRegisters::findBlock(unsigned NumTight,
                                                  unsigned Count,
                                                  unsigned Wanted,
                                                  unsigned End) const {
  auto isFree = [&](unsigned First) {
    return First + Count <= End &&
           Always.find_first_in(First, First + Count) < 0 &&
           ByArguments.find_first_in(First, First + NumTight) < 0;
  };
  for (int First = alignDown(Wanted, 2); First >= 0; First -= 2)
    if (isFree(First))
      return First;
  for (unsigned First = alignTo(Wanted, 2); First + Count <= End; First += 2)
    if (isFree(First))
      return First;
  return std::nullopt;
}

} // namespace luthier
