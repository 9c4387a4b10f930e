// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every branch ends up at its destination, however far that is: the tests walk
// along the islands.
#include "amdgpu/CodeLayout.h"
#include "llvm/Support/Endian.h"
#include <gtest/gtest.h>
#include <random>

using namespace llvm;
using luthier::amdgpu::CodeLayout;

namespace {

constexpr uint32_t Branch = 0xbf820000, Conditional = 0xbf850000;
constexpr size_t Reach = 4 * 32768;

/// Code of \p Bytes whose dwords are no branches. Islands may stand in it.
void fill(CodeLayout &L, size_t Bytes, size_t Piece = 4096) {
  for (size_t Done = 0; Done < Bytes; Done += Piece) {
    L.allowIslands(/*FallsThrough=*/true);
    L.append(std::vector<uint8_t>(std::min(Piece, Bytes - Done), 0));
  }
}

uint32_t wordAt(ArrayRef<uint8_t> Code, size_t Offset) {
  return support::endian::read32le(&Code[Offset]);
}

size_t destination(ArrayRef<uint8_t> Code, size_t Offset) {
  return Offset + 4 + 4 * int64_t(int16_t(wordAt(Code, Offset)));
}

/// Where control from the branch at \p Offset ends up.
size_t walk(ArrayRef<uint8_t> Code, size_t Offset) {
  size_t At = destination(Code, Offset);
  while ((wordAt(Code, At) & 0xffff0000) == Branch)
    At = destination(Code, At);
  return At;
}

/// Where straight-line control from \p Offset arrives: past islands.
size_t runOn(ArrayRef<uint8_t> Code, size_t Offset) {
  while ((wordAt(Code, Offset) & 0xffff0000) == Branch)
    Offset = destination(Code, Offset);
  return Offset;
}

TEST(CodeLayout, NearBranchesTakeNoIsland) {
  CodeLayout L(Branch);
  auto Label = L.createLabel();
  L.branch(Conditional, Label);
  fill(L, Reach - 4);
  L.bind(Label);
  fill(L, 4);
  auto Code = cantFail(L.finish());
  EXPECT_EQ(Code.size(), Reach + 4);
  EXPECT_EQ(walk(Code, 0), L.place(Reach));
}

TEST(CodeLayout, FarBranchesGoOverIslandsBothWays) {
  CodeLayout L(Branch);
  auto Start = L.createLabel(), End = L.createLabel();
  L.bind(Start);
  fill(L, 4);
  L.branch(Conditional, End);
  fill(L, 10 * Reach);
  const size_t Back = L.size();
  L.branch(Conditional, Start);
  L.bind(End);
  fill(L, 4);
  auto Code = cantFail(L.finish());
  EXPECT_EQ(walk(Code, L.place(4)), L.place(Back + 4));
  EXPECT_EQ(walk(Code, L.place(Back)), L.place(0));
  // About ten each way, each with its skip.
  EXPECT_LT(Code.size() - L.size(), 45u * 4);
  EXPECT_GT(Code.size() - L.size(), 18u * 4);
}

TEST(CodeLayout, BranchesToOnePlaceShareIslands) {
  CodeLayout L(Branch);
  auto End = L.createLabel();
  for (unsigned I = 0; I < 1000; ++I)
    L.branch(Conditional, End);
  fill(L, 2 * Reach);
  L.bind(End);
  fill(L, 4);
  auto Code = cantFail(L.finish());
  for (unsigned I = 0; I < 1000; ++I)
    EXPECT_EQ(walk(Code, 4 * I), L.place(L.size() - 4));
  EXPECT_LT(Code.size() - L.size(), 10u * 4);
}

/// Islands of all the others push each of them on, by more than islands keep
/// away from the limit where there are few.
TEST(CodeLayout, ManyFarBranchesTakeNoMoreIslandsThanTheyNeed) {
  constexpr size_t Count = 4096, Size = 256;
  CodeLayout L(Branch);
  std::vector<CodeLayout::Label> Labels;
  for (size_t N = 0; N < Count; ++N)
    Labels.push_back(L.createLabel());
  std::vector<size_t> From, To;
  for (size_t N = 0; N < Count; ++N) {
    From.push_back(L.size());
    L.branch(Conditional, Labels[(N + Count / 2) % Count]);
    To.push_back(L.size());
    L.bind(Labels[N]);
    fill(L, Size - 4, /*Piece=*/84);
  }
  auto Code = cantFail(L.finish());
  for (size_t N = 0; N < Count; ++N)
    ASSERT_EQ(walk(Code, L.place(From[N])),
              L.place(To[(N + Count / 2) % Count]));
  // Half a megabyte in steps of less than an eighth, and skips.
  EXPECT_LT(Code.size() - L.size(), Count * 4 * 7);
}

TEST(CodeLayout, WhereNothingFallsThroughIslandsNeedNoSkip) {
  CodeLayout L(Branch);
  auto End = L.createLabel();
  L.branch(Branch, End);
  L.append(std::vector<uint8_t>(Reach / 2));
  L.allowIslands(/*FallsThrough=*/false);
  L.append(std::vector<uint8_t>(Reach - 64));
  L.bind(End);
  L.append(std::vector<uint8_t>(4));
  auto Code = cantFail(L.finish());
  EXPECT_EQ(Code.size(), L.size() + 4);
  EXPECT_EQ(walk(Code, 0), L.place(L.size() - 4));
}

TEST(CodeLayout, PiecesTooLongForAnyIslandAreAnError) {
  CodeLayout L(Branch);
  auto End = L.createLabel();
  L.branch(Branch, End);
  fill(L, 2 * Reach, 2 * Reach);
  L.bind(End);
  auto Code = L.finish();
  EXPECT_FALSE(bool(Code));
  consumeError(Code.takeError());
}

TEST(CodeLayout, DistancesCountIslands) {
  CodeLayout L(Branch);
  auto End = L.createLabel();
  L.branch(Conditional, End);
  fill(L, 2 * Reach);
  const size_t At = L.size();
  L.append(std::vector<uint8_t>(12));
  L.distance(At + 4, At + 8, At, -0x123456789a);
  L.bind(End);
  fill(L, 4);
  auto Code = cantFail(L.finish());
  const size_t Place = L.place(At);
  EXPECT_GT(Place, At);
  const uint64_t Distance = -0x123456789a - int64_t(Place);
  EXPECT_EQ(wordAt(Code, Place + 4), uint32_t(Distance));
  EXPECT_EQ(wordAt(Code, Place + 8), uint32_t(Distance >> 32));
}

TEST(CodeLayout, RandomBranchesArrive) {
  for (unsigned Seed = 0; Seed < 20; ++Seed) {
    SCOPED_TRACE("seed " + std::to_string(Seed));
    std::mt19937 Random(Seed);
    CodeLayout L(Branch);
    struct Jump {
      size_t Offset;
      unsigned Target;
    };
    std::vector<CodeLayout::Label> Labels;
    std::vector<size_t> Bound;
    std::vector<Jump> Jumps;
    for (unsigned I = 0; I < 60; ++I)
      Labels.push_back(L.createLabel());
    std::vector<size_t> Pieces;
    for (unsigned I = 0; I < 60; ++I) {
      L.bind(Labels[I]);
      Bound.push_back(L.size());
      L.append(std::vector<uint8_t>(4));
      for (unsigned J = Random() % 4; J; --J) {
        L.allowIslands(true);
        Jumps.push_back({L.size(), unsigned(Random() % 60)});
        L.branch(Conditional, Labels[Jumps.back().Target]);
      }
      fill(L, Random() % (Reach / 4) / 4 * 4 + 4, 512);
    }
    L.append(std::vector<uint8_t>(4));
    auto Code = cantFail(L.finish());
    for (const Jump &J : Jumps)
      EXPECT_EQ(walk(Code, L.place(J.Offset)), L.place(Bound[J.Target]));
    // Whoever runs straight through passes everything that was appended.
    for (size_t Offset = 0; Offset + 4 < L.size(); Offset += 4)
      ASSERT_EQ(runOn(Code, L.place(Offset) + 4), L.place(Offset + 4));
  }
}

} // namespace
