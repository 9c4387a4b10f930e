// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decoded instructions by address. Pages are filled one instruction at a time,
// shared by all threads, and replaced when their code changes.
#ifndef LUTHIER_EMULATOR_EXEC_CODECACHE_H
#define LUTHIER_EMULATOR_EXEC_CODECACHE_H

#include "emulator/core/CodeView.h"
#include "emulator/exec/Decoder.h"
#include "emulator/memory/AddressSpace.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace luthier::emulator {

class CodeCache final : public CodeSource {
public:
  /// With \p Describe, every Inst gets its Info.
  CodeCache(Decoder &D, AddressSpace &Memory, bool Describe = false)
      : D(D), Memory(Memory), Describe(Describe) {}

  std::shared_ptr<CodePage> page(uint64_t Base) override;
  void decode(CodePage &Page, Wave &W) override;
  void invalidate(uint64_t Begin, uint64_t End);
  uint64_t generation() const override {
    return Generation.load(std::memory_order_acquire);
  }
  std::string print(uint64_t PC) override;
  /// Null where there is no instruction. Has its description.
  std::shared_ptr<const DecodedInst> decoded(uint64_t PC);

private:
  std::span<const uint8_t> bytesAt(uint64_t PC) const;

  std::mutex Mutex;
  Decoder &D;
  AddressSpace &Memory;
  bool Describe;
  std::unordered_map<uint64_t, std::shared_ptr<CodePage>> Pages;
  std::atomic<uint64_t> Generation{0};
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_CODECACHE_H
