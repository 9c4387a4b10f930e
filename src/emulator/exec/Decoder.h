// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine code to Inst, through LLVM's disassembler. What was decoded once is
// remembered for the whole process: programs reload code, devices are cloned,
// and runtimes have all decoded instructions dropped after each load.
#ifndef LUTHIER_EMULATOR_EXEC_DECODER_H
#define LUTHIER_EMULATOR_EXEC_DECODER_H

#include "emulator/core/CodeView.h"
#include "emulator/core/Target.h"
#include "emulator/exec/InstInfo.h"
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace luthier::emulator {

/// One for each sequence of bytes, but for literals; shared by all places that
/// it stands at.
struct DecodedInst {
  /// Complete but for its handler and its literal.
  Inst I;
  Handler Fn = nullptr;
  /// What I.Info and I.Dual point to.
  std::unique_ptr<const InstInfo> Info;
  std::unique_ptr<const DualInst> Dual;
  /// Of the parts of a VOPD instruction, without registers.
  std::unique_ptr<const InstInfo> PartInfo[2];
  /// The source whose value is the second dword as it stands; none if negative.
  int LiteralSource = -1;
};

/// Thread-safe.
class Decoder {
public:
  /// The process's decoder for \p T and waves of so many lanes, which lives to
  /// the end. Null, with a message, for a processor LLVM does not know.
  static Decoder *get(const Target &T, unsigned WaveSize, std::string &Error);
  ~Decoder();

  enum class Status { Ok, Undecodable, Unsupported };
  struct Result {
    Status What;
    /// Null unless it is Ok.
    std::shared_ptr<const DecodedInst> Inst;
    uint32_t Literal = 0;

    /// Makes \p Slot the instruction; the handler last. What it points to lives
    /// as long as Inst.
    void fill(CodeSlot &Slot) const;
  };
  /// The instruction that \p Code begins with.
  Result decode(std::span<const uint8_t> Code, bool WithInfo = false);
  /// The same from its bytes alone, whatever was decoded before.
  Result decodeAnew(std::span<const uint8_t> Code, bool WithInfo = false);

  /// The instruction as assembly, for messages.
  std::string print(std::span<const uint8_t> Code, uint64_t PC);

  /// True when an operation of this mnemonic has a handler.
  bool knows(const std::string &Mnemonic) const;

private:
  struct State;
  explicit Decoder(std::unique_ptr<State> S);
  std::unique_ptr<State> S;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_DECODER_H
