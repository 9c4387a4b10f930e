// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often each instruction was executed.
#ifndef LUTHIER_EMULATOR_EXEC_EXECUTIONCOUNTS_H
#define LUTHIER_EMULATOR_EXEC_EXECUTIONCOUNTS_H

#include "emulator/core/Observer.h"
#include "emulator/exec/CodeCache.h"
#include <array>
#include <functional>
#include <map>
#include <memory>

namespace luthier::emulator {

class ExecutionCounts {
public:
  struct Count {
    uint64_t Waves = 0, Lanes = 0;
    /// Lanes that were active, whatever the instruction did with them.
    uint64_t Active = 0;
  };
  Count &at(uint64_t PC) {
    const uint64_t Base = PC / CodePage::Bytes;
    if (!Recent || Base != RecentBase) {
      RecentBase = Base;
      Recent = &Pages[Base];
    }
    return (*Recent)[PC % CodePage::Bytes / 4];
  }
  void clear() {
    Pages.clear();
    Recent = nullptr;
  }
  /// Calls \p Use(PC, Count) in ascending order of PC.
  template <class F> void forEach(F Use) const {
    for (const auto &[Base, Page] : Pages)
      for (unsigned N = 0; N != CodePage::NumSlots; ++N)
        if (Page[N].Waves)
          Use(Base * CodePage::Bytes + N * 4, Page[N]);
  }

private:
  using Page = std::array<Count, CodePage::NumSlots>;
  std::map<uint64_t, Page> Pages;
  uint64_t RecentBase = 0;
  Page *Recent = nullptr;
};

/// Counts, and lets \p Inner (which may be null) execute.
std::unique_ptr<DispatchObserver>
countingObserver(ExecutionCounts &Counts,
                 std::unique_ptr<DispatchObserver> Inner);
/// Likewise; gives \p Use what it has counted when it is destroyed.
std::unique_ptr<DispatchObserver>
countingObserver(std::function<void(const ExecutionCounts &)> Use,
                 std::unique_ptr<DispatchObserver> Inner);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_EXECUTIONCOUNTS_H
