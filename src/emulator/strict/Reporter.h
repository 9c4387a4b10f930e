// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes violations of what the checks find.
#ifndef LUTHIER_EMULATOR_STRICT_REPORTER_H
#define LUTHIER_EMULATOR_STRICT_REPORTER_H

#include "emulator/core/Wave.h"
#include "emulator/exec/InstInfo.h"
#include "emulator/strict/Violation.h"
#include <deque>
#include <set>

namespace luthier::emulator {
struct Dispatch;
}

namespace luthier::emulator::strict {

/// As assembly spells them, such as "s[4:5]" or "vcc".
std::string nameOf(RegisterFile File, unsigned First, unsigned Count = 1);

class Reporter {
public:
  Reporter(const Dispatch &D, ViolationSink Sink, bool Continue)
      : D(D), Sink(std::move(Sink)), Continue(Continue) {}

  struct Finding {
    Rule What;
    std::string Register = {};
    std::optional<unsigned> Lane = {};
    std::string Detail = {};
    std::optional<uint64_t> OtherPC = {};
  };
  /// \p W is about to execute \p I, its PC past it. Faults \p W unless checks
  /// are to continue.
  void report(Wave &W, const Inst &I, Finding F);

private:
  const Dispatch &D;
  ViolationSink Sink;
  bool Continue;
  std::set<std::pair<Rule, uint64_t>> Reported;
  /// Text of faults, which is looked at when the dispatch has ended.
  std::deque<std::string> Texts;
};

} // namespace luthier::emulator::strict

#endif // LUTHIER_EMULATOR_STRICT_REPORTER_H
