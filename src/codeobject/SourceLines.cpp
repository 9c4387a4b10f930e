// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/SourceLines.h"
#include "codeobject/LineProgram.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"
#include <mutex>
#include <tuple>

using namespace llvm;

namespace luthier {
namespace {

using Row = LineTable::Row;
using AddressRanges = std::vector<std::pair<uint64_t, uint64_t>>;

/// The line program of a compilation unit.
class UnitLines {
public:
  /// Nothing if it has none that can be read.
  static std::optional<UnitLines> create(const DWARFContext &Context,
                                         DWARFUnit &Unit) {
    UnitLines New(Unit);
    DWARFDataExtractor Data(
        Context.getDWARFObj(), Context.getDWARFObj().getLineSection(),
        Context.isLittleEndian(), Unit.getAddressByteSize());
    std::optional<uint64_t> Offset =
        dwarf::toSectionOffset(Unit.getUnitDIE().find(dwarf::DW_AT_stmt_list));
    if (!Offset || !Data.isValidOffset(*Offset))
      return std::nullopt;
    const uint64_t Begin = *Offset;
    DWARFDebugLine::Prologue &Prologue = New.Prologue;
    if (Error E =
            Prologue.parse(Data, &*Offset, consumeError, Context, &Unit)) {
      consumeError(std::move(E));
      return std::nullopt;
    }
    const uint64_t End = std::min<uint64_t>(
        Begin + Prologue.sizeofTotalLength() + Prologue.TotalLength,
        Data.size());
    if (*Offset >= End)
      return std::nullopt;
    New.Program = arrayRefFromStringRef(Data.getData().slice(*Offset, End));
    return New;
  }

  std::vector<LineSequence> sequences() const {
    return findSequences(Program, Prologue);
  }

  /// Appends the rows of \p Sequence, of this one's, to \p Rows. A sequence
  /// ends with a row without source.
  void read(const LineSequence &Sequence, LineTable &Files,
            std::vector<Row> &Rows) const {
    const std::vector<LineProgramRow> Given = rowsOf(Sequence, Prologue);
    // By the prologue's number; nothing for one without a name.
    DenseMap<unsigned, std::optional<unsigned>> Known;
    for (auto [I, Each] : enumerate(Given)) {
      const uint64_t Next =
          I + 1 < Given.size() ? Given[I + 1].Address : Sequence.End;
      if (Next <= Each.Address)
        continue;
      Row New{Each.Address, 0, 0, 0};
      if (auto Source =
              Each.Line ? fileOf(Each.File, Files, Known) : std::nullopt) {
        New.File = *Source;
        New.Line = Each.Line;
        New.Column = Each.Column;
      }
      Rows.push_back(New);
    }
    Rows.push_back({Sequence.End, 0, 0, 0});
  }

private:
  explicit UnitLines(DWARFUnit &Unit) : Unit(&Unit) {}

  std::optional<unsigned>
  fileOf(uint16_t Number, LineTable &Files,
         DenseMap<unsigned, std::optional<unsigned>> &Known) const {
    auto [It, New] = Known.try_emplace(Number);
    if (!New)
      return It->second;
    const char *Folder = Unit->getCompilationDir();
    std::string Path;
    if (Prologue.getFileNameByIndex(
            Number, Folder ? Folder : "",
            DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath, Path))
      It->second = Files.fileIndex(Path);
    return It->second;
  }

  DWARFUnit *Unit;
  DWARFDebugLine::Prologue Prologue;
  ArrayRef<uint8_t> Program;
};

/// Where there is code. What a linker has left out keeps its lines, at
/// addresses near 0.
AddressRanges codeOf(const object::ObjectFile &File) {
  AddressRanges Result;
  for (const object::SectionRef &Section : File.sections())
    if (Section.isText())
      Result.push_back({Section.getAddress(), Section.getSize()});
  return Result;
}

bool isIn(const AddressRanges &Ranges, uint64_t Address) {
  return any_of(Ranges, [&](const auto &Range) {
    return Address - Range.first < Range.second;
  });
}

/// Where one sequence ends another may begin, which counts; of several rows for
/// one address it is the last, in the order of the programs. In what compilers
/// write for one source they are in this order already.
void sortRows(std::vector<Row> &Rows) {
  auto placeOf = [](const Row &R) {
    return std::tuple(R.Address, R.Line != 0);
  };
  if (is_sorted(Rows, [&](const Row &A, const Row &B) {
        return placeOf(A) < placeOf(B);
      }))
    return;
  std::vector<const Row *> Order;
  Order.reserve(Rows.size());
  for (const Row &R : Rows)
    Order.push_back(&R);
  sort(Order, [&](const Row *A, const Row *B) {
    return std::tuple(placeOf(*A), A) < std::tuple(placeOf(*B), B);
  });
  std::vector<Row> Sorted;
  Sorted.reserve(Rows.size());
  for (const Row *R : Order)
    Sorted.push_back(*R);
  Rows = std::move(Sorted);
}

} // namespace

struct SourceLines::Impl {
  struct Part {
    LineSequence Sequence;
    unsigned Unit;
    unsigned Order; ///< In the programs.
  };
  /// Code whose sequences overlap.
  struct Stretch {
    uint64_t Low, High;
    unsigned FirstPart, NumParts;
    std::unique_ptr<const LineTable> Lines; ///< Null before it is read.
  };

