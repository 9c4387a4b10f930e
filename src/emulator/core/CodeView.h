// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decoded instructions by address, as the instruction loop sees them.
#ifndef LUTHIER_EMULATOR_CORE_CODEVIEW_H
#define LUTHIER_EMULATOR_CORE_CODEVIEW_H

#include "emulator/core/Inst.h"
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace luthier::emulator {

struct DecodedInst;
struct Wave;

/// Where threads look for the handler of an instruction. Setting it publishes
/// the Inst beside it, so that comes first.
class HandlerSlot {
public:
  Handler load() const { return Fn.load(std::memory_order_acquire); }
  void store(Handler New) { Fn.store(New, std::memory_order_release); }

private:
  std::atomic<Handler> Fn{nullptr};
};

/// A decoded instruction and its handler, which is null until it is decoded.
struct CodeSlot {
  HandlerSlot Fn;
  Inst I;
};

/// A slot per dword. The slots after the last one end the page: they have a
/// handler that only asks for the next page.
struct CodePage {
  static constexpr unsigned Bytes = 1024, NumSlots = Bytes / 4;
  /// The longest instruction of any target has five dwords.
  static constexpr unsigned NumExits = 5;

  explicit CodePage(uint64_t Base);
  CodeSlot *at(uint64_t PC) { return &Slots[(PC - Base) / 4]; }

  uint64_t Base;
  std::unique_ptr<CodeSlot[]> Slots;
  /// What the slots were copied from, and point into.
  std::vector<std::shared_ptr<const DecodedInst>> Decoded;
};

/// Where the pages come from. Thread-safe.
class CodeSource {
public:
  virtual ~CodeSource() = default;
  virtual std::shared_ptr<CodePage> page(uint64_t Base) = 0;
  /// Fills the slot of \p W's PC, or faults \p W.
  virtual void decode(CodePage &Page, Wave &W) = 0;
  /// Grows when pages were dropped.
  virtual uint64_t generation() const = 0;
  /// The instruction as assembly, for messages.
  virtual std::string print(uint64_t PC) = 0;
};

/// One thread's window on a source of code. Keeps the pages it shows alive.
class CodeView {
public:
  explicit CodeView(CodeSource &Source) : Source(Source) {}

  CodePage &page(uint64_t PC) {
    uint64_t Base = PC & ~uint64_t(CodePage::Bytes - 1);
    auto &Entry = Entries[PC / CodePage::Bytes % NumEntries];
    if (!Entry || Entry->Base != Base) [[unlikely]]
      Entry = Source.page(Base);
    return *Entry;
  }
  void decode(CodePage &Page, Wave &W) { Source.decode(Page, W); }
  std::string print(uint64_t PC) const { return Source.print(PC); }
  /// Between time slices: forgets pages that were invalidated.
  void refresh();

private:
  static constexpr unsigned NumEntries = 256;
  CodeSource &Source;
  std::array<std::shared_ptr<CodePage>, NumEntries> Entries;
  uint64_t Generation = 0;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CORE_CODEVIEW_H
