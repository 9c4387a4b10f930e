// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/LineCoverage.h"
#include "pgo/LineProfile.h"
#include "pgo/Problem.h"
#include "pgo/SourceFrames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace luthier::pgo {
namespace {

std::string pathOf(const DWARFDebugLine::LineTable &Table, uint64_t File,
                   StringRef Folder) {
  std::string Path;
  Table.getFileNameByIndex(
      File, Folder, DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath,
      Path);
  SmallString<128> Result = StringRef(Path);
  sys::path::remove_dots(Result, /*remove_dot_dot=*/true);
  return Result.str().str();
}

uint64_t mostWaves(const CodeCounts &Counts, uint64_t Begin, uint64_t End) {
  uint64_t Most = 0;
  for (auto It = Counts.lower_bound(Begin);
       It != Counts.end() && It->first < End; ++It)
    Most = std::max(Most, It->second.Waves);
  return Most;
}

void addTable(const DWARFDebugLine::LineTable &Table, StringRef Folder,
              const CodeCounts &Counts, LineCoverage &To) {
  for (const DWARFDebugLine::Sequence &Sequence : Table.Sequences)
    for (unsigned I = Sequence.FirstRowIndex; I + 1 < Sequence.LastRowIndex;
         ++I) {
      const DWARFDebugLine::Row &Row = Table.Rows[I];
      const uint64_t Begin = Row.Address.Address;
      const uint64_t End = Table.Rows[I + 1].Address.Address;
      // Line 0 is code that the compiler has added.
      if (Begin >= End || !Row.Line)
        continue;
      const std::string Path = pathOf(Table, Row.File, Folder);
      if (Path.empty())
        continue;
      uint64_t &Most = To[Path].Lines[Row.Line];
      Most = std::max(Most, mostWaves(Counts, Begin, End));
    }
}

/// The first with a line: the compiler may have added what comes before.
const DWARFDebugLine::Row *firstRow(const DWARFDebugLine::LineTable &Table,
                                    uint64_t Address, uint64_t Size) {
  std::vector<uint32_t> Numbers;
  Table.lookupAddressRange({Address, object::SectionedAddress::UndefSection},
                           std::max<uint64_t>(Size, 1), Numbers);
  for (uint32_t Number : Numbers)
    if (Table.Rows[Number].Line)
      return &Table.Rows[Number];
  return nullptr;
}

/// The line at which the code of a function begins stands for it: its
/// declaration is not in tables of lines alone.
void addFunctions(const DWARFDebugLine::LineTable &Table, StringRef Folder,
                  const CodeObject &Object, const CodeCounts &Counts,
                  LineCoverage &To) {
  const auto Add = [&](const std::string &Name, uint64_t Address,
                       uint64_t Size) {
    const DWARFDebugLine::Row *Row = firstRow(Table, Address, Size);
    if (!Row)
      return;
    const auto File = To.find(pathOf(Table, Row->File, Folder));
    if (File == To.end())
      return;
    FileCoverage::Function &Its = File->second.Functions[Name];
    Its.Line = Row->Line;
    Its.Executions =
        std::max(Its.Executions, mostWaves(Counts, Address, Address + 1));
  };
  for (const KernelInfo &Kernel : Object.kernels())
    Add(Kernel.Name, Kernel.EntryAddress, Kernel.CodeSize);
  for (const FunctionInfo &Function : Object.functions())
    Add(Function.Name, Function.Address, Function.Size);
}

struct Sums {
  size_t Lines = 0, Executed = 0, Functions = 0, Called = 0;

  explicit Sums(const FileCoverage &File)
      : Lines(File.Lines.size()),
        Executed(count_if(File.Lines, [](const auto &L) { return L.second; })),
        Functions(File.Functions.size()),
        Called(count_if(File.Functions,
                        [](const auto &F) { return F.second.Executions; })) {}
  Sums() = default;
  Sums &operator+=(const Sums &Other) {
    Lines += Other.Lines;
    Executed += Other.Executed;
    Functions += Other.Functions;
    Called += Other.Called;
    return *this;
  }
};

std::string share(size_t Part, size_t Whole) {
  return Whole ? formatv("{0:F1} %", 100.0 * Part / Whole).str() : "-";
}

void printRow(const Sums &Its, StringRef Name, raw_ostream &OS) {
  OS << formatv("{0,9} {1,9} {2,8} {3,9} {4,9} {5,8}  {6}\n", Its.Lines,
                Its.Executed, share(Its.Executed, Its.Lines), Its.Functions,
                Its.Called, share(Its.Called, Its.Functions), Name);
}

} // namespace

Error lackOfLines(const CodeObject &Object) {
  return problem(ProblemKind::NoMarks, "code for " + Object.target().str() +
                                           " has no line tables; compile it "
                                           "with -gline-tables-only");
}

Error addLineCoverage(const CodeObject &Object, const CodeCounts &Counts,
                      LineCoverage &To) {
  if (!hasLines(Object))
    return lackOfLines(Object);
  Expected<SourceFrames> Source = SourceFrames::open(Object);
  if (!Source)
    return Source.takeError();
  for (const auto &Unit : Source->context().compile_units())
    if (const auto *Table = Source->context().getLineTableForUnit(Unit.get())) {
      const StringRef Folder = Unit->getCompilationDir();
      addTable(*Table, Folder, Counts, To);
      addFunctions(*Table, Folder, Object, Counts, To);
    }
  return Error::success();
}

void printLcov(const LineCoverage &Coverage, raw_ostream &OS) {
  OS << "TN:\n";
  for (const auto &[Path, File] : Coverage) {
    const Sums Its(File);
    OS << "SF:" << Path << '\n';
    for (const auto &[Name, Function] : File.Functions)
      OS << "FN:" << Function.Line << ',' << Name << '\n';
    for (const auto &[Name, Function] : File.Functions)
      OS << "FNDA:" << Function.Executions << ',' << Name << '\n';
    OS << "FNF:" << Its.Functions << "\nFNH:" << Its.Called << '\n';
    for (const auto &[Line, Executions] : File.Lines)
      OS << "DA:" << Line << ',' << Executions << '\n';
    OS << "LF:" << Its.Lines << "\nLH:" << Its.Executed << "\nend_of_record\n";
  }
}

void printSummary(const LineCoverage &Coverage, raw_ostream &OS) {
  OS << formatv("{0,9} {1,9} {2,8} {3,9} {4,9} {5,8}  file\n", "lines",
                "executed", "%", "functions", "executed", "%");
  Sums All;
  for (const auto &[Path, File] : Coverage) {
    const Sums Its(File);
    printRow(Its, Path, OS);
    All += Its;
  }
  printRow(All, "all", OS);
}

} // namespace luthier::pgo
