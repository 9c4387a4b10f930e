// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decoded instructions by address. Pages are filled one instruction at a time,
// shared by all threads, and replaced when their code changes.
#ifndef LUTHIER_EMULATOR_EXEC_CODECACHE_H
#define LUTHIER_EMULATOR_EXEC_CODECACHE_H

#include "emulator/exec/Decoder.h"
#include "emulator/exec/Inst.h"
#include "emulator/memory/AddressSpace.h"
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace luthier::emulator {

struct Wave;

/// A slot per dword. The slots after the last one end the page: they have a
/// handler that only asks for the next page.
struct CodePage {
  static constexpr unsigned Bytes = 1024, NumSlots = Bytes / 4;
  /// The longest instruction of any target has five dwords.
  static constexpr unsigned NumExits = 5;

  explicit CodePage(uint64_t Base);
  Inst *at(uint64_t PC) { return &Slots[(PC - Base) / 4]; }

  uint64_t Base;
  std::unique_ptr<Inst[]> Slots;
  /// What the slots were copied from, and point into.
  std::vector<std::shared_ptr<const DecodedInst>> Decoded;
};

class CodeCache {
public:
  /// With \p Describe, every Inst gets its Info.
  CodeCache(Decoder &D, AddressSpace &Memory, bool Describe = false)
      : D(D), Memory(Memory), Describe(Describe) {}

  std::shared_ptr<CodePage> page(uint64_t Base);
  /// Fills the slot of \p W's PC, or faults \p W.
  void decode(CodePage &Page, Wave &W);
  void invalidate(uint64_t Begin, uint64_t End);
  /// Grows when pages were dropped.
  uint64_t generation() const {
    return Generation.load(std::memory_order_acquire);
  }
  std::string print(uint64_t PC);

private:
  std::span<const uint8_t> bytesAt(uint64_t PC) const;

  std::mutex Mutex;
  Decoder &D;
  AddressSpace &Memory;
  bool Describe;
  std::unordered_map<uint64_t, std::shared_ptr<CodePage>> Pages;
  std::atomic<uint64_t> Generation{0};
};

/// One thread's window on the cache. Keeps the pages it shows alive.
class CodeView {
public:
  explicit CodeView(CodeCache &Cache) : Cache(Cache) {}

  CodePage &page(uint64_t PC) {
    uint64_t Base = PC & ~uint64_t(CodePage::Bytes - 1);
    auto &Entry = Entries[PC / CodePage::Bytes % NumEntries];
    if (!Entry || Entry->Base != Base) [[unlikely]]
      Entry = Cache.page(Base);
    return *Entry;
  }
  void decode(CodePage &Page, Wave &W) { Cache.decode(Page, W); }
  std::string print(uint64_t PC) const { return Cache.print(PC); }
  /// Between time slices: forgets pages that were invalidated.
  void refresh();

private:
  static constexpr unsigned NumEntries = 256;
  CodeCache &Cache;
  std::array<std::shared_ptr<CodePage>, NumEntries> Entries;
  uint64_t Generation = 0;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_CODECACHE_H
