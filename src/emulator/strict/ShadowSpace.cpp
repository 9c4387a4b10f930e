// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/strict/ShadowSpace.h"
#include "emulator/exec/Dispatch.h"
#include <algorithm>
#include <cstring>
#include <iterator>
#include <mutex>
#include <sys/mman.h>

namespace luthier::emulator::strict {

/// Null when the host has no address space left.
static uint8_t *reserve(uint64_t Size) {
  void *Memory = mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return Memory == MAP_FAILED ? nullptr : static_cast<uint8_t *>(Memory);
}

namespace {

/// The memory of spaces that are gone, as they left it, for the next ones: for
/// a short dispatch new pages cost more than all else.
class UsedMemory {
public:
  static UsedMemory &get() {
    static auto &Only = *new UsedMemory;
    return Only;
  }

  struct Piece {
    uint8_t *Memory = nullptr;
    uint64_t Size = 0;
    /// At most so much of it takes up memory.
    uint64_t Filled = 0;
  };

  /// Nothing if there is none of that size.
  Piece take(uint64_t Size) {
    std::lock_guard Lock(Mutex);
    auto Found = std::ranges::find(Kept, Size, &Piece::Size);
    if (Found == Kept.end())
      return {};
    const Piece Taken = *Found;
    Kept.erase(Found);
    return Taken;
  }

  /// Frees the oldest piece instead if enough are kept, or this one if others
  /// have more use for what it takes up.
  void give(const Piece &P) {
    constexpr size_t MostKept = 8;
    constexpr uint64_t MostFilled = 64 << 20;
    std::lock_guard Lock(Mutex);
    if (P.Filled > MostFilled) {
      munmap(P.Memory, P.Size);
      return;
    }
    if (Kept.size() == MostKept) {
      munmap(Kept.front().Memory, Kept.front().Size);
      Kept.erase(Kept.begin());
    }
    Kept.push_back(P);
  }

private:
  std::mutex Mutex;
  std::vector<Piece> Kept;
};

} // namespace

ShadowSpace::ShadowSpace(const AddressSpace &Real, const Dispatch &D,
                         uint8_t NewScratch)
    : Real(Real), NewScratch(NewScratch), ScratchBegin(D.ScratchBase),
      ScratchSize(D.ScratchBytesPerWave * D.ScratchWaves),
      BytesPerWave(D.ScratchBytesPerWave),
      PiecesPerWave((BytesPerWave + PieceBytes - 1) / PieceBytes),
      Ready(PiecesPerWave * D.ScratchWaves) {
  if (!ScratchSize)
    return;
  const UsedMemory::Piece Used = UsedMemory::get().take(ScratchSize);
  PiecesFilled = Used.Filled / PieceBytes;
  Scratch = Used.Memory ? Used.Memory : reserve(ScratchSize);
}

ShadowSpace::~ShadowSpace() {
  if (Scratch)
    UsedMemory::get().give({Scratch, ScratchSize, PiecesFilled * PieceBytes});
  for (auto &[Begin, T] : Twins)
    munmap(T.Memory, T.End - Begin);
}

void ShadowSpace::startScratch(unsigned Slot) {
  if (Slot * PiecesPerWave < Ready.size())
    std::fill_n(Ready.begin() + ptrdiff_t(Slot * PiecesPerWave), PiecesPerWave,
                false);
}

std::optional<AddressSpace::Range>
ShadowSpace::findScratch(uint64_t Address) const {
  if (!Scratch)
    return std::nullopt;
  const uint64_t Slot = (Address - ScratchBegin) / BytesPerWave;
  const uint64_t Begin = Slot * BytesPerWave;
  const uint64_t FirstPiece = Slot * PiecesPerWave;
  // The next one too, so that no access reaches beyond what is ready; and what
  // is ready around them, to be asked seldom.
  uint64_t Low = (Address - ScratchBegin - Begin) / PieceBytes;
  uint64_t High = std::min(PiecesPerWave, Low + 2);
  for (uint64_t N = Low; N != High; ++N) {
    if (Ready[FirstPiece + N])
      continue;
    std::memset(Scratch + Begin + N * PieceBytes, NewScratch,
                std::min(PieceBytes, BytesPerWave - N * PieceBytes));
    Ready[FirstPiece + N] = true;
    ++PiecesFilled;
  }
  while (Low != 0 && Ready[FirstPiece + Low - 1])
    --Low;
  while (High != PiecesPerWave && Ready[FirstPiece + High])
    ++High;
  const uint64_t End = std::min(BytesPerWave, High * PieceBytes);
  return Range{ScratchBegin + Begin + Low * PieceBytes,
               ScratchBegin + Begin + End,
               reinterpret_cast<uint64_t>(Scratch) - ScratchBegin};
}

std::optional<AddressSpace::Range> ShadowSpace::find(uint64_t Address) const {
  if (isScratch(Address))
    return findScratch(Address);
  auto It = Twins.upper_bound(Address);
  if (It != Twins.begin() && std::prev(It)->second.End > Address) {
    --It;
  } else {
    auto Mapped = Real.find(Address);
    if (!Mapped)
      return std::nullopt;
    // Mappings may have grown since, over parts that have a twin already.
    uint64_t End = Mapped->End, Begin = Mapped->Begin;
    if (It != Twins.end())
      End = std::min(End, It->first);
    if (It != Twins.begin())
      Begin = std::max(Begin, std::prev(It)->second.End);
    uint8_t *Memory = reserve(End - Begin);
    if (!Memory)
      return std::nullopt;
    It = Twins.try_emplace(Begin, Twin{End, Memory}).first;
  }
  return Range{It->first, It->second.End,
               reinterpret_cast<uint64_t>(It->second.Memory) - It->first};
}

} // namespace luthier::emulator::strict
