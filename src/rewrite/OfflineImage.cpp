// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/OfflineImage.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include <map>

using namespace llvm;

namespace luthier {

/// No inline constant, and room for many.
static constexpr uint32_t FirstMark = 0x4c750000;

void markFixups(MutableArrayRef<Payload> Payloads) {
  uint32_t Mark = FirstMark;
  for (Payload &P : Payloads)
    for (const Fixup &F : P.Fixups)
      support::endian::write32le(&P.Code[F.Offset], Mark++);
}

namespace {

/// A payload is copied as a whole, so its bytes are found as a whole; those
/// with marks are unlike all others.
class FixupFinder {
public:
  FixupFinder(ArrayRef<Payload> Payloads, ArrayRef<PayloadVariant> Variants)
      : Payloads(Payloads), Variants(Variants) {
    for (auto [Index, P] : enumerate(Payloads)) {
      NumMarks += P.Fixups.size();
      if (!P.Fixups.empty())
        ByFirstWord[support::endian::read32le(P.Code.data())].push_back(Index);
    }
  }
  bool isNeeded() const { return NumMarks; }

  /// Bytes of the payload that is at \p At in \p Code, or 0.
  size_t take(ArrayRef<uint8_t> Code, size_t At,
              std::vector<PlacedFixup> &Result) const {
    auto Found = ByFirstWord.find(support::endian::read32le(&Code[At]));
    if (Found == ByFirstWord.end())
      return 0;
    for (unsigned Index : Found->second) {
      const Payload &P = Payloads[Index];
      if (!Code.drop_front(At).take_front(P.Code.size()).equals(P.Code))
        continue;
      for (const Fixup &F : P.Fixups)
        Result.push_back({At + F.Offset, F.Kind, F.Variable,
                          Variants[Index].Hook.Module, F.Addend});
      return P.Code.size();
    }
    return 0;
  }

  bool isMark(uint32_t Word) const {
    return Word >= FirstMark && Word - FirstMark < NumMarks;
  }

private:
  ArrayRef<Payload> Payloads;
  ArrayRef<PayloadVariant> Variants;
  uint32_t NumMarks = 0;
  std::map<uint32_t, SmallVector<unsigned, 1>> ByFirstWord;
};

} // namespace

Expected<std::vector<PlacedFixup>>
placeFixups(ArrayRef<Payload> Payloads, ArrayRef<PayloadVariant> Variants,
            const WrittenCode &Code) {
  std::vector<PlacedFixup> Result;
  const FixupFinder Finder(Payloads, Variants);
  if (!Finder.isNeeded())
    return Result;
  for (const WrittenCode::Extent &E : Code.Inserted)
    for (size_t At = E.Begin; At + 4 <= E.End;) {
      if (size_t Size = Finder.take(Code.Code, At, Result)) {
        At += Size;
        continue;
      }
      if (Finder.isMark(support::endian::read32le(&Code.Code[At])))
        return refuse(RefusalReason::LinkFailed,
                      "a variable's address is used outside of its payload");
      At += 4;
    }
  return Result;
}

} // namespace luthier
