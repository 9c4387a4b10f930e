// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestInputs.h"
#include <filesystem>
#include <fstream>
#include <iterator>

namespace luthier::test {

std::vector<uint8_t> readFile(const std::string &Name) {
  std::ifstream File(std::filesystem::path(INPUT_DIRECTORY) / Name,
                     std::ios::binary);
  EXPECT_TRUE(File) << Name;
  return std::vector<uint8_t>(std::istreambuf_iterator<char>(File), {});
}

std::unique_ptr<CodeObject> compiledKernels(const std::string &Name) {
  return take(CodeObject::create(readFile(Name + ".co")));
}

} // namespace luthier::test
