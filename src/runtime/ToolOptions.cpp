// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ToolOptions.h"
#include "runtime/ToolLibrary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier {

using detail::OptionBase;

OptionBase::OptionBase(const char *Name, const char *Help)
    : Name(Name), Help(Help) {
  runtime::toolOptions().add(*this);
}

OptionBase::~OptionBase() { runtime::toolOptions().remove(*this); }

Error OptionBase::set(StringRef Text) {
  if (!parse(Text))
    return createStringError(
        "option " + name() + "=" + Text + " is not " +
        (StringRef(kind()).contains('|') ? "one of " : "a ") + kind());
  Given = true;
  return Error::success();
}

bool detail::parseOption(StringRef Text, bool &Value) {
  const bool IsYes = Text == "yes" || Text == "true" || Text == "1";
  if (!IsYes && Text != "no" && Text != "false" && Text != "0")
    return false;
  Value = IsYes;
  return true;
}

bool detail::parseOption(StringRef Text, double &Value) {
  return !Text.getAsDouble(Value);
}

bool detail::parseOption(StringRef Text, int64_t &Value) {
  return !Text.getAsInteger(0, Value);
}

bool detail::parseOption(StringRef Text, uint64_t &Value) {
  return !Text.getAsInteger(0, Value);
}

std::string detail::optionText(double Value) {
  std::string Text;
  raw_string_ostream(Text) << format("%g", Value);
  return Text;
}

namespace runtime {
namespace {

struct Assignment {
  std::string Key, Value;
  bool HasValue = false;
};

/// "a=1,b,c=x\,y" has three.
SmallVector<Assignment, 4> split(StringRef Text) {
  SmallVector<Assignment, 4> Result(1);
  for (size_t I = 0; I < Text.size(); ++I) {
    Assignment &A = Result.back();
    char C = Text[I];
    if (C == ',') {
      Result.emplace_back();
      continue;
    }
    if (C == '=' && !A.HasValue) {
      A.HasValue = true;
      continue;
    }
    if (C == '\\' && I + 1 < Text.size())
      C = Text[++I];
    (A.HasValue ? A.Value : A.Key) += C;
  }
  return Result;
}

std::string keysOf(ArrayRef<OptionBase *> Options) {
  return join(
      map_range(Options, [](const OptionBase *O) { return O->name().str(); }),
      ", ");
}

} // namespace

ToolOptions &toolOptions() {
  static auto *Options = new ToolOptions;
  return *Options;
}

void ToolOptions::add(OptionBase &Option) {
  std::lock_guard Guard(Lock);
  All.push_back(&Option);
}

void ToolOptions::remove(OptionBase &Option) {
  std::lock_guard Guard(Lock);
  erase(All, &Option);
}

ToolOptions::Options ToolOptions::optionsOf(uintptr_t Base) {
  std::lock_guard Guard(Lock);
  Options Result;
  for (OptionBase *Option : All)
    if (libraryOf(Option).Base == Base)
      Result.push_back(Option);
  return Result;
}

Error ToolOptions::set(uintptr_t Base, StringRef Text, StringRef Tool) {
  const Options Known = optionsOf(Base);
  StringSet<> Given;
  for (const Assignment &A : split(Text)) {
    if (!Given.insert(A.Key).second)
      return createStringError(Tool + ": option " + A.Key +
                               " has two values, and one is meant");
    auto Found =
        find_if(Known, [&](OptionBase *O) { return O->name() == A.Key; });
    if (Found == Known.end())
      return createStringError(
          Tool + " has no option '" + A.Key + "'" +
          (Known.empty() ? " nor any other" : "; it has: " + keysOf(Known)));
    if (Error E = (*Found)->set(A.HasValue ? StringRef(A.Value) : "yes"))
      return createStringError(Tool + ": " + toString(std::move(E)));
  }
  return Error::success();
}

std::string ToolOptions::list(uintptr_t Base) {
  std::string Text;
  raw_string_ostream OS(Text);
  for (const OptionBase *O : optionsOf(Base))
    OS << formatv("  {0,-24} {1}{2}\n", (O->name() + "=" + O->kind()).str(),
                  O->help(), O->text().empty() ? "" : " (" + O->text() + ")");
  return Text;
}

} // namespace runtime
} // namespace luthier
