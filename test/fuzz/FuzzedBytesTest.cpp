// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that fuzzing found, and the corpus it starts from, without a
// fuzzer: nothing crashes.
#include "Entries.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <gtest/gtest.h>

using namespace llvm;

namespace {

/// Each file of \p Folder to \p Read.
void readAll(StringRef Folder, void (*Read)(ArrayRef<uint8_t>)) {
  unsigned Files = 0;
  for (const char *Kind : {"corpus", "regressions"}) {
    SmallString<128> Path(LUTHIER_FUZZ_INPUTS);
    sys::path::append(Path, Kind, Folder);
    std::error_code EC;
    for (sys::fs::directory_iterator It(Path, EC), End; It != End && !EC;
         It.increment(EC)) {
      SCOPED_TRACE(It->path());
      auto File = MemoryBuffer::getFile(It->path());
      ASSERT_TRUE(bool(File));
      Read(arrayRefFromStringRef((*File)->getBuffer()));
      ++Files;
    }
  }
  EXPECT_GT(Files, 0u);
}

TEST(FuzzedBytes, CodeObjectsAreReadOrRefused) {
  readAll("codeobject", luthier::test::readCodeObject);
}
TEST(FuzzedBytes, MetadataIsReadOrRefused) {
  readAll("metadata", luthier::test::readMetadata);
}
TEST(FuzzedBytes, DescriptorsAreUsedOrRefused) {
  readAll("descriptor", luthier::test::readDescriptor);
}
TEST(FuzzedBytes, CodeIsLiftedOrRefused) {
  readAll("lift", luthier::test::liftCode);
}

} // namespace
