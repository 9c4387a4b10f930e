// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Trial.h"
#include "../Assembler.h"
#include <sstream>

namespace luthier::test {

const std::vector<TrialTable> &trialTables() {
  static const std::vector<TrialTable> Tables = {
      {"scalar", scalarTrials},
      {"scalarFloat", scalarFloatTrials},
      {"control", controlTrials},
      {"scalarMemory", scalarMemoryTrials},
      {"flat", flatTrials},
      {"buffer", bufferTrials},
      {"bufferFormat", bufferFormatTrials},
      {"lds", ldsTrials},
  };
  return Tables;
}

TargetTraits trialTraits(const std::string &Processor, unsigned WaveSize) {
  bool IsFirst = Processor.size() == std::strlen("gfx906");
  unsigned Generation =
      IsFirst ? 9 : unsigned(std::stoul(Processor.substr(3, 2)));
  return {Processor, Generation, WaveSize};
}

std::vector<std::string> testedByTrials(const std::string &Processor) {
  TargetTraits T = trialTraits(Processor, 64);
  RandomSource Random;
  std::vector<std::string> Names, Lines, Tested;
  for (const TrialTable &Table : trialTables())
    for (const Trial &Each : Table.Trials(T, Random)) {
      Names.push_back(Each.Name);
      Lines.push_back(Each.Line);
    }
  auto Code = assembleEach(Lines, Processor, T.WaveSize);
  for (size_t N = 0; N != Names.size(); ++N)
    if (!Code[N].empty())
      Tested.push_back(Names[N]);
  return Tested;
}

std::vector<std::string> spellings(const std::string &Names) {
  std::vector<std::string> Result;
  std::istringstream Parts(Names);
  for (std::string Name; std::getline(Parts, Name, '|');)
    Result.push_back(Name);
  return Result;
}

std::string registerText(char File, unsigned First, unsigned Count) {
  if (Count == 1)
    return File + std::to_string(First);
  return File + ("[" + std::to_string(First)) + ":" +
         std::to_string(First + Count - 1) + "]";
}

} // namespace luthier::test
