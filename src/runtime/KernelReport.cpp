// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier {

KernelReport::KernelReport(std::vector<Column> Columns)
    : Columns(std::move(Columns)) {}

void KernelReport::add(StringRef Kernel, ArrayRef<uint64_t> Values) {
  assert(Values.size() == Columns.size() && "a value for each column");
  std::vector<uint64_t> &Row = Rows[Kernel.str()];
  Row.resize(Columns.size());
  for (auto [Sum, Value] : zip(Row, Values))
    Sum += Value;
}

void KernelReport::print(raw_ostream &OS) const {
  // Counts of dispatches are short.
  auto widthOf = [](size_t Index) { return Index ? 16 : 12; };
  for (auto [Index, C] : enumerate(Columns))
    OS << right_justify(C.Title, widthOf(Index));
  OS << "  kernel\n";
  for (const auto &[Name, Values] : Rows) {
    for (auto [Index, Value] : enumerate(Values))
      OS << right_justify(utostr(Value), widthOf(Index));
    OS << "  " << demangle(Name) << '\n';
  }
}

void KernelReport::print() const {
  std::string Text;
  raw_string_ostream OS(Text);
  print(OS);
  printReport(Text);
}

static json::Object
objectOf(ArrayRef<KernelReport::Column> Columns,
         const std::map<std::string, std::vector<uint64_t>> &Rows) {
  json::Array Kernels;
  for (const auto &[Name, Values] : Rows) {
    json::Object Row{{"name", Name}};
    for (auto [C, Value] : zip(Columns, Values))
      Row[C.Key] = Value;
    Kernels.push_back(std::move(Row));
  }
  return json::Object{{"kernels", std::move(Kernels)}};
}

void KernelReport::writeJSON(StringRef FileName) const {
  writeReport(FileName, objectOf(Columns, Rows));
}

void KernelReport::writeJSONInBetween(StringRef FileName) const {
  writeReportInBetween(FileName, objectOf(Columns, Rows));
}

} // namespace luthier
