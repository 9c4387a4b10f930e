// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool that counts something for each kernel, without what all such tools
// have in common: a row of numbers for each kernel and device, the launches, a
// table at the end, and a JSON file.
//
//   __attribute__((managed)) uint64_t Counts[1024][2];
//
//   struct MyCount : luthier::CountingTool {
//     MyCount() : CountingTool("my-count", Counts, {{"loads", "loads"},
//                                                   {"stores", "stores"}}) {}
//     llvm::Error count(luthier::LiftedRepresentation &LR,
//                       luthier::InstrumentationTask &Task,
//                       uint32_t Row) override {
//       ... // Insert hooks that add to Counts[Row]; see Counters.h.
//     }
//   };
//   LUTHIER_TOOL(MyCount)
#ifndef LUTHIER_COUNTINGTOOL_H
#define LUTHIER_COUNTINGTOOL_H

#include "luthier/Export.h"
#include "luthier/LaunchFilter.h"
#include "luthier/Report.h"
#include "luthier/Tool.h"
#include <cstddef>
#include <cstdint>
#include <memory>

namespace luthier {

class LUTHIER_API CountingTool : public Tool {
public:
  ~CountingTool() override;

  /// All call count(). Kernels of a file have rows in the order of the file.
  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override;
  void onDispatch(KernelDispatch &Dispatch) override;
  /// Prints the table and writes NAME.json, if a kernel was launched. That file
  /// is also there from the first launch on, for a process that is killed: what
  /// was counted up to 250 ms before, or twenty times as long as writing takes.
  void onExit() override;

protected:
  using Column = KernelReport::Column;

  /// \p Table is a managed variable, a row for each kernel and device, with as
  /// many numbers as \p Columns say what they are.
  template <size_t Rows, size_t Width, size_t Titles>
    requires(Titles == Width)
  CountingTool(llvm::StringRef Name, const uint64_t (&Table)[Rows][Width],
               const Column (&Columns)[Titles])
      : CountingTool(Name, Table[0], Rows, {Columns, Columns + Titles}) {}

// Deleting with a reason is of C++26; clang knows it in all versions.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc++26-extensions"
  template <size_t Rows, size_t Width, size_t Titles>
    requires(Titles != Width)
  CountingTool(llvm::StringRef Name, const uint64_t (&Table)[Rows][Width],
               const Column (&Columns)[Titles]) =
      delete ("the table's rows have more or fewer numbers than there are "
              "columns: write {\"key\", \"title\"} for each number");
#pragma clang diagnostic pop

  /// Has hooks add to row \p Row of the table what \p LR executes. Once per
  /// kernel and device; one call at a time.
  virtual llvm::Error count(LiftedRepresentation &LR, InstrumentationTask &Task,
                            uint32_t Row) = 0;

  /// Launches that this does not want run the original, and are not counted.
  virtual bool wants(const KernelDispatch &) { return true; }

  /// Likewise, of those, what \p Choice does not choose. In the constructor. A
  /// choice that makes no sense is said, and then nothing is counted.
  void filter(LaunchFilter::Choice Choice);

private:
  CountingTool(llvm::StringRef Name, const uint64_t *Table, size_t Rows,
               std::vector<Column> Columns);

  struct Impl;
  std::unique_ptr<Impl> P;
};

} // namespace luthier

#endif // LUTHIER_COUNTINGTOOL_H
