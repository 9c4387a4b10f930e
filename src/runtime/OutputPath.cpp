// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/Tool.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <unistd.h>

using namespace llvm;

namespace luthier {
namespace {

/// Children inherit the variable, so each process can tell whether it is the
/// one that the user started. Programs started without `luthier run` set it
/// themselves when Luthier is loaded.
bool isMainProcess() {
  std::string Self = std::to_string(::getpid());
  ::setenv("LUTHIER_MAIN_PID", Self.c_str(), /*overwrite=*/0);
  return Self == std::getenv("LUTHIER_MAIN_PID");
}

const bool MainProcessKnownEarly = isMainProcess();

} // namespace

std::string outputPath(StringRef FileName) {
  (void)MainProcessKnownEarly;
  SmallString<128> Path;
  if (const char *Directory = std::getenv("LUTHIER_OUTPUT"))
    Path = Directory;
  SmallString<64> Name = FileName;
  // Several processes of one run must not overwrite each other's files.
  if (!isMainProcess()) {
    std::string Extension = sys::path::extension(FileName).str();
    sys::path::replace_extension(Name,
                                 "." + std::to_string(::getpid()) + Extension);
  }
  sys::path::append(Path, Name);
  return std::string(Path);
}

} // namespace luthier
