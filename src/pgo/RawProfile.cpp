// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/RawProfile.h"
#include "pgo/RawRecord.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier::pgo {
namespace {

void append(std::vector<uint8_t> &To, ArrayRef<uint8_t> Bytes) {
  To.insert(To.end(), Bytes.begin(), Bytes.end());
  To.resize(alignTo(To.size(), 8));
}

void append(std::vector<uint8_t> &To, uint64_t Word) {
  uint8_t Bytes[8];
  support::endian::write64le(Bytes, Word);
  append(To, Bytes);
}

uint64_t padding(const AddressRange &Range) {
  return offsetToAlignment(Range.Size, Align(8));
}

} // namespace

Expected<std::vector<uint8_t>> makeRawProfile(const CounterSections &Sections,
                                              ReadDevice Read) {
  std::vector<uint8_t> Counters(Sections.Counters.Size);
  if (Error E = Read(Sections.Counters.Begin, Counters))
    return std::move(E);
  std::vector<uint8_t> Bitmaps(Sections.Bitmaps.Size);
  if (!Bitmaps.empty())
    if (Error E = Read(Sections.Bitmaps.Begin, Bitmaps))
      return std::move(E);

  auto Values = ProfiledValues::read(Sections, Read);
  if (!Values)
    return Values.takeError();

  const uint64_t NumRecords = Sections.RecordBytes.size() / sizeof(RawRecord);
  std::vector<uint8_t> Result;
  // The header of version 10, in words.
  for (const uint64_t Word : {
           RawInstrProf::getMagic<uint64_t>(),
           Sections.Version,
           uint64_t(0), // Bytes of build ids.
           NumRecords,
           uint64_t(0), // Padding before the counters.
           Sections.Counters.Size / counterSize(Sections.Version),
           padding(Sections.Counters),
           Sections.Bitmaps.Size,
           padding(Sections.Bitmaps),
           uint64_t(Sections.NameBytes.size()),
           Sections.Counters.Begin - Sections.Records.Begin,
           Bitmaps.empty() ? 0
                           : Sections.Bitmaps.Begin - Sections.Records.Begin,
           uint64_t(0), // Where the names are, which matters to nobody.
           uint64_t(0), // Virtual tables,
           uint64_t(0), // and bytes of their names.
           uint64_t(IPVK_Last),
       })
    append(Result, Word);
  append(Result, Values->recordBytes());
  append(Result, Counters);
  append(Result, Bitmaps);
  append(Result, Sections.NameBytes);
  for (uint64_t I = 0; I != NumRecords; ++I)
    Values->append(I, Result);
  return Result;
}

} // namespace luthier::pgo
