// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine code to Inst, through LLVM's disassembler.
#ifndef LUTHIER_EMULATOR_EXEC_DECODER_H
#define LUTHIER_EMULATOR_EXEC_DECODER_H

#include "emulator/exec/Inst.h"
#include "emulator/exec/InstInfo.h"
#include "emulator/exec/Target.h"
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace luthier::emulator {

struct Operation;

/// Not thread-safe: the code cache serialises its use.
class Decoder {
public:
  /// Null, with a message, for a processor LLVM does not know. Waves of 64
  /// lanes need another decoder than those of 32.
  static std::unique_ptr<Decoder>
  create(const Target &T, unsigned WaveSize,
         std::span<const std::span<const Operation>> Tables,
         std::string &Error);
  ~Decoder();

  enum class Status { Ok, Undecodable, Unsupported };
  struct Result {
    Status What;
    /// The handler; publish it only when the rest of the Inst is complete.
    Handler Fn = nullptr;
    /// Set when it was asked for; the caller keeps it beside the Inst.
    std::unique_ptr<InstInfo> Info;
    /// Set for instructions with two operations; likewise.
    std::unique_ptr<DualInst> Dual;
  };
  /// Fills all of \p I but its handler and its pointers.
  Result decode(std::span<const uint8_t> Bytes, uint64_t PC, Inst &I,
                bool WithInfo = false);

  /// The instruction as assembly, for messages.
  std::string print(std::span<const uint8_t> Bytes, uint64_t PC);

  /// True when an operation of this mnemonic has a handler.
  bool knows(const std::string &Mnemonic) const;

private:
  struct State;
  explicit Decoder(std::unique_ptr<State> S);
  std::unique_ptr<State> S;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_DECODER_H
