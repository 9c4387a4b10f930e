// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM's instrumentation says of a function: a row of __llvm_prf_data.
#ifndef LUTHIER_PGO_RAWRECORD_H
#define LUTHIER_PGO_RAWRECORD_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ProfileData/InstrProf.h"
#include <cstdint>
#include <cstring>

namespace luthier::pgo {

struct RawRecord {
  uint64_t NameRef;    ///< A hash of the function's name.
  uint64_t FuncHash;   ///< Of its flow graph.
  uint64_t CounterPtr; ///< From this record on.
  uint64_t BitmapPtr;
  uint64_t FunctionPointer;
  uint64_t Values;
  uint32_t NumCounters;
  uint16_t NumValueSites[llvm::IPVK_Last + 1];
  uint32_t NumBitmapBytes;

  static RawRecord at(llvm::ArrayRef<uint8_t> Bytes, uint64_t Number) {
    RawRecord Result;
    std::memcpy(&Result, Bytes.data() + Number * sizeof(Result),
                sizeof(Result));
    return Result;
  }
};
// Of version 10.
static_assert(sizeof(RawRecord) == 64);

/// Bytes of a counter.
inline uint64_t counterSize(uint64_t Version) {
  return Version & VARIANT_MASK_BYTE_COVERAGE ? 1 : 8;
}

} // namespace luthier::pgo

#endif // LUTHIER_PGO_RAWRECORD_H
