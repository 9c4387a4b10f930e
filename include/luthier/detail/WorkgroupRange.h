// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In which workgroups of a dispatch hooks run.
#ifndef LUTHIER_DETAIL_WORKGROUPRANGE_H
#define LUTHIER_DETAIL_WORKGROUPRANGE_H

#include <cstdint>

namespace luthier::detail {

/// Numbers of workgroups; both ends belong to it.
struct WorkgroupRange {
  uint32_t First = 0, Last = UINT32_MAX;

  bool isAll() const { return First == 0 && Last == UINT32_MAX; }
  bool isEmpty() const { return First > Last; }
  WorkgroupRange within(const WorkgroupRange &Other) const {
    return {First > Other.First ? First : Other.First,
            Last < Other.Last ? Last : Other.Last};
  }
  bool contains(const WorkgroupRange &Other) const {
    return within(Other) == Other;
  }
  /// The least that contains both.
  WorkgroupRange with(const WorkgroupRange &Other) const {
    return {First < Other.First ? First : Other.First,
            Last > Other.Last ? Last : Other.Last};
  }
  bool operator==(const WorkgroupRange &) const = default;
};

} // namespace luthier::detail

#endif // LUTHIER_DETAIL_WORKGROUPRANGE_H
