// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BufferCase.h"
#include "MemoryElement.h"

namespace luthier::test {

namespace {

/// The fields that matter, from the four dwords (ISA manuals, "Buffer Resource
/// Descriptor").
struct Resource {
  explicit Resource(const TrialState &S) {
    const uint32_t *W = &S.S[BufferCase::ResourceReg];
    Base = W[0] | uint64_t(W[1] & 0xffff) << 32;
    Stride = W[1] >> 16 & 0x3fff;
    Records = W[2];
    static const unsigned Sizes[] = {0, 4, 8, 16};
    bool TwoBits = S.T->Generation >= 11;
    Element = TwoBits ? Sizes[W[1] >> 30] : W[1] >> 31 ? 4 : 0;
    static const unsigned Groups[] = {8, 16, 32, 64};
    Group = Groups[W[3] >> 21 & 3];
    Check = W[3] >> 28 & 3;
  }
  uint64_t Base, Stride, Records, Element, Group;
  unsigned Check;
};

} // namespace

std::string BufferCase::text() const {
  std::string Address = "off", Flags;
  if (HasIndex && HasOffset)
    Address = "v[2:3]", Flags = " idxen offen";
  else if (HasIndex)
    Address = "v2", Flags = " idxen";
  else if (HasOffset)
    Address = "v2", Flags = " offen";
  Flags += Immediate ? " offset:" + std::to_string(Immediate) : "";
  return Address + ", s[8:11], s12" + Flags;
}

void BufferCase::prepare(TrialState &S, RandomSource &Random, uint32_t Format,
                         uint32_t Select) const {
  std::array<unsigned, 64> Order = shuffled(Random);
  bool Interleaved = Random() % 3 == 0;
  // Rooms for a lane each: records, or ranges of bytes.
  constexpr unsigned Room = 128;
  uint64_t Stride = HasIndex ? Room : 0;
  unsigned GroupField = unsigned(Random() % 4);
  unsigned ElementField =
      S.T->Generation >= 11 ? unsigned(1 + Random() % 3) : 2;
  if (!HasIndex)
    Interleaved = false;
  uint32_t Check = HasIndex ? uint32_t(Random() % 3) : 3;
  uint64_t Base = S.MemoryBase + Random() % 64 * 16;
  S.S[ResourceReg] = uint32_t(Base);
  S.S[ResourceReg + 1] = uint32_t(Base >> 32) | uint32_t(Stride) << 16 |
                         (Interleaved ? ElementField << 30 : 0);
  S.S[ResourceReg + 3] = Select | Format | GroupField << 21;
  if (S.T->Generation >= 10)
    S.S[ResourceReg + 3] |= Check << 28;
  S.S[OffsetReg] = uint32_t(Random() % 8) * Alignment * 4;
  // Sometimes a quarter of the lanes is outside.
  uint64_t Records = Random() % 2 ? 64 : 48;
  S.S[ResourceReg + 2] = uint32_t(
      HasIndex ? Records : Records * Room + S.S[OffsetReg] + Immediate);
  for (unsigned L = 0; L != 64; ++L) {
    // A record may be too short for the access, unless others follow it.
    unsigned Limit = Room - Bytes - Immediate % Room;
    auto InRoom = unsigned(Random() % (Room - Bytes));
    if (HasIndex && Random() % 8)
      InRoom = unsigned(Random() % (std::min(Limit, Room) + 1));
    InRoom -= InRoom % Alignment;
    uint32_t Offset = HasIndex ? InRoom : Order[L] * Room + InRoom;
    S.V[AddressReg][L] = HasIndex ? Order[L] : Offset;
    S.V[AddressReg + 1][L] = Offset;
  }
}

uint64_t BufferCase::index(const TrialState &S, unsigned L) const {
  return HasIndex ? S.V[AddressReg][L] : 0;
}
uint64_t BufferCase::offset(const TrialState &S, unsigned L) const {
  uint64_t Offset = Immediate;
  if (HasOffset)
    Offset += S.V[AddressReg + (HasIndex ? 1 : 0)][L];
  return Offset;
}

bool BufferCase::exists(const TrialState &S, unsigned L, unsigned Extra,
                        unsigned Size) const {
  Resource R(S);
  uint64_t End = offset(S, L) + Extra + Size;
  bool HasRecord = index(S, L) < R.Records;
  bool InRecord = End <= R.Stride;
  bool InBytes = End + S.S[OffsetReg] <= R.Records;
  if (S.T->Generation == 9) {
    if (!HasIndex || !R.Stride)
      return InBytes;
    return HasRecord && (!R.Element || InRecord);
  }
  switch (R.Check) {
  case 0:
    return HasRecord && InRecord;
  case 1:
    return HasRecord;
  case 2:
    return R.Records != 0;
  default:
    return InBytes;
  }
}

uint64_t BufferCase::locate(const TrialState &S, unsigned L,
                            unsigned Extra) const {
  Resource R(S);
  uint64_t Offset = offset(S, L) + Extra, Index = index(S, L);
  uint64_t At = Index * R.Stride + Offset;
  if (R.Element) {
    // Elements of the same number in all records of a group come first.
    uint64_t Number = Offset / R.Element, Byte = Offset % R.Element;
    uint64_t GroupStart = Index / R.Group * R.Group * R.Stride;
    At = GroupStart + (Number * R.Group + Index % R.Group) * R.Element + Byte;
  }
  return R.Base + S.S[OffsetReg] + At;
}

uint64_t BufferCase::read(const TrialState &S, unsigned L, unsigned Extra,
                          unsigned Size) const {
  uint64_t Value = 0;
  for (unsigned B = 0; B != Size; ++B)
    Value |= S.read(locate(S, L, Extra + B), 1) << (8 * B);
  return Value;
}
void BufferCase::write(TrialState &S, unsigned L, unsigned Extra,
                       uint64_t Value, unsigned Size) const {
  for (unsigned B = 0; B != Size; ++B)
    S.write(locate(S, L, Extra + B), Value >> (8 * B) & 0xff, 1);
}

std::vector<BufferCase> BufferCase::all(unsigned Bytes, unsigned Alignment,
                                        RandomSource &Random) {
  std::vector<BufferCase> All;
  for (bool HasIndex : {false, true})
    for (bool HasOffset : {false, true}) {
      BufferCase C;
      C.HasIndex = HasIndex;
      C.HasOffset = HasOffset;
      C.Immediate = unsigned(Random() % 8) * Alignment;
      C.Bytes = Bytes;
      C.Alignment = Alignment;
      All.push_back(C);
    }
  return All;
}

} // namespace luthier::test
