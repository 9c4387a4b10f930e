// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/FilterSettings.h"
#include "codeobject/NamePattern.h"
#include <algorithm>
#include <charconv>

namespace luthier::runtime {
namespace {

template <typename T>
bool readNumber(std::string_view Text, uint64_t Least, T &Number) {
  const char *End = Text.data() + Text.size();
  const auto [Rest, Failure] = std::from_chars(Text.data(), End, Number);
  return Failure == std::errc() && Rest == End && Number >= Least;
}

/// "3", "3-5" or "10-".
bool readRange(std::string_view Text, FilterSettings::Range &Range,
               uint64_t Least = 1) {
  const size_t Dash = Text.find('-');
  if (!readNumber(Text.substr(0, Dash), Least, Range.First))
    return false;
  Range.Last = Range.First;
  if (Dash == std::string_view::npos)
    return true;
  const std::string_view Last = Text.substr(Dash + 1);
  Range.Last = UINT64_MAX;
  return Last.empty() || readNumber(Last, Range.First, Range.Last);
}

bool readRanges(std::string_view Text,
                std::vector<FilterSettings::Range> &Ranges) {
  for (size_t From = 0; From <= Text.size();) {
    const size_t Comma = std::min(Text.find(',', From), Text.size());
    if (!readRange(Text.substr(From, Comma - From), Ranges.emplace_back()))
      return false;
    From = Comma + 1;
  }
  return true;
}

} // namespace

std::string FilterSettings::set(std::string_view Name,
                                const std::string &Value) {
  if (Name == "--kernel") {
    std::string Wrong;
    if (NamePattern::create(Value, Wrong))
      Kernel = Value;
    return Wrong;
  }
  if (Name == "--device") {
    unsigned Number = 0;
    if (!readNumber(Value, 0, Number))
      return "a number from 0 up is needed";
    Device = Number;
    return "";
  }
  if (Name == "--launches") {
    std::vector<Range> Ranges;
    if (!readRanges(Value, Ranges))
      return "numbers from 1 up and ranges of them are needed, such as 3-5,10-";
    Launches = std::move(Ranges);
    return "";
  }
  if (Name == "--every") {
    uint64_t Number = 0;
    if (!readNumber(Value, 1, Number))
      return "a number from 1 up is needed";
    Every = Number;
    return "";
  }
  if (Name == "--workgroups") {
    Range Given;
    if (!readRange(Value, Given, 0) || Given.First > UINT32_MAX)
      return "a number from 0 up or a range is needed, such as 3-5 or 10-";
    Given.Last = std::min<uint64_t>(Given.Last, UINT32_MAX);
    Workgroups = Given;
    return "";
  }
  if (Value.find('/') != std::string::npos)
    return "the name of a program's file is needed, without its folder";
  Process = Value;
  return "";
}

FilterSettings
FilterSettings::read(const std::function<const char *(const char *)> &Variable,
                     const std::function<void(const std::string &)> &Warn) {
  FilterSettings Result;
  for (const FilterOption &Option : FilterOptions) {
    const char *Value = Variable(Option.Variable);
    if (!Value || !*Value)
      continue;
    const std::string Wrong = Result.set(Option.Name, Value);
    if (!Wrong.empty())
      Warn(std::string(Option.Variable) + "=" + Value + ": " + Wrong);
  }
  return Result;
}

} // namespace luthier::runtime
