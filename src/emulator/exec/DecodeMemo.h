// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values by the bytes of an instruction.
#ifndef LUTHIER_EMULATOR_EXEC_DECODEMEMO_H
#define LUTHIER_EMULATOR_EXEC_DECODEMEMO_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace luthier::emulator {

/// No instruction is the beginning of another one, so code whose first dwords
/// are those of a known instruction begins with it. Not thread-safe.
template <class T> class DecodeMemo {
public:
  static constexpr unsigned MaxDwords = 5;
  /// Has room for \p NumSlots values, a power of two; each instruction has one
  /// place, where a later one takes over.
  explicit DecodeMemo(size_t NumSlots) : Slots(NumSlots) {}

  /// What was noted for the instruction that \p Code begins with, or null.
  const T *find(std::span<const uint8_t> Code) const {
    Key K;
    const size_t Dwords = std::min<size_t>(Code.size() / 4, MaxDwords);
    uint64_t Hash = 0;
    while (K.Count != Dwords) {
      K.add(&Code[4 * K.Count], Hash);
      if (!(SizesSeen >> K.Count & 1))
        continue;
      if (const Slot &S = Slots[index(Hash)]; S.Bytes == K)
        return &S.Value;
    }
    return nullptr;
  }

  /// \p Instruction is all of it, and nothing more.
  void note(std::span<const uint8_t> Instruction, T Value) {
    Key K;
    uint64_t Hash = 0;
    while (K.Count != Instruction.size() / 4)
      K.add(&Instruction[4 * K.Count], Hash);
    SizesSeen |= 1u << K.Count;
    Slots[index(Hash)] = {K, std::move(Value)};
  }

private:
  struct Key {
    std::array<uint32_t, MaxDwords> Words{};
    /// None in a slot without value.
    uint32_t Count = 0;
    bool operator==(const Key &) const = default;
    void add(const uint8_t *Word, uint64_t &Hash) {
      std::memcpy(&Words[Count], Word, sizeof(uint32_t));
      Hash = (Hash ^ Words[Count++]) * 0x9e3779b97f4a7c15;
    }
  };
  struct Slot {
    Key Bytes;
    T Value;
  };
  size_t index(uint64_t Hash) const {
    return (Hash >> 32) & (Slots.size() - 1);
  }

  unsigned SizesSeen = 0;
  std::vector<Slot> Slots;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_DECODEMEMO_H
