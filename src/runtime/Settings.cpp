// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Settings.h"
#include "runtime/FilterSettings.h"
#include "runtime/Log.h"
#include <algorithm>
#include <cstdlib>

using namespace llvm;

namespace luthier::runtime {
namespace {

template <typename T> struct Choice {
  StringLiteral Name;
  T Value;
};

constexpr Choice<RegisterPolicy> Policies[] = {
    {"grow", RegisterPolicy::Grow},
    {"keep-occupancy", RegisterPolicy::KeepOccupancy},
    {"no-grow", RegisterPolicy::NoGrow},
};

constexpr Choice<StateValueArrayForm> Forms[] = {
    {"vgpr", StateValueArrayForm::Vgpr},
    {"agpr", StateValueArrayForm::Agpr},
    {"two-agprs", StateValueArrayForm::TwoAgprs},
    {"agpr-3sgprs", StateValueArrayForm::AgprAnd3Sgprs},
    {"spilled-3sgprs", StateValueArrayForm::SpilledWith3Sgprs},
    {"spilled-1sgpr", StateValueArrayForm::SpilledWith1Sgpr},
};

template <typename T>
std::optional<T> choose(StringRef Variable, StringRef Given,
                        ArrayRef<Choice<T>> Choices,
                        function_ref<void(const Twine &)> Warn) {
  std::string Known;
  for (const Choice<T> &C : Choices) {
    if (C.Name == Given)
      return C.Value;
    Known += (Known.empty() ? "" : ", ") + C.Name.str();
  }
  Warn(Variable + "=" + Given + " means nothing; choose one of: " + Known);
  return std::nullopt;
}

} // namespace

StringRef nameOf(StateValueArrayForm Form) {
  for (const Choice<StateValueArrayForm> &C : Forms)
    if (C.Value == Form)
      return C.Name;
  llvm_unreachable("every form has a name");
}

InstrumenterOptions
parseSettings(function_ref<std::optional<StringRef>(const char *)> Variable,
              function_ref<void(const Twine &)> Warn) {
  InstrumenterOptions Result;
  if (auto Given = Variable("LUTHIER_REGISTERS"))
    Result.Policy =
        choose<RegisterPolicy>("LUTHIER_REGISTERS", *Given, Policies, Warn)
            .value_or(Result.Policy);
  if (auto Given = Variable("LUTHIER_STATE_STORAGE"))
    Result.Storage = choose<StateValueArrayForm>("LUTHIER_STATE_STORAGE",
                                                 *Given, Forms, Warn);
  if (auto Given = Variable("LUTHIER_WORKGROUPS")) {
    // The filters say if it means nothing.
    FilterSettings Filters;
    Filters.set("--workgroups", Given->str());
    if (Filters.Workgroups)
      Result.Workgroups = {uint32_t(Filters.Workgroups->First),
                           uint32_t(Filters.Workgroups->Last)};
  }
  if (auto Given = Variable("LUTHIER_BENCH_SAVE_ALL"))
    Result.SavesAll = *Given == "1";
  return Result;
}

std::chrono::seconds secondsFrom(const char *Variable, unsigned Default) {
  const char *Text = std::getenv(Variable);
  // Years are as good as for ever, and clocks can count them.
  constexpr unsigned long Most = 1'000'000'000;
  return std::chrono::seconds(
      Text ? std::min(std::strtoul(Text, nullptr, 10), Most) : Default);
}

const InstrumenterOptions &settings() {
  static const auto &Parsed = *new InstrumenterOptions(parseSettings(
      [](const char *Name) -> std::optional<StringRef> {
        const char *Value = std::getenv(Name);
        return Value ? std::optional<StringRef>(Value) : std::nullopt;
      },
      [](const Twine &Message) { logWarning(Message); }));
  return Parsed;
}

} // namespace luthier::runtime
