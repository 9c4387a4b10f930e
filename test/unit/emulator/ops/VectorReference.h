// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of vector operations, one per topic.
#ifndef LUTHIER_TEST_UNIT_EMULATOR_OPS_VECTORREFERENCE_H
#define LUTHIER_TEST_UNIT_EMULATOR_OPS_VECTORREFERENCE_H

#include "VectorRow.h"
#include <span>
#include <string>
#include <vector>

namespace luthier::test {

std::span<const VectorRow> integerRows();
std::span<const VectorRow> bitRows();
std::span<const VectorRow> compareRows();
std::span<const VectorRow> convertRows();
std::span<const VectorRow> divideRows();
std::span<const VectorRow> dotRows();
std::span<const VectorRow> floatRows();
std::span<const VectorRow> packedRows();
std::span<const VectorRow> smallFloatRows();
std::span<const VectorRow> transcendentalRows();

struct VectorTable {
  const char *Name;
  std::span<const VectorRow> (*Rows)();
};
const std::vector<VectorTable> &vectorTables();

/// Names of the rows that \p Processor has.
std::vector<std::string> testedVectorOperations(const std::string &Processor);

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_EMULATOR_OPS_VECTORREFERENCE_H
