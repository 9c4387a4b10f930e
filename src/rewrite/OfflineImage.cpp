// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/OfflineImage.h"

using namespace llvm;

namespace luthier {

std::vector<PlacedFixup> placeFixups(ArrayRef<PlacedPayload> Placed,
                                     ArrayRef<Payload> Payloads,
                                     ArrayRef<PayloadVariant> Variants) {
  std::vector<PlacedFixup> Result;
  for (const PlacedPayload &Copy : Placed) {
    const PayloadVariant &Variant = Variants[Copy.Copied - Payloads.data()];
    for (const Fixup &F : Copy.Copied->Fixups)
      Result.push_back({Copy.Offset + F.Offset, F.Kind, F.Variable,
                        Variant.Hook.Module, F.Addend});
  }
  return Result;
}

} // namespace luthier
