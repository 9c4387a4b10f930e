// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device in strict mode, which collects violations.
#ifndef LUTHIER_TEST_UNIT_EMULATOR_STRICT_STRICTMACHINE_H
#define LUTHIER_TEST_UNIT_EMULATOR_STRICT_STRICTMACHINE_H

#include "../emulator/Machine.h"
#include "emulator/strict/StrictMode.h"
#include <string>
#include <vector>

namespace luthier::test {

class StrictMachine : public Machine {
protected:
  explicit StrictMachine(const std::string &Checks,
                         const std::string &Processor = "gfx90a",
                         unsigned WaveSize = 64)
      : Machine(watched(this, Checks, Processor), WaveSize) {}

  /// Runs \p Source to its end and collects what it did wrong.
  const std::vector<emulator::strict::Violation> &
  violations(const std::string &Source) {
    Seen.clear();
    load(Source);
    auto Fault = run();
    EXPECT_FALSE(Fault) << Fault->Message;
    return Seen;
  }

  void expectQuiet(const std::string &Source) {
    for (const auto &V : violations(Source))
      ADD_FAILURE() << V.text();
  }

  /// Expects one violation, at the instruction that begins with \p At, and
  /// returns it.
  emulator::strict::Violation expectOne(emulator::strict::Rule What,
                                        const std::string &At,
                                        const std::string &Source) {
    violations(Source);
    if (Seen.size() != 1) {
      ADD_FAILURE() << Seen.size() << " violations";
      for (const auto &V : Seen)
        ADD_FAILURE() << V.text();
      return {};
    }
    const auto &V = Seen.front();
    EXPECT_EQ(V.What, What) << V.text();
    EXPECT_EQ(V.Instruction.substr(0, At.size()), At) << V.text();
    return V;
  }

  std::vector<emulator::strict::Violation> Seen;

private:
  static emulator::ShaderArray::Options watched(StrictMachine *Self,
                                                const std::string &Checks,
                                                const std::string &Processor) {
    std::string Error;
    auto O = emulator::strict::parseOptions(Checks + ",continue", Error);
    EXPECT_TRUE(O) << Error;
    emulator::ShaderArray::Options Opts = on(Processor);
    Opts.Observe = emulator::strict::observer(
        *O, [Self](const auto &V) { Self->Seen.push_back(V); });
    return Opts;
  }
};

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_EMULATOR_STRICT_STRICTMACHINE_H
