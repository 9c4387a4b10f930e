// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/LineTable.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>

using namespace llvm;
using namespace luthier;

unsigned LineTable::fileIndex(StringRef Path) {
  auto [It, New] = FileIndices.try_emplace(Path, Files.size());
  if (New)
    Files.push_back(Path.str());
  return It->second;
}

void LineTable::append(Row New) {
  assert(Rows.empty() || Rows.back().Address <= New.Address);
  if (!Rows.empty() && Rows.back().Address == New.Address) {
    Rows.back() = New;
    return;
  }
  if (!Rows.empty() && Rows.back().File == New.File &&
      Rows.back().Line == New.Line && Rows.back().Column == New.Column)
    return;
  Rows.push_back(New);
}

const LineTable::Row *LineTable::find(uint64_t Address) const {
  auto After =
      partition_point(Rows, [&](const Row &R) { return R.Address <= Address; });
  if (After == Rows.begin() || std::prev(After)->Line == 0)
    return nullptr;
  return &*std::prev(After);
}

std::string LineTable::describe(uint64_t Address) const {
  const Row *R = find(Address);
  return R ? Files[R->File] + ":" + std::to_string(R->Line) : "";
}
