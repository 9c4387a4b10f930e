// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packet layouts as runtimes from ROCm 5.2 to 7.2 write them: those of SDMA 4
// and 5, which later ones have kept but for the fields of a rectangle.
#include "emulator/cp/SdmaQueue.h"

#include "emulator/cp/Clock.h"
#include "emulator/cp/Report.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

namespace luthier::emulator {

namespace {
enum SdmaOpcode : uint32_t {
  Nop = 0,
  Copy = 1,
  Fence = 5,
  Trap = 6,
  PollRegMem = 8,
  Atomic = 10,
  ConstantFill = 11,
  Timestamp = 13,
  CacheControl = 17,
};
enum CopySubOpcode : uint32_t { Linear = 0, Rectangle = 4 };
enum AtomicOperation : uint32_t { Add64 = 47 };
} // namespace

static uint32_t bits(uint32_t Word, unsigned From, unsigned Count) {
  return uint32_t((Word >> From) & ((uint64_t(1) << Count) - 1));
}

uint32_t SdmaQueue::word(unsigned Index) const {
  const uint64_t Offset = (Position + Index * 4) % Memory.RingBytes;
  return *reinterpret_cast<const uint32_t *>(Memory.Ring + Offset);
}

uint64_t SdmaQueue::wide(unsigned Index) const {
  return word(Index) | uint64_t(word(Index + 1)) << 32;
}

bool SdmaQueue::processPacket() {
  if (Failed)
    return false;
  if (Position >= __atomic_load_n(Memory.Doorbell, __ATOMIC_ACQUIRE))
    return false;
  unsigned Words = 0;
  switch (bits(word(0), 0, 8)) {
  case SdmaOpcode::Nop:
    Words = 1 + bits(word(0), 16, 14);
    break;
  case SdmaOpcode::Copy:
    Words = copy();
    break;
  case SdmaOpcode::Fence:
    Words = fence();
    break;
  case SdmaOpcode::Trap:
    Words = trap();
    break;
  case SdmaOpcode::PollRegMem:
    Words = poll();
    break;
  case SdmaOpcode::Atomic:
    Words = atomic();
    break;
  case SdmaOpcode::ConstantFill:
    Words = fill();
    break;
  case SdmaOpcode::Timestamp:
    Words = timestamp();
    break;
  case SdmaOpcode::CacheControl:
    Words = 5; // There are no caches.
    break;
  default:
    Words = unsupported();
    break;
  }
  if (Words == 0)
    return true;
  Position += Words * 4;
  __atomic_store_n(Memory.ReadIndex, Position, __ATOMIC_RELEASE);
  return true;
}

unsigned SdmaQueue::copy() {
  switch (bits(word(0), 8, 8)) {
  case CopySubOpcode::Linear:
    return copyLinear();
  case CopySubOpcode::Rectangle:
    return copyRectangle();
  default:
    return unsupported();
  }
}

unsigned SdmaQueue::copyLinear() {
  const uint64_t Size = uint64_t(bits(word(1), 0, 30)) + 1;
  const void *Source = access(wide(3), Size);
  void *Destination = Source ? access(wide(5), Size) : nullptr;
  if (!Destination)
    return 0;
  std::memmove(Destination, Source, Size);
  return 7;
}

namespace {
/// Where fields of a rectangle begin, and their widths in bits.
struct RectangleLayout {
  unsigned XyBits, ZBits, PitchFrom, PitchBits, SliceBits;
};
constexpr RectangleLayout RectangleOfSdma4 = {14, 11, 13, 19, 28};
constexpr RectangleLayout RectangleOfSdma7 = {16, 14, 16, 16, 32};
} // namespace

unsigned SdmaQueue::copyRectangle() {
  const RectangleLayout &L =
      Device.model().WideRectangles ? RectangleOfSdma7 : RectangleOfSdma4;
  struct Side {
    uint64_t Base;
    uint64_t X, Y, Z;
    uint64_t Pitch, SlicePitch;
  };
  // All lengths but rows and slices count elements.
  const unsigned ElementShift = bits(word(0), 29, 3);
  auto ReadSide = [&](unsigned First) {
    return Side{wide(First),
                uint64_t(bits(word(First + 2), 0, L.XyBits)) << ElementShift,
                bits(word(First + 2), 16, L.XyBits),
                bits(word(First + 3), 0, L.ZBits),
                (uint64_t(bits(word(First + 3), L.PitchFrom, L.PitchBits)) + 1)
                    << ElementShift,
                (uint64_t(bits(word(First + 4), 0, L.SliceBits)) + 1)
                    << ElementShift};
  };
  const Side Source = ReadSide(1), Destination = ReadSide(6);
  const uint64_t RowBytes = (uint64_t(bits(word(11), 0, L.XyBits)) + 1)
                            << ElementShift;
  const uint64_t Rows = bits(word(11), 16, L.XyBits) + 1;
  const uint64_t Slices = bits(word(12), 0, L.ZBits) + 1;
  auto RowAt = [](const Side &S, uint64_t Row, uint64_t Slice) {
    return S.Base + S.X + (S.Y + Row) * S.Pitch + (S.Z + Slice) * S.SlicePitch;
  };
  for (uint64_t Slice = 0; Slice < Slices; ++Slice)
    for (uint64_t Row = 0; Row < Rows; ++Row) {
      const void *From = access(RowAt(Source, Row, Slice), RowBytes);
      void *To =
          From ? access(RowAt(Destination, Row, Slice), RowBytes) : nullptr;
      if (!To)
        return 0;
      std::memmove(To, From, RowBytes);
    }
  return 13;
}

unsigned SdmaQueue::fill() {
  const uint32_t Value = word(3);
  const unsigned ElementBytes = 1u << bits(word(0), 30, 2);
  // The field holds the bytes less one, or less one element.
  const uint64_t Size =
      (bits(word(4), 0, 30) / ElementBytes + 1) * uint64_t(ElementBytes);
  auto *To = static_cast<char *>(access(wide(1), Size));
  if (!To)
    return 0;
  for (uint64_t Offset = 0; Offset < Size; Offset += ElementBytes)
    std::memcpy(To + Offset, &Value, ElementBytes);
  return 5;
}

unsigned SdmaQueue::fence() {
  auto *To = static_cast<uint32_t *>(access(wide(1), 4));
  if (!To)
    return 0;
  __atomic_store_n(To, word(3), __ATOMIC_RELEASE);
  return 4;
}

unsigned SdmaQueue::poll() {
  const bool PollsMemory = bits(word(0), 31, 1);
  // Otherwise it polls a register, which is how ROCr flushes HDP; and that
  // takes no time here.
  if (!PollsMemory)
    return 6;
  const auto *Location = static_cast<const uint32_t *>(access(wide(1), 4));
  if (!Location)
    return 0;
  const uint32_t Reference = word(3), Mask = word(4);
  const uint32_t Function = bits(word(0), 28, 3);
  const bool Met = waitUntil([&] {
    const uint32_t Value = __atomic_load_n(Location, __ATOMIC_ACQUIRE) & Mask;
    switch (Function) {
    case 0:
      return true;
    case 1:
      return Value < Reference;
    case 2:
      return Value <= Reference;
    case 3:
      return Value == Reference;
    case 4:
      return Value != Reference;
    case 5:
      return Value >= Reference;
    default:
      return Value > Reference;
    }
  });
  return Met ? 6 : 0;
}

unsigned SdmaQueue::atomic() {
  if (bits(word(0), 25, 7) != AtomicOperation::Add64)
    return unsupported();
  auto *Location = static_cast<uint64_t *>(access(wide(1), 8));
  if (!Location)
    return 0;
  __atomic_fetch_add(Location, wide(3), __ATOMIC_SEQ_CST);
  return 8;
}

unsigned SdmaQueue::timestamp() {
  auto *To = static_cast<uint64_t *>(access(wide(1), 8));
  if (!To)
    return 0;
  __atomic_store_n(To, deviceTicks(), __ATOMIC_RELEASE);
  return 3;
}

unsigned SdmaQueue::trap() {
  Device.host().raiseEvent(bits(word(1), 0, 28));
  return 2;
}

void *SdmaQueue::access(uint64_t Address, uint64_t Size) {
  if (void *Host = Device.memory().pointer(Address, Size))
    return Host;
  reportError("SDMA packet with opcode " + std::to_string(bits(word(0), 0, 8)) +
              " accesses unmapped memory at 0x" +
              llvm::utohexstr(Address, /*LowerCase=*/true) + ", " +
              std::to_string(Size) + " bytes");
  Failed = true;
  Device.host().prepareForEnd();
  Device.host().reportMemoryFault(Address);
  return nullptr;
}

unsigned SdmaQueue::unsupported() {
  const uint64_t Place = Memory.Ring + Position % Memory.RingBytes;
  // Runtimes know no other way that such a queue fails.
  reportError(
      "SDMA packet with opcode " + std::to_string(bits(word(0), 0, 8)) + "." +
      std::to_string(bits(word(0), 8, 8)) +
      " is not emulated; the runtime will call it a memory fault at 0x" +
      llvm::utohexstr(Place, /*LowerCase=*/true));
  Failed = true;
  Device.host().prepareForEnd();
  Device.host().reportMemoryFault(Place);
  return 0;
}

} // namespace luthier::emulator
