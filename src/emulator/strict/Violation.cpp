// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/strict/Violation.h"
#include "llvm/ADT/StringExtras.h"

namespace luthier::emulator::strict {

namespace {
struct RuleText {
  const char *Name;
  const char *Text;
};
constexpr RuleText Texts[] = {
#define STRICT_RULE(Enumerator, Name, Text) {Name, Text},
#include "emulator/strict/Rules.def"
};

std::string hex(uint64_t Value) {
  return "0x" + llvm::utohexstr(Value, /*LowerCase=*/true);
}
} // namespace

const char *nameOf(Rule R) { return Texts[unsigned(R)].Name; }

std::string Violation::describe() const {
  const RuleText &Text = Texts[unsigned(What)];
  std::string Line = std::string(Text.Name) + ": " + Text.Text;
  if (!Register.empty())
    Line += " (" + Register + ")";
  if (!Detail.empty())
    Line += ": " + Detail;
  if (OtherPC)
    Line += ", see entry + " + hex(*OtherPC - EntryPC);
  Line += "; workgroup " + std::to_string(Workgroup[0]) + "," +
          std::to_string(Workgroup[1]) + "," + std::to_string(Workgroup[2]) +
          " wave " + std::to_string(Wave);
  if (Lane)
    Line += " lane " + std::to_string(*Lane);
  return Line;
}

std::string Violation::text() const {
  return Kernel + " at " + hex(PC) + " (entry + " + hex(PC - EntryPC) +
         "): " + Instruction + ": " + describe();
}

} // namespace luthier::emulator::strict
