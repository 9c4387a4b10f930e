// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/emit/ParallelMove.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace luthier {

SmallVector<RegisterMove, 16> sequentialize(ArrayRef<RegisterMove> Moves,
                                            unsigned Temporary) {
  SmallVector<RegisterMove, 16> Open, Result;
  for (const RegisterMove &M : Moves)
    if (M.To != M.From)
      Open.push_back(M);
  while (!Open.empty()) {
    // What nobody reads any more can be overwritten.
    auto *Ready = find_if(Open, [&](const RegisterMove &M) {
      return none_of(Open,
                     [&](const RegisterMove &R) { return R.From == M.To; });
    });
    if (Ready != Open.end()) {
      Result.push_back(*Ready);
      Open.erase(Ready);
      continue;
    }
    // Only cycles are left: open one.
    const unsigned Kept = Open.front().To;
    Result.push_back({Temporary, Kept});
    for (RegisterMove &M : Open)
      if (M.From == Kept)
        M.From = Temporary;
  }
  return Result;
}

} // namespace luthier
