// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/CollectOptions.h"
#include "cli/RunPlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;

namespace luthier::cli {
namespace {

/// The value of the one of \p Choices that is called \p Text.
template <typename T>
T choose(StringRef Option, StringRef Text,
         std::initializer_list<std::pair<const char *, T>> Choices) {
  std::string Names;
  for (const auto &[Name, Value] : Choices) {
    if (Text == Name)
      return Value;
    Names += (Names.empty() ? "" : " or ") + std::string(Name);
  }
  throw RunError((Option + " " + Text + ": " + Names + " is expected").str());
}

} // namespace

CollectOptions parseCollectOptions(ArrayRef<std::string> Arguments) {
  CollectOptions Options;
  size_t I = 0;
  std::string Value;
  const auto IsFlag = [&](StringRef Name, bool &Flag) {
    Flag |= Arguments[I] == Name;
    return Arguments[I] == Name;
  };
  const auto TakesValue = [&](StringRef Name, std::string &Value) {
    StringRef Text = Arguments[I];
    if (!Text.consume_front(Name) || (!Text.empty() && Text[0] != '='))
      return false;
    if (Text.empty() && I + 1 == Arguments.size())
      throw RunError(Name.str() + " needs a value");
    Value = Text.empty() ? Arguments[++I] : Text.drop_front().str();
    if (Value.empty())
      throw RunError(Name.str() + " needs a value");
    return true;
  };
  for (; I < Arguments.size() && Arguments[I].starts_with('-'); ++I) {
    const std::string Text = Arguments[I];
    if (Text == "--")
      break;
    if (IsFlag("--help", Options.Help) || IsFlag("-h", Options.Help) ||
        IsFlag("--add", Options.Written.Add) ||
        IsFlag("--accept-partial", Options.Written.AcceptPartial) ||
        IsFlag("--text", Options.Written.IsText) ||
        IsFlag("--calls", Options.FindsCalls) ||
        TakesValue("--exec-counts", Options.ExecCounts) ||
        TakesValue("--code", Options.Code) ||
        TakesValue("--target", Options.Target) ||
        TakesValue("-o", Options.Written.Output) ||
        TakesValue("--keep-raw", Options.RawFolder))
      continue;
    if (TakesValue("--weights", Value)) {
      Options.Samples.By = choose<pgo::Weight>(
          "--weights", Value,
          {{"waves", pgo::Weight::Waves}, {"lanes", pgo::Weight::Lanes}});
    } else if (TakesValue("--route", Value)) {
      Options.Samples.Marks =
          choose<pgo::PlaceKind>("--route", Value,
                                 {{"probes", pgo::PlaceKind::Probes},
                                  {"lines", pgo::PlaceKind::Lines}});
    } else if (TakesValue("--count-by", Value)) {
      Options.ByHooks = choose<bool>("--count-by", Value,
                                     {{"emulator", false}, {"hooks", true}});
    } else {
      if (StringRef(Text).starts_with("--tool"))
        throw RunError("--tool: tools change kernels, and with them what they "
                       "count");
      if (StringRef(Text).starts_with("--counts"))
        throw RunError("--counts: instructions are counted for the profile; "
                       "luthier run --counts writes them");
      Options.Others.push_back(Text);
      // Values that stand apart; luthier run says what is wrong with others.
      if (Text.find('=') == std::string::npos && Text != "--no-cache" &&
          Text != "--strict" && I + 1 < Arguments.size())
        Options.Others.push_back(Arguments[++I]);
    }
  }
  append_range(Options.Others, Arguments.drop_front(I));
  if (Options.ExecCounts.empty() != Options.Code.empty())
    throw RunError("--exec-counts and --code belong together");
  if (Options.ExecCounts.empty() && !Options.Target.empty())
    throw RunError("--target belongs to --exec-counts");
  if (!Options.ExecCounts.empty() && !Options.Others.empty())
    throw RunError("--exec-counts: no program is run");
  return Options;
}

} // namespace luthier::cli
