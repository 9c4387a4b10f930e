// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ToolLibrary.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"
#include <dlfcn.h>
#include <link.h>

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

std::vector<std::pair<uint64_t, uint64_t>> readOnlyMemoryOf(StringRef Path) {
  std::vector<std::pair<uint64_t, uint64_t>> Result;
  auto Add = [&](const dl_phdr_info &Library) {
    if (Library.dlpi_name != Path)
      return;
    for (unsigned N = 0; N != Library.dlpi_phnum; ++N)
      if (const ElfW(Phdr) &Segment = Library.dlpi_phdr[N];
          Segment.p_type == PT_LOAD && !(Segment.p_flags & PF_W)) {
        const uint64_t Begin = Library.dlpi_addr + Segment.p_vaddr;
        Result.push_back({Begin, Begin + Segment.p_memsz});
      }
  };
  ::dl_iterate_phdr(
      [](dl_phdr_info *Library, size_t, void *To) {
        (*static_cast<decltype(Add) *>(To))(*Library);
        return 0;
      },
      &Add);
  return Result;
}

} // namespace luthier::runtime
