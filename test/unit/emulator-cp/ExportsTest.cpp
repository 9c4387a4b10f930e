// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "llvm/Object/ELFObjectFile.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <set>
#include <string>

namespace {

/// What the installed ROCr wants from its thunk, from its dynamic symbols.
std::set<std::string> importsOfRocr() {
  std::set<std::string> Names;
  auto File =
      llvm::cantFail(llvm::object::ObjectFile::createObjectFile(HSA_LIBRARY));
  auto *Elf = llvm::cast<llvm::object::ELFObjectFileBase>(File.getBinary());
  for (const auto &Symbol : Elf->getDynamicSymbolIterators()) {
    const llvm::StringRef Name = llvm::cantFail(Symbol.getName());
    if (Name.starts_with("hsaKmt") && llvm::cantFail(Symbol.getFlags()) &
                                          llvm::object::SymbolRef::SF_Undefined)
      Names.insert(Name.str());
  }
  return Names;
}

TEST(ExportsTest, AreWhatRocrImports) {
  const std::set<std::string> Exports = {
#define LUTHIER_KMT_EXPORT(NAME) #NAME,
#include "emulator/kmt/Exports.def"
#undef LUTHIER_KMT_EXPORT
  };
  EXPECT_THAT(importsOfRocr(), testing::IsSubsetOf(Exports));
}

} // namespace
