// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tools leave: text, JSON, and a table of numbers for each kernel as both.
#ifndef LUTHIER_REPORT_H
#define LUTHIER_REPORT_H

#include "luthier/Export.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
namespace json {
class Object;
}
} // namespace llvm

namespace luthier {

/// Writes \p Text to stderr as a whole, so that processes do not write into
/// each other's tables, and says before it which process it is from where there
/// may be several: a rank of MPI, or one that the program started. What cannot
/// be written is dropped; the program's end stays as it is.
LUTHIER_API void printReport(llvm::StringRef Text);

/// How the process ends, as far as is known in Tool::onExit(): "exit",
/// "quick_exit", "_exit(3)", "SIGTERM", "exec of /bin/x".
LUTHIER_API std::string howProcessEnds();

/// Writes \p Whole to outputPath(\p FileName), with what every report says
/// besides: "refused", those of refusals(), unless it has its own; "ended"
/// (howProcessEnds()) where that is not by exit(); and "rank" in a process of
/// MPI. Says on stderr if that cannot be written; what the file had stays then.
LUTHIER_API void writeReport(llvm::StringRef FileName,
                             llvm::json::Object Whole);
/// The same at any time before, for processes that are killed: the file is
/// whole at any time, and "ended" says that this is not the end. What is
/// written later takes its place. Says nothing if it cannot, and leaves
/// devices, pipes and links to the report at the end.
LUTHIER_API void writeReportInBetween(llvm::StringRef FileName,
                                      llvm::json::Object Whole);

/// When to write in between: a quarter of a second or more after the last time,
/// and in a twentieth of the time at most. Not thread-safe.
class LUTHIER_API ReportPace {
public:
  /// To ask at launches. True again only after a while.
  bool isDue();
  void write(llvm::function_ref<void()> Report);

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point NotBefore = Clock::now() + std::chrono::milliseconds(250);
};

/// Kernels of one name share a row: their numbers are added up. Not
/// thread-safe.
class LUTHIER_API KernelReport {
public:
  struct Column {
    std::string Key;   ///< In JSON.
    std::string Title; ///< In the table; of at most 15 characters.
  };

  explicit KernelReport(std::vector<Column> Columns);

  /// \p Values are those of the columns.
  void add(llvm::StringRef Kernel, llvm::ArrayRef<uint64_t> Values);

  /// A line with the titles, and one for each kernel with its demangled name.
  void print(llvm::raw_ostream &OS) const;
  /// The same as printReport() prints.
  void print() const;
  /// writeReport() of "kernels", which have a "name" and the columns.
  void writeJSON(llvm::StringRef FileName) const;
  /// The same by writeReportInBetween().
  void writeJSONInBetween(llvm::StringRef FileName) const;

private:
  std::vector<Column> Columns;
  std::map<std::string, std::vector<uint64_t>> Rows; ///< By name.
};

} // namespace luthier

#endif // LUTHIER_REPORT_H
