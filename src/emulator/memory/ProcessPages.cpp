// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/memory/ProcessPages.h"
#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

namespace luthier::emulator {

PageMap::PageMap() : File(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}

PageMap::~PageMap() {
  if (File >= 0)
    close(File);
}

uint64_t PageMap::entry(uint64_t Address) {
  const uint64_t Page = Address / PageBytes;
  if (Page < First || Page >= First + Count) {
    const ssize_t Read = File < 0 ? -1
                                  : pread(File, Entries.data(), sizeof(Entries),
                                          off_t(Page * sizeof(uint64_t)));
    First = Page;
    Count = Read > 0 ? uint64_t(Read) / sizeof(uint64_t) : 0;
    if (!Count)
      return Present;
  }
  return Entries[Page - First];
}

FileMappings::FileMappings() {
  std::ifstream Maps("/proc/self/maps");
  for (std::string Line; std::getline(Maps, Line);) {
    Mapping M;
    unsigned long Inode = 0;
    if (std::sscanf(Line.c_str(), "%lx-%lx %*s %*x %*x:%*x %lu", &M.Begin,
                    &M.End, &Inode) == 3 &&
        Inode)
      All.push_back(M);
  }
  IsKnown = Maps.eof();
}

bool FileMappings::contain(uint64_t Address) const {
  const auto After =
      std::ranges::upper_bound(All, Address, {}, &Mapping::Begin);
  return !IsKnown || (After != All.begin() && std::prev(After)->End > Address);
}

} // namespace luthier::emulator
