// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/emit/PlacedPayloads.h"
#include "codeobject/SourceLines.h"
#include "lift/LiftedImpl.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier {
namespace {

class LineMerger {
public:
  explicit LineMerger(const WrittenCode &Code) : Code(Code) {}

  LineTable run(const SourceLines &Original, ArrayRef<PlacedPayload> Payloads) {
    const PlacedPayload *Next = Payloads.begin();
    for (const KeptInstruction &Kept : Code.Map) {
      for (; Next != Payloads.end() && Next->Offset < Kept.Offset; ++Next)
        add(*Next);
      end(Kept.Offset);
      if (const LineTable::Row *Row = find(Original, Kept.Original))
        Result.append({Kept.Offset, fileOf(*Row), Row->Line, Row->Column});
      else
        Result.append({Kept.Offset, 0, 0, 0});
      End = Kept.Offset + Kept.Size;
    }
    for (; Next != Payloads.end(); ++Next)
      add(*Next);
    end(Code.Code.size());
    return std::move(Result);
  }

private:
  void add(const PlacedPayload &P) {
    end(P.Offset);
    // Up to its first line, and all of it if the hook has none.
    Result.append({P.Offset, 0, 0, 0});
    // Of what comes from another file, such as a header of Luthier's, the
    // tool's author knows the line that calls it.
    for (const LineTable::Row &Row : rowsOf(*P.Copied))
      Result.append({P.Offset + Row.Address, Row.File, Row.Line, 0});
    End = P.Offset + P.Copied->Code.size();
  }

  using Rows = SmallVector<LineTable::Row, 4>;
  /// With offsets in \p P for addresses.
  const Rows &rowsOf(const Payload &P) {
    auto [It, IsNew] = OfPayloads.try_emplace(&P);
    if (IsNew)
      for (const LineEntry &Line : P.Lines)
        It->second.push_back(
            {Line.Offset, Result.fileIndex(Line.HookFile),
             Line.File == Line.HookFile ? Line.Line : Line.HookLine, 0});
    return It->second;
  }

  const LineTable::Row *find(const SourceLines &Original, uint64_t Address) {
    if (!Around || !Around->covers(Address)) {
      Around = &Original.around(Address);
      OfAround.clear();
    }
    return Around->find(Address);
  }

  /// \p Row is of Around.
  unsigned fileOf(const LineTable::Row &Row) {
    auto [It, IsNew] = OfAround.try_emplace(Row.File);
    if (IsNew)
      It->second = Result.fileIndex(Around->files()[Row.File]);
    return It->second;
  }

  /// What was last written ends before \p Next if there is code in between.
  void end(uint64_t Next) {
    if (!Result.empty() && End < Next)
      Result.append({End, 0, 0, 0});
  }

  const WrittenCode &Code;
  LineTable Result;
  DenseMap<const Payload *, Rows> OfPayloads;
  const LineTable *Around = nullptr; ///< Original's, where find() has looked.
  DenseMap<unsigned, unsigned> OfAround; ///< Files.
  uint64_t End = 0;
};

} // namespace

LineTable linesOf(const LiftedRepresentation &LR, const WrittenCode &Code,
                  ArrayRef<PlacedPayload> Payloads) {
  const SourceLines &Original = LR.impl().Object->lines();
  auto hasLine = [&](const KeptInstruction &Kept) {
    return Original.around(Kept.Original).find(Kept.Original) != nullptr;
  };
  auto hasLines = [](const PlacedPayload &P) {
    return !P.Copied->Lines.empty();
  };
  if ((Original.empty() || none_of(Code.Map, hasLine)) &&
      none_of(Payloads, hasLines))
    return {};
  return LineMerger(Code).run(Original, Payloads);
}

std::vector<PlacedFixup> placeFixups(ArrayRef<PlacedPayload> Placed,
                                     ArrayRef<Payload> Payloads,
                                     ArrayRef<PayloadVariant> Variants) {
  std::vector<PlacedFixup> Result;
  for (const PlacedPayload &Copy : Placed) {
    const PayloadVariant &Variant = Variants[Copy.Copied - Payloads.data()];
    for (const Fixup &F : Copy.Copied->Fixups)
      Result.push_back({Copy.Offset + F.Offset, F.Kind, F.Variable,
                        Variant.Hook.Module, F.Addend});
  }
  return Result;
}

/// The first original instruction from \p MI on, which a tool may have added.
static uint64_t originalFrom(const LiftedRepresentation &LR,
                             const MachineBasicBlock &MBB,
                             MachineBasicBlock::const_iterator MI) {
  for (; MI != MBB.end(); ++MI)
    if (std::optional<uint64_t> Address = LR.originalAddress(*MI))
      return *Address;
  return 0;
}

std::vector<PlacedHook> placedHooks(const LiftedRepresentation &LR,
                                    const VariantPlan &Plan) {
  std::vector<PlacedHook> Result;
  for (const CallSite &Site : Plan.CallSites) {
    const MachineInstr *MI = Site.Where.instruction();
    const MachineBasicBlock &MBB = MI ? *MI->getParent() : *Site.Where.block();
    Result.push_back(
        {originalFrom(LR, MBB, MI ? MI->getIterator() : MBB.begin()),
         Plan.Variants[Site.Variant].Hook.Function});
  }
  return Result;
}

} // namespace luthier
