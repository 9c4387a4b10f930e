// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/ProfiledValues.h"
#include "pgo/Problem.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace llvm;

namespace luthier::pgo {
namespace {

// As device/ProfiledValues.h lays them out.
struct Entry {
  uint32_t Value, Place; ///< Distances from the table, or a size.
  uint64_t Count;
};
static_assert(sizeof(Entry) == 16);

/// LLVM's formats have a byte for the number of values of a place.
constexpr size_t MostValues = 255;

uint32_t numPlaces(const RawRecord &Record) {
  uint32_t Sum = 0;
  for (uint32_t Number : Record.NumValueSites)
    Sum += Number;
  return Sum;
}

void appendWord(std::vector<uint8_t> &To, uint64_t Word) {
  uint8_t Bytes[8];
  support::endian::write64le(Bytes, Word);
  To.insert(To.end(), Bytes, Bytes + 8);
}

void appendHalves(std::vector<uint8_t> &To, uint32_t Low, uint32_t High) {
  appendWord(To, uint64_t(High) << 32 | Low);
}

} // namespace

Expected<ProfiledValues> ProfiledValues::read(const CounterSections &Sections,
                                              ReadDevice Read) {
  ProfiledValues Result;
  Result.Records = Sections.RecordBytes.vec();
  if (Sections.Values.Size)
    if (Error E = Result.readTable(Sections, Read))
      return std::move(E);
  return Result;
}

Error ProfiledValues::readTable(const CounterSections &Sections,
                                ReadDevice Read) {
  const uint64_t Table = Sections.Values.Begin;
  std::vector<uint8_t> Bytes(Sections.Values.Size);
  if (Error E = Read(Table, Bytes))
    return E;
  const uint64_t At = support::endian::read64le(Bytes.data());
  if (!At)
    return Error::success(); // There is nothing in it.
  std::vector<uint8_t> Loaded(Records.size());
  if (Error E = Read(Sections.Records.Begin, Loaded))
    return E;
  takeAddresses(Loaded, At - Table);
  std::set<uint64_t> Functions;
  std::map<uint64_t, uint32_t> KindOf; ///< Of places.
  for (uint64_t I = 0; I != numRecords(); ++I) {
    const RawRecord Record = RawRecord::at(Records, I);
    Functions.insert(Record.FunctionPointer);
    uint64_t Place = Record.Values;
    for (const auto &[Kind, Number] : enumerate(Record.NumValueSites))
      for (uint32_t Site = 0; Site != Number; ++Site, Place += 8)
        KindOf[Place] = Kind;
  }
  for (size_t I = sizeof(Entry); I != Bytes.size(); I += sizeof(Entry)) {
    const uint64_t Key = support::endian::read64le(&Bytes[I]);
    const uint64_t Place = Table + SignExtend64<32>(Key >> 32);
    const auto Kind = KindOf.find(Place);
    if (!Key || Kind == KindOf.end())
      continue;
    uint64_t Value = Key & 0xffffffff;
    if (Kind->second == IPVK_IndirectCallTarget) {
      Value = Table + SignExtend64<32>(Value);
      if (!Functions.count(Value))
        Value = 0;
    }
    Places[Place][Value] += support::endian::read64le(&Bytes[I + 8]);
  }
  return readRests(Read);
}

/// What the table had no room for.
Error ProfiledValues::readRests(ReadDevice Read) {
  for (uint64_t I = 0; I != numRecords(); ++I) {
    const RawRecord Record = RawRecord::at(Records, I);
    std::vector<uint8_t> Rests(8 * numPlaces(Record));
    if (Rests.empty())
      continue;
    if (Error E = Read(Record.Values, Rests))
      return E;
    for (size_t At = 0; At != Rests.size(); At += 8)
      if (const uint64_t Rest = support::endian::read64le(&Rests[At]))
        Places[Record.Values + At][0] += Rest;
  }
  return Error::success();
}

/// Those that loading puts into the records, where the file has none.
void ProfiledValues::takeAddresses(ArrayRef<uint8_t> Loaded, uint64_t Bias) {
  for (uint64_t I = 0; I != numRecords(); ++I) {
    RawRecord Record = RawRecord::at(Records, I);
    const RawRecord Its = RawRecord::at(Loaded, I);
    Record.FunctionPointer =
        Its.FunctionPointer ? Its.FunctionPointer - Bias : 0;
    Record.Values = Its.Values ? Its.Values - Bias : 0;
    memcpy(&Records[I * sizeof(Record)], &Record, sizeof(Record));
  }
}

/// Those seen most often, and the others as one that is not known.
static std::vector<std::pair<uint64_t, uint64_t>>
mostUsual(const std::map<uint64_t, uint64_t> &Values) {
  std::vector<std::pair<uint64_t, uint64_t>> Result(Values.begin(),
                                                    Values.end());
  llvm::sort(Result, [](const auto &A, const auto &B) {
    return A.second != B.second ? A.second > B.second : A.first < B.first;
  });
  if (Result.size() <= MostValues)
    return Result;
  uint64_t Others = 0;
  for (const auto &[Value, Count] : drop_begin(Result, MostValues - 1))
    Others += Count;
  Result.resize(MostValues - 1);
  Result.emplace_back(0, Others);
  return Result;
}

void ProfiledValues::append(uint64_t Which, std::vector<uint8_t> &To) const {
  const RawRecord Record = RawRecord::at(Records, Which);
  std::vector<uint8_t> Kinds;
  uint32_t NumKinds = 0;
  uint64_t Place = Record.Values;
  for (const auto &[Kind, Number] : enumerate(Record.NumValueSites)) {
    if (!Number)
      continue;
    ++NumKinds;
    appendHalves(Kinds, Kind, Number);
    std::vector<uint8_t> Values;
    for (uint32_t Site = 0; Site != Number; ++Site, Place += 8) {
      const auto Found = Places.find(Place);
      const auto Its = Found == Places.end() ? decltype(mostUsual({}))()
                                             : mostUsual(Found->second);
      Kinds.push_back(Its.size());
      for (const auto &[Value, Count] : Its) {
        appendWord(Values, Value);
        appendWord(Values, Count);
      }
    }
    Kinds.resize(alignTo(Kinds.size(), 8));
    append_range(Kinds, Values);
  }
  if (!NumKinds)
    return;
  appendHalves(To, 8 + Kinds.size(), NumKinds);
  append_range(To, Kinds);
}

} // namespace luthier::pgo
