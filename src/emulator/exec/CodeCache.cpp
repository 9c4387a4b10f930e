// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/CodeCache.h"
#include "emulator/core/Wave.h"
#include <algorithm>

namespace luthier::emulator {

std::shared_ptr<CodePage> CodeCache::page(uint64_t Base) {
  std::lock_guard Lock(Mutex);
  auto &Page = Pages[Base];
  if (!Page)
    Page = std::make_shared<CodePage>(Base);
  return Page;
}

std::span<const uint8_t> CodeCache::bytesAt(uint64_t PC) const {
  constexpr uint64_t LongestInstruction = 4 * CodePage::NumExits;
  auto Range = Memory.find(PC);
  if (!Range)
    return {};
  return {reinterpret_cast<const uint8_t *>(PC + Range->ToHost),
          size_t(std::min(Range->End - PC, LongestInstruction))};
}

void CodeCache::decode(CodePage &Page, Wave &W) {
  using Kind = ExecutionFault::Kind;
  std::lock_guard Lock(Mutex);
  CodeSlot &Slot = *Page.at(W.PC);
  // Another thread may have been faster.
  if (Slot.Fn.load())
    return;
  auto Bytes = bytesAt(W.PC);
  if (Bytes.size() < 4)
    return W.fault(Kind::MemoryViolation, "instruction fetch", W.PC);
  Decoder::Result Result = D.decode(Bytes, Describe);
  switch (Result.What) {
  case Decoder::Status::Ok:
    Result.fill(Slot);
    Page.Decoded.push_back(std::move(Result.Inst));
    return;
  case Decoder::Status::Undecodable:
    return W.fault(Kind::IllegalInstruction, "does not decode");
  case Decoder::Status::Unsupported:
    return W.fault(Kind::UnknownOperation, "operation is not emulated");
  }
}

void CodeCache::invalidate(uint64_t Begin, uint64_t End) {
  std::lock_guard Lock(Mutex);
  std::erase_if(Pages, [&](const auto &Entry) {
    return Entry.first < End && Entry.first + CodePage::Bytes > Begin;
  });
  Generation.fetch_add(1, std::memory_order_release);
}

std::shared_ptr<const DecodedInst> CodeCache::decoded(uint64_t PC) {
  std::lock_guard Lock(Mutex);
  auto Bytes = bytesAt(PC);
  return Bytes.size() < 4 ? nullptr : D.decode(Bytes, /*WithInfo=*/true).Inst;
}

std::string CodeCache::print(uint64_t PC) {
  std::lock_guard Lock(Mutex);
  auto Bytes = bytesAt(PC);
  return Bytes.size() < 4 ? "(unmapped)" : D.print(Bytes, PC);
}

} // namespace luthier::emulator
