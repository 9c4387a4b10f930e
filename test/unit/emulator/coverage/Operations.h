// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operation a processor has, from LLVM's own tables.
#ifndef LUTHIER_TEST_UNIT_EMULATOR_COVERAGE_OPERATIONS_H
#define LUTHIER_TEST_UNIT_EMULATOR_COVERAGE_OPERATIONS_H

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace luthier::test {

/// "v_add_f32_e64" and its siblings are one operation.
std::string withoutEncoding(std::string Mnemonic);

/// LLVM's view of one processor.
class OpcodeList {
public:
  OpcodeList(const std::string &Name, unsigned WaveSize);
  ~OpcodeList();

  /// Mnemonics, without encoding suffix, of all opcodes that are available and
  /// whose encoding decodes to the same mnemonic again. The tables also have
  /// aliases, and encodings of other generations, for which it does not.
  std::set<std::string> operations() const;

  /// An instruction for each of their opcodes, with its operation.
  struct Sample {
    std::string Operation;
    std::vector<uint8_t> Code;
  };
  std::vector<Sample> samples() const;

  /// The operation that \p Code begins with; empty when it does not decode.
  std::string decode(std::span<const uint8_t> Code) const;

private:
  struct State;
  std::unique_ptr<State> S;
};

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_EMULATOR_COVERAGE_OPERATIONS_H
