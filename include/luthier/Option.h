// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of a tool, which users set on the command line as
// `--tool NAME:key=value,key=value`:
//
//   static luthier::Option<unsigned> Depth("depth", 4, "levels to follow");
//
// An option is a variable at namespace scope in the tool's library. It has its
// default until Luthier has loaded the library, and its value from then on:
// from the tool's constructor to its onExit(). `--tool NAME:help` lists all of
// them. Keys that a tool does not have and values that do not parse are refused
// before the program starts.
#ifndef LUTHIER_OPTION_H
#define LUTHIER_OPTION_H

#include "luthier/Export.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace luthier {

namespace detail {

/// What Luthier knows of an option of any type.
class LUTHIER_API OptionBase {
public:
  OptionBase(const OptionBase &) = delete;
  OptionBase &operator=(const OptionBase &) = delete;

  llvm::StringRef name() const { return Name; }
  llvm::StringRef help() const { return Help; }
  /// Whether the user has set it.
  bool isGiven() const { return Given; }

  /// Takes a value as it is written. Fails, and changes nothing, if it is none.
  llvm::Error set(llvm::StringRef Text);
  /// Such as "number"; the default as it would be written.
  virtual std::string kind() const = 0;
  virtual std::string text() const = 0;

protected:
  OptionBase(const char *Name, const char *Help);
  virtual ~OptionBase();
  virtual bool parse(llvm::StringRef Text) = 0;

private:
  const char *Name, *Help;
  bool Given = false;
};

LUTHIER_API bool parseOption(llvm::StringRef Text, bool &Value);
LUTHIER_API bool parseOption(llvm::StringRef Text, double &Value);
LUTHIER_API bool parseOption(llvm::StringRef Text, int64_t &Value);
LUTHIER_API bool parseOption(llvm::StringRef Text, uint64_t &Value);
LUTHIER_API std::string optionText(double Value);

} // namespace detail

/// \p T is bool, an integer, double or std::string. A bool is yes, no, true,
/// false, 1 or 0; its key alone means yes. Numbers may be hexadecimal.
template <typename T> class Option final : public detail::OptionBase {
  static constexpr bool IsText = std::is_same_v<T, std::string>,
                        IsBool = std::is_same_v<T, bool>,
                        IsReal = std::is_same_v<T, double>;
  static_assert(IsText || IsReal || std::is_integral_v<T>);

public:
  /// \p Choices are the values that a text may have; none for any.
  Option(const char *Name, T Default, const char *Help,
         std::vector<std::string> Choices = {})
      : OptionBase(Name, Help), Value(std::move(Default)),
        Choices(std::move(Choices)) {}

  const T &operator*() const { return Value; }
  const T *operator->() const { return &Value; }

  std::string kind() const override {
    std::string Listed;
    for (const std::string &Choice : Choices)
      Listed += (Listed.empty() ? "" : "|") + Choice;
    return !Listed.empty() ? Listed
           : IsText        ? "text"
           : IsBool        ? "yes|no"
           : IsReal        ? "number"
                           : wholeNumber();
  }
  std::string text() const override {
    if constexpr (IsText)
      return Value;
    else if constexpr (IsBool)
      return Value ? "yes" : "no";
    else if constexpr (IsReal)
      return detail::optionText(Value);
    else
      return std::to_string(Value);
  }

private:
  /// With the numbers that it may have, where people can read them.
  static std::string wholeNumber() {
    using Limits = std::numeric_limits<T>;
    if constexpr (IsText || IsBool || IsReal)
      return {};
    else if constexpr (sizeof(T) < 8)
      return "whole number from " + std::to_string(Limits::min()) + " to " +
             std::to_string(Limits::max());
    else
      return std::is_signed_v<T> ? "whole number" : "whole number from 0 on";
  }

  bool parse(llvm::StringRef Text) override {
    if constexpr (IsText) {
      bool IsChoice = Choices.empty();
      for (const std::string &Choice : Choices)
        IsChoice |= Text == Choice;
      if (IsChoice)
        Value = Text.str();
      return IsChoice;
    } else if constexpr (IsBool || IsReal) {
      return detail::parseOption(Text, Value);
    } else {
      std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t> Wide = 0;
      if (!detail::parseOption(Text, Wide) ||
          Wide < std::numeric_limits<T>::min() ||
          Wide > std::numeric_limits<T>::max())
        return false;
      Value = T(Wide);
      return true;
    }
  }

  T Value;
  const std::vector<std::string> Choices;
};

} // namespace luthier

#endif // LUTHIER_OPTION_H
