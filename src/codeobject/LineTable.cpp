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

/// False if \p New, behind \p Last, needs a row of its own.
static bool mergeInto(LineTable::Row &Last, const LineTable::Row &New) {
  assert(Last.Address <= New.Address);
  if (Last.Address == New.Address)
    Last = New;
  return Last.File == New.File && Last.Line == New.Line &&
         Last.Column == New.Column;
}

void LineTable::append(Row New) {
  if (Rows.empty() || !mergeInto(Rows.back(), New))
    Rows.push_back(New);
}

void LineTable::take(std::vector<Row> Sorted) {
  assert(Rows.empty());
  Rows = std::move(Sorted);
  size_t Count = 0;
  for (const Row &New : Rows)
    if (!Count || !mergeInto(Rows[Count - 1], New))
      Rows[Count++] = New;
  Rows.resize(Count);
  Rows.shrink_to_fit();
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
