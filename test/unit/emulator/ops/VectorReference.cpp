// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "VectorReference.h"
#include "../Assembler.h"
#include "VectorVariant.h"
#include <algorithm>

namespace luthier::test {

const std::vector<VectorTable> &vectorTables() {
  static const std::vector<VectorTable> Tables = {
      {"integer", integerRows},       {"bits", bitRows},
      {"compare", compareRows},       {"convert", convertRows},
      {"divide", divideRows},         {"dot", dotRows},
      {"float", floatRows},           {"packed", packedRows},
      {"smallfloat", smallFloatRows}, {"transcendental", transcendentalRows},
  };
  return Tables;
}

std::vector<std::string> testedVectorOperations(const std::string &Processor) {
  if (std::ranges::find(testedTargets(), Processor, &TargetTraits::Processor) ==
      testedTargets().end())
    return {};
  TargetTraits T = traitsOf(Processor);
  std::mt19937_64 Random;
  std::vector<std::string> Names, Lines, Tested;
  for (const VectorTable &Table : vectorTables())
    for (const VectorRow &Row : Table.Rows()) {
      std::vector<Variant> Variants = variantsOf(Row, T, Random);
      if (Variants.empty())
        continue;
      Names.push_back(Row.Name);
      Lines.push_back(textOf(Variants.front(), T));
    }
  auto Code = assembleEach(Lines, Processor, T.WaveSize);
  for (size_t N = 0; N != Names.size(); ++N)
    if (!Code[N].empty())
      Tested.push_back(Names[N]);
  return Tested;
}

} // namespace luthier::test
