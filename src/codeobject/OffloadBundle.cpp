// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/OffloadBundle.h"
#include "codeobject/CompressedBundle.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace luthier;

namespace {

constexpr StringLiteral Magic = "__CLANG_OFFLOAD_BUNDLE__";

Error malformed(const Twine &Detail) {
  return refuse(RefusalReason::MalformedCodeObject,
                "offload bundle: " + Detail);
}

/// Takes numbers and text off the front of a bundle's table.
class Cursor {
public:
  explicit Cursor(ArrayRef<uint8_t> Bytes) : Left(Bytes) {}

  Expected<uint64_t> number() {
    if (Left.size() < sizeof(uint64_t))
      return malformed("table is truncated");
    const uint64_t Value = support::endian::read64le(Left.data());
    Left = Left.drop_front(sizeof(uint64_t));
    return Value;
  }

  Expected<StringRef> text(uint64_t Size) {
    if (Left.size() < Size)
      return malformed("table is truncated");
    const StringRef Text = toStringRef(Left.take_front(Size));
    Left = Left.drop_front(Size);
    return Text;
  }

private:
  ArrayRef<uint8_t> Left;
};

struct Entry {
  uint64_t Offset, Size;
  StringRef ID;
};

Expected<Entry> readEntry(Cursor &Table) {
  Expected<uint64_t> Offset = Table.number();
  if (!Offset)
    return Offset.takeError();
  Expected<uint64_t> Size = Table.number();
  if (!Size)
    return Size.takeError();
  Expected<uint64_t> IDSize = Table.number();
  if (!IDSize)
    return IDSize.takeError();
  Expected<StringRef> ID = Table.text(*IDSize);
  if (!ID)
    return ID.takeError();
  return Entry{*Offset, *Size, *ID};
}

/// Not the host's, and not portable SPIR-V, which is no code object.
bool isDeviceImage(const Entry &E) {
  return E.Size && !E.ID.starts_with("host") && E.ID.contains("amdgcn-amd-") &&
         !E.ID.contains("spirv");
}

Error readPlainBundle(ArrayRef<uint8_t> Bytes, Bundle &Result) {
  Cursor Table(Bytes.drop_front(Magic.size()));
  Expected<uint64_t> Count = Table.number();
  if (!Count)
    return Count.takeError();

  Result.Size = Magic.size() + sizeof(uint64_t);
  for (uint64_t I = 0; I < *Count; ++I) {
    Expected<Entry> E = readEntry(Table);
    if (!E)
      return E.takeError();
    if (E->Offset > Bytes.size() || E->Size > Bytes.size() - E->Offset)
      return malformed("entry '" + E->ID + "' of " + Twine(E->Size) +
                       " bytes at offset " + Twine(E->Offset) +
                       " ends beyond the " + Twine(Bytes.size()) +
                       " bytes there are");
    Result.Size = std::max<size_t>(Result.Size, E->Offset + E->Size);
    Result.Entries.push_back(
        {E->ID.str(), Bytes.slice(E->Offset, E->Size), isDeviceImage(*E)});
  }
  return Error::success();
}

/// Bytes of the uncompressed bundle at \p Start, following its own table only
/// as far as the entries before say.
Expected<size_t> registeredSize(const uint8_t *Start) {
  const auto Number = [&](size_t At) {
    return support::endian::read64le(Start + At);
  };
  size_t At = Magic.size();
  const uint64_t Count = Number(At);
  // Nothing bounds the memory, so what is implausible must do.
  constexpr uint64_t MaxEntries = 4096, MaxIDSize = 4096;
  if (Count > MaxEntries)
    return malformed("claims to have " + Twine(Count) + " entries");
  At += sizeof(uint64_t);
  uint64_t End = At;
  for (uint64_t I = 0; I < Count; ++I) {
    const uint64_t Offset = Number(At), Size = Number(At + 8),
                   IDSize = Number(At + 16);
    if (IDSize > MaxIDSize || Offset + Size < Offset)
      return malformed("entry " + Twine(I) + " of the table is implausible");
    At += 24 + IDSize;
    End = std::max<uint64_t>({End, At, Offset + Size});
  }
  return End;
}

} // namespace

bool luthier::beginsWithBundle(ArrayRef<uint8_t> Bytes) {
  const StringRef Text = toStringRef(Bytes);
  return Text.starts_with(Magic) || Text.starts_with(CompressedBundleMagic);
}

