// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Reference.h"
#include "LaneReference.h"
#include "MatrixReference.h"
#include "PairReference.h"
#include "Trial.h"
#include "VectorReference.h"
#include <algorithm>

namespace luthier::test {

std::vector<std::string> testedOperations(const std::string &Processor) {
  std::vector<std::string> Names = testedVectorOperations(Processor);
  for (auto *Others : {testedLaneOperations, testedMatrixOperations,
                       testedPairs, testedByTrials})
    for (std::string &Name : Others(Processor))
      Names.push_back(std::move(Name));
  std::sort(Names.begin(), Names.end());
  Names.erase(std::unique(Names.begin(), Names.end()), Names.end());
  return Names;
}

} // namespace luthier::test
