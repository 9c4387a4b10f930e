// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/emit/HazardTraits.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace luthier {

static constexpr SeamTraits Table[] = {
#define LUTHIER_SEAM(...) {__VA_ARGS__},
#include "rewrite/emit/HazardTraits.def"
};

const SeamTraits *seamTraits(StringRef Processor) {
  const auto *Row = find_if(
      Table, [&](const SeamTraits &T) { return T.Processor == Processor; });
  return Row == std::end(Table) ? nullptr : Row;
}

} // namespace luthier