bool luthier::isNoBundle(ArrayRef<uint8_t> Bytes) {
  const StringRef Text = toStringRef(Bytes);
  return !beginsWithBundle(Bytes) && !Magic.starts_with(Text) &&
         !CompressedBundleMagic.starts_with(Text);
}

Expected<Bundle> luthier::readWholeBundle(ArrayRef<uint8_t> Bytes) {
  const StringRef Text = toStringRef(Bytes);
  Bundle Result;
  if (Text.starts_with(Magic)) {
    if (Error E = readPlainBundle(Bytes, Result))
      return std::move(E);
    return Result;
  }
  if (!Text.starts_with(CompressedBundleMagic))
    return malformed("does not begin with a bundle's magic");

  Expected<UnpackedBundle> Unpacked = unpackBundle(Bytes);
  if (!Unpacked)
    return Unpacked.takeError();
  if (!toStringRef(*Unpacked->Bytes).starts_with(Magic))
    return malformed("does not unpack to a bundle");
  if (Error E = readPlainBundle(*Unpacked->Bytes, Result))
    return std::move(E);
  Result.Storage = Unpacked->Bytes;
  Result.Size = Unpacked->PackedSize;
  return Result;
}

Expected<size_t> luthier::readBundle(ArrayRef<uint8_t> Bytes,
                                     std::vector<BundledCodeObject> &Images) {
  Expected<Bundle> Read = readWholeBundle(Bytes);
  if (!Read)
    return Read.takeError();
  for (const BundleEntry &E : Read->Entries) {
    if (!E.IsDevice)
      continue;
    Expected<TargetID> Target = TargetID::parse(E.ID);
    if (!Target)
      return malformed(detailOf(Target.takeError()));
    Images.push_back({std::move(*Target), E.Image, Read->Storage});
  }
  return Read->Size;
}

std::vector<uint8_t> luthier::writeBundle(ArrayRef<BundleEntry> Entries) {
  constexpr uint64_t ImageAlignment = 4096;
  std::vector<uint8_t> Bytes(Magic.begin(), Magic.end());
  const auto Number = [&](uint64_t Value) {
    Bytes.resize(Bytes.size() + sizeof(Value));
    support::endian::write64le(&Bytes[Bytes.size() - sizeof(Value)], Value);
  };
  uint64_t Offset = Magic.size() + sizeof(uint64_t);
  for (const BundleEntry &E : Entries)
    Offset += 3 * sizeof(uint64_t) + E.ID.size();
  Number(Entries.size());
  for (const BundleEntry &E : Entries) {
    Offset = alignTo(Offset, ImageAlignment);
    Number(Offset);
    Number(E.Image.size());
    Number(E.ID.size());
    Bytes.insert(Bytes.end(), E.ID.begin(), E.ID.end());
    Offset += E.Image.size();
  }
  for (const BundleEntry &E : Entries) {
    Bytes.resize(alignTo(Bytes.size(), ImageAlignment));
    Bytes.insert(Bytes.end(), E.Image.begin(), E.Image.end());
  }
  return Bytes;
}

Expected<std::vector<BundledCodeObject>>
luthier::readRegisteredBundle(const void *Bundle) {
  const auto *Start = static_cast<const uint8_t *>(Bundle);
  size_t Size = 0;
  // One byte after the other: a shorter magic may end at the end of a page.
  if (std::equal(CompressedBundleMagic.begin(), CompressedBundleMagic.end(),
                 Start)) {
    Expected<CompressedBundleHeader> Header = CompressedBundleHeader::create(
        ArrayRef(Start, CompressedBundleHeader::MaxSize));
    if (!Header)
      return Header.takeError();
    if (!Header->FileSize)
      return malformed("compressed in a version that does not say its size");
    Size = *Header->FileSize;
  } else if (std::equal(Magic.begin(), Magic.end(), Start)) {
    Expected<size_t> Plain = registeredSize(Start);
    if (!Plain)
      return Plain.takeError();
    Size = *Plain;
  } else {
    return malformed("what was registered does not begin with a bundle's "
                     "magic");
  }

  std::vector<BundledCodeObject> Images;
  if (Expected<size_t> Read = readBundle(ArrayRef(Start, Size), Images); !Read)
    return Read.takeError();
  return Images;
}
