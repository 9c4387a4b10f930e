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

struct VectorTable {
  const char *Name;
  std::span<const VectorRow> (*Rows)();
};
const std::vector<VectorTable> &vectorTables();

/// Names of the rows that \p Processor has.
std::vector<std::string> testedVectorOperations(const std::string &Processor);

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_EMULATOR_OPS_VECTORREFERENCE_H
