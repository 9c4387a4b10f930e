// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ToolLibrary.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"
#include <dlfcn.h>

using namespace llvm;

namespace luthier::runtime {

std::string ToolLibrary::name() const {
  StringRef Name = sys::path::stem(Path);
  Name.consume_front("lib");
  return Name.str();
}

ToolLibrary libraryOf(const void *Address) {
  Dl_info Info;
  if (!::dladdr(Address, &Info))
    return {};
  return {reinterpret_cast<uintptr_t>(Info.dli_fbase), Info.dli_fname};
}

} // namespace luthier::runtime
