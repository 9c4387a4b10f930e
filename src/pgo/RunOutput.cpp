// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/RunOutput.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace luthier;
using namespace luthier::pgo;

namespace {

/// Lines with their numbers in the output.
std::vector<std::pair<size_t, StringRef>>
comparedLines(StringRef Text, const OutputFilter &Filter) {
  SmallVector<StringRef> All;
  Text.split(All, '\n');
  std::vector<std::pair<size_t, StringRef>> Lines;
  for (size_t N = 0; N != All.size(); ++N)
    if (none_of(Filter.IgnoredLines,
                [&](const Regex &R) { return R.match(All[N]); }))
      Lines.emplace_back(N + 1, All[N]);
  return Lines;
}

std::string quoted(StringRef Line) {
  constexpr size_t Most = 120;
  std::string Text;
  raw_string_ostream OS(Text);
  printEscapedString(Line.take_front(Most), OS);
  return "'" + Text + (Line.size() > Most ? "...'" : "'");
}

std::string textDifference(StringRef Before, StringRef After,
                           const OutputFilter &Filter) {
  const auto Old = comparedLines(Before, Filter);
  const auto New = comparedLines(After, Filter);
  for (size_t N = 0; N != std::min(Old.size(), New.size()); ++N)
    if (Old[N].second != New[N].second)
      return formatv("line {0} was {1} and is {2}", Old[N].first,
                     quoted(Old[N].second), quoted(New[N].second));
  if (Old.size() != New.size())
    return formatv("{0} lines were printed, and now {1}", Old.size(),
                   New.size());
  return "";
}

bool isFraction(StringRef Word) {
  return Word.contains('.') || Word.contains_insensitive("e-") ||
         Word.contains_insensitive("e+") || Word.contains_insensitive("p-") ||
         Word.contains_insensitive("p+");
}

bool isAlikeButForRounding(StringRef Before, StringRef After) {
  constexpr double Most = 1e-3; // Many roundings may add up.
  double Old, New;
  if (Before == After)
    return true;
  if (!isFraction(Before) || !isFraction(After) || !to_float(Before, Old) ||
      !to_float(After, New))
    return false;
  return std::abs(Old - New) <= Most * std::max(std::abs(Old), std::abs(New));
}

SmallVector<StringRef> wordsOf(StringRef Line) {
  SmallVector<StringRef> Words;
  constexpr StringLiteral Between = " \t\r,;:=()[]{}<>'\"";
  while (!(Line = Line.ltrim(Between)).empty()) {
    Words.push_back(
        Line.take_until([&](char C) { return Between.contains(C); }));
    Line = Line.drop_front(Words.back().size());
  }
  return Words;
}

std::string fileDifference(StringRef Name,
                           const std::optional<std::string> &Before,
                           const std::optional<std::string> &After) {
  if (Before.has_value() != After.has_value())
    return formatv("only the program {0} writes {1}",
                   Before ? "before" : "after", Name);
  if (!Before || *Before == *After)
    return "";
  const auto At = std::mismatch(Before->begin(), Before->end(), After->begin(),
                                After->end());
  return formatv("{0} differs from byte {1} on", Name,
                 At.first - Before->begin());
}

} // namespace

std::string pgo::differenceOf(const RunOutput &Before, const RunOutput &After,
                              const OutputFilter &Filter) {
  if (Before.ExitCode != After.ExitCode)
    return formatv("the exit code was {0} and is {1}", Before.ExitCode,
                   After.ExitCode);
  if (std::string Text = textDifference(Before.Printed, After.Printed, Filter);
      !Text.empty())
    return Text;
  for (const auto &[Name, Contents] : Before.Files)
    if (std::string Text = fileDifference(Name, Contents, After.Files.at(Name));
        !Text.empty())
      return Text;
  return "";
}

bool pgo::differsLikeRounding(const RunOutput &Before, const RunOutput &After,
                              const OutputFilter &Filter) {
  const auto Old = comparedLines(Before.Printed, Filter);
  const auto New = comparedLines(After.Printed, Filter);
  if (Before.ExitCode != After.ExitCode || Old.size() != New.size())
    return false;
  bool Differs = false;
  for (size_t N = 0; N != Old.size(); ++N) {
    Differs |= Old[N].second != New[N].second;
    const auto Are = wordsOf(New[N].second), Were = wordsOf(Old[N].second);
    if (Are.size() != Were.size() ||
        !std::equal(Were.begin(), Were.end(), Are.begin(),
                    isAlikeButForRounding))
      return false;
  }
  return Differs;
}

std::string pgo::unwrittenFile(const RunOutput &Before,
                               const RunOutput &After) {
  for (const auto &[Name, Contents] : Before.Files)
    if (!Contents && !After.Files.at(Name))
      return Name;
  return "";
}