  std::unique_ptr<object::ObjectFile> File;
  std::unique_ptr<DWARFContext> Context;
  std::vector<UnitLines> Units;
  std::vector<Part> Parts;        ///< Of a stretch, in the programs' order.
  std::vector<Stretch> Stretches; ///< By address.
  std::mutex Lock;

  void findParts();
  void findStretches();
  std::unique_ptr<const LineTable> read(const Stretch &Of) const;
};

void SourceLines::Impl::findParts() {
  const AddressRanges Code = codeOf(*File);
  for (const std::unique_ptr<DWARFUnit> &Unit : Context->compile_units())
    if (std::optional<UnitLines> New = UnitLines::create(*Context, *Unit)) {
      for (const LineSequence &Sequence : New->sequences())
        if (isIn(Code, Sequence.First))
          Parts.push_back(
              {Sequence, unsigned(Units.size()), unsigned(Parts.size())});
      Units.push_back(std::move(*New));
    }
}

void SourceLines::Impl::findStretches() {
  sort(Parts, [](const Part &A, const Part &B) {
    return std::tuple(A.Sequence.Low, A.Order) <
           std::tuple(B.Sequence.Low, B.Order);
  });
  for (const auto &[I, P] : enumerate(Parts)) {
    if (Stretches.empty() || Stretches.back().High <= P.Sequence.Low)
      Stretches.push_back(
          {P.Sequence.Low, P.Sequence.High, unsigned(I), 0, nullptr});
    Stretch &Last = Stretches.back();
    Last.High = std::max(Last.High, P.Sequence.High);
    ++Last.NumParts;
  }
  for (const Stretch &S : Stretches)
    sort(MutableArrayRef(Parts).slice(S.FirstPart, S.NumParts),
         [](const Part &A, const Part &B) { return A.Order < B.Order; });
}

std::unique_ptr<const LineTable>
SourceLines::Impl::read(const Stretch &Of) const {
  auto Result = std::make_unique<LineTable>();
  std::vector<Row> Rows;
  for (const Part &P : ArrayRef(Parts).slice(Of.FirstPart, Of.NumParts))
    Units[P.Unit].read(P.Sequence, *Result, Rows);
  sortRows(Rows);
  Result->take(std::move(Rows));
  return Result;
}

SourceLines::SourceLines(ArrayRef<uint8_t> ELF) {
  if (ELF.empty())
    return;
  auto File = object::ObjectFile::createELFObjectFile(
      MemoryBufferRef(toStringRef(ELF), "code object"));
  if (!File) {
    consumeError(File.takeError());
    return;
  }
  auto New = std::make_unique<Impl>();
  New->File = std::move(*File);
  // Debug information helps to read reports and nothing else: what is wrong
  // with it is no reason to say anything.
  New->Context = DWARFContext::create(
      *New->File, DWARFContext::ProcessDebugRelocations::Process, nullptr, "",
      [](Error E) { consumeError(std::move(E)); },
      [](Error E) { consumeError(std::move(E)); });
  New->findParts();
  New->findStretches();
  if (!New->Stretches.empty())
    P = std::move(New);
}

SourceLines::~SourceLines() = default;

bool SourceLines::empty() const { return !P; }

const LineTable &SourceLines::around(uint64_t Address) const {
  // Never destroyed: threads may be at work while the process ends.
  static const LineTable &None = *new LineTable;
  if (!P)
    return None;
  std::lock_guard Guard(P->Lock);
  auto Behind = partition_point(
      P->Stretches, [&](const Impl::Stretch &S) { return S.Low <= Address; });
  if (Behind == P->Stretches.begin() || std::prev(Behind)->High <= Address)
    return None;
  Impl::Stretch &Here = *std::prev(Behind);
  if (!Here.Lines)
    Here.Lines = P->read(Here);
  return *Here.Lines;
}

} // namespace luthier
