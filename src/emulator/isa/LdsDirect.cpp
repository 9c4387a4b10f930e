// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/isa/LdsDirect.h"
#include "emulator/core/Wave.h"
#include <cstring>

namespace luthier::emulator {

namespace {

template <class T> uint32_t extended(const uint8_t *From) {
  T Value;
  std::memcpy(&Value, From, sizeof(T));
  return uint32_t(Value);
}

struct Type {
  unsigned Bytes;
  uint32_t (*Read)(const uint8_t *);
};
/// By the number in M0.
constexpr Type Types[8] = {
    {1, extended<uint8_t>},  {2, extended<uint16_t>},
    {4, extended<uint32_t>}, {},
    {1, extended<int8_t>},   {2, extended<int16_t>},
};

} // namespace

uint32_t readLdsDirect(Wave &W, uint32_t M0) {
  const uint32_t Offset = M0 & 0xffff;
  const Type &Is = Types[M0 >> 16 & 7];
  const uint64_t Address = LdsApertureBase + Offset;
  if (!Is.Read)
    W.fault(ExecutionFault::Kind::MemoryViolation,
            "M0 has no type of an LDS-direct access", Address);
  else if (Offset % 4)
    W.fault(ExecutionFault::Kind::Misaligned, "misaligned LDS-direct access",
            Address);
  else if (Offset + Is.Bytes > W.LdsSize)
    W.fault(ExecutionFault::Kind::MemoryViolation,
            "outside the workgroup's LDS", Address);
  else
    return Is.Read(W.Lds + Offset);
  return 0;
}

uint64_t wholeQuads(uint64_t Exec) {
  constexpr uint64_t FirstOfEach = 0x1111111111111111;
  const uint64_t Pairs = Exec | Exec >> 1;
  return ((Pairs | Pairs >> 2) & FirstOfEach) * 0xf;
}

} // namespace luthier::emulator
