// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/UnusedFields.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace luthier::emulator {

namespace {

struct Field {
  uint8_t Word, Shift, Bits;

  uint32_t mask() const { return ((1u << Bits) - 1) << Shift; }
};

/// The operand fields of an encoding; not those that choose between forms.
struct Encoding {
  unsigned FirstGeneration, LastGeneration;
  uint32_t Mask, Value; ///< Of the first dword.
  std::vector<Field> Fields;
};

const std::vector<Encoding> &encodings() {
  // Used while the process ends, too.
  static const auto &All = *new std::vector<Encoding>{
      // SOP1, SOPP, VOP1
      {9, 12, 0xff800000, 0xbe800000, {{0, 16, 7}}},
      {9, 12, 0xff800000, 0xbf800000, {{0, 0, 16}}},
      {9, 12, 0xfe000000, 0x7e000000, {{0, 17, 8}}},
      // VOP3 and VOP3P: the result and three sources.
      {9,
       9,
       0xfc000000,
       0xd0000000,
       {{0, 0, 8}, {1, 0, 9}, {1, 9, 9}, {1, 18, 9}}},
      {10,
       12,
       0xfc000000,
       0xd4000000,
       {{0, 0, 8}, {1, 0, 9}, {1, 9, 9}, {1, 18, 9}}},
      {10,
       12,
       0xff000000,
       0xcc000000,
       {{0, 0, 8}, {1, 0, 9}, {1, 9, 9}, {1, 18, 9}}},
      // VOPD: second sources.
      {11, 12, 0xfc000000, 0xc8000000, {{0, 9, 8}, {1, 9, 8}}},
      // DS: address, two data, result.
      {9,
       12,
       0xfc000000,
       0xd8000000,
       {{1, 0, 8}, {1, 8, 8}, {1, 16, 8}, {1, 24, 8}}},
      // FLAT: address, data, result.
      {9, 11, 0xfc000000, 0xdc000000, {{1, 0, 8}, {1, 8, 8}, {1, 24, 8}}},
      {12, 12, 0xfc000000, 0xec000000, {{2, 0, 8}, {1, 23, 8}, {1, 0, 8}}},
      // MUBUF and MTBUF: address and data.
      {9, 11, 0xfc000000, 0xe0000000, {{1, 0, 8}, {1, 8, 8}}},
      {9, 11, 0xfc000000, 0xe8000000, {{1, 0, 8}, {1, 8, 8}}},
      {12, 12, 0xfc000000, 0xc4000000, {{2, 0, 8}, {1, 0, 8}}},
  };
  return All;
}

const Encoding *encodingOf(uint32_t First, unsigned Generation) {
  auto Has = [&](const Encoding &E) {
    return Generation >= E.FirstGeneration && Generation <= E.LastGeneration &&
           (First & E.Mask) == E.Value;
  };
  auto Found = std::ranges::find_if(encodings(), Has);
  return Found == encodings().end() ? nullptr : &*Found;
}

uint32_t wordOf(std::span<const uint8_t> Code, const Field &F) {
  uint32_t Word;
  std::memcpy(&Word, &Code[4 * F.Word], sizeof(Word));
  return Word;
}
void setField(std::span<uint8_t> Code, const Field &F, uint32_t Value) {
  const uint32_t Word =
      (wordOf(Code, F) & ~F.mask()) | (Value << F.Shift & F.mask());
  std::memcpy(&Code[4 * F.Word], &Word, sizeof(Word));
}

/// A field that holds an operand can be something else than zero.
bool isUnused(std::vector<uint8_t> Code, const Field &F, unsigned Opcode,
              const OpcodeReader &Read) {
  for (unsigned Bit = 0; Bit != F.Bits; ++Bit) {
    setField(Code, F, 1u << Bit);
    if (Read(Code) == Opcode)
      return false;
  }
  return true;
}

} // namespace

bool clearUnusedFields(std::span<uint8_t> Code, unsigned Generation,
                       const OpcodeReader &Read) {
  uint32_t First;
  std::memcpy(&First, Code.data(), sizeof(First));
  const Encoding *E = encodingOf(First, Generation);
  if (!E)
    return false;
  const size_t Count = E->Fields.size();
  // Mostly something else is wrong.
  std::vector<uint8_t> Bare(Code.begin(), Code.end());
  for (const Field &F : E->Fields)
    setField(Bare, F, 0);
  if (!Read(Bare))
    return false;
  for (int Size = 1; Size <= int(Count); ++Size)
    for (unsigned Set = 1; Set != 1u << Count; ++Set) {
      if (std::popcount(Set) != Size)
        continue;
      std::vector<Field> Cleared;
      std::vector<uint8_t> Try(Code.begin(), Code.end());
      for (size_t N = 0; N != Count; ++N)
        if (Set >> N & 1) {
          Cleared.push_back(E->Fields[N]);
          setField(Try, E->Fields[N], 0);
        }
      const std::optional<unsigned> Opcode = Read(Try);
      if (!Opcode || !std::ranges::all_of(Cleared, [&](const Field &F) {
            return isUnused(Try, F, *Opcode, Read);
          }))
        continue;
      std::ranges::copy(Try, Code.begin());
      return true;
    }
  return false;
}

} // namespace luthier::emulator
