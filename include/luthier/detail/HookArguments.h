// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of a hook whose parameters are known, checked by the compiler.
#ifndef LUTHIER_DETAIL_HOOKARGUMENTS_H
#define LUTHIER_DETAIL_HOOKARGUMENTS_H

#include "luthier/HookArgument.h"
#include "luthier/HookHandle.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace luthier::detail {

/// Several arguments in one object, made when the tool runs.
template <typename T>
concept ArgumentList =
    std::convertible_to<const T &, llvm::ArrayRef<HookArgument>> &&
    !std::convertible_to<const T &, HookArgument>;

/// What has its value where the hook runs, and its type there.
template <typename T>
concept FoundLater =
    std::derived_from<T, HookArgument> || std::same_as<T, llvm::MCRegister> ||
    std::convertible_to<T, const llvm::Constant *>;

template <typename T>
concept FloatingPoint = std::floating_point<T> || std::same_as<T, _Float16>;

template <typename T>
concept Structure = std::is_class_v<T> || std::is_union_v<T>;

/// Its address would be taken for a number.
template <typename T>
concept IsText = std::is_array_v<T> &&
                 std::same_as<std::remove_cv_t<std::remove_extent_t<T>>, char>;

/// What is wrong with an argument, or with all of them. Each is a deleted
/// constructor below, so that the compiler says it at the tool's line.
enum class Mistake {
  None,
  NoAddress,
  OtherValue,
  NoPointer,
  OtherPointer,
  NoInteger,
  NoFloat,
  OtherStructure,
  TooFew,
  TooMany,
  ArrayOfArguments,
  HostFunction,
};

/// Of an argument of type \p A for a parameter of type \p P.
template <typename P, typename A> consteval Mistake mistakeOf() {
  using Argument = std::decay_t<A>;
  auto unless = [](bool IsRight, Mistake Otherwise) {
    return IsRight ? Mistake::None : Otherwise;
  };
  if constexpr (std::is_pointer_v<Argument> &&
                std::is_function_v<std::remove_pointer_t<Argument>>)
    return Mistake::HostFunction;
  else if constexpr (std::is_reference_v<P>)
    return unless(std::convertible_to<Argument, std::remove_reference_t<P> *> ||
                      FoundLater<Argument>,
                  Mistake::NoAddress);
  else if constexpr (std::derived_from<Argument, HookArgument> &&
                     requires { typename Argument::ValueType; })
    return unless(std::same_as<typename Argument::ValueType, P>,
                  Mistake::OtherValue);
  else if constexpr (std::same_as<Argument, std::nullptr_t>)
    return unless(std::is_pointer_v<P>, Mistake::NoPointer);
  else if constexpr (FoundLater<Argument>)
    return Mistake::None;
  else if constexpr (std::is_pointer_v<P>)
    return unless(std::integral<Argument> || std::convertible_to<Argument, P>,
                  Mistake::OtherPointer);
  else if constexpr ((std::integral<P> || std::is_enum_v<P>) && sizeof(P) <= 8)
    return unless(!IsText<A> &&
                      (std::integral<Argument> || std::is_enum_v<Argument> ||
                       (std::is_pointer_v<Argument> && sizeof(P) == 8)),
                  Mistake::NoInteger);
  else if constexpr (FloatingPoint<P>)
    return unless(FloatingPoint<Argument>, Mistake::NoFloat);
  else
    return unless(std::same_as<Argument, P>, Mistake::OtherStructure);
}

/// \p Given for a parameter of type \p P, for which it is none.
template <typename P, typename A> HookArgument argumentFor(const A &Given) {
  using Argument = std::decay_t<A>;
  if constexpr (std::is_reference_v<P> || FoundLater<Argument> ||
                std::same_as<Argument, std::nullptr_t> || std::is_pointer_v<P>)
    return Given;
  else if constexpr (std::is_enum_v<Argument>)
    return static_cast<std::underlying_type_t<Argument>>(Given);
  else if constexpr (FloatingPoint<P>)
    return static_cast<double>(Given);
  else if constexpr ((std::integral<P> || std::is_enum_v<P>) && sizeof(P) <= 8)
    return Given;
  else
    return HookArgument::value(Given);
}

/// Would be taken for the address of something on the host.
template <typename T>
inline constexpr bool IsArrayOfArguments =
    std::is_pointer_v<std::decay_t<T>> &&
    IsArgument<std::remove_cv_t<std::remove_pointer_t<std::decay_t<T>>>>;

// Deleting with a reason is of C++26; clang knows it in all versions.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc++26-extensions"

template <typename... Parameters> class HookArguments {
  static constexpr size_t NumParameters = sizeof...(Parameters);
  /// Those may be given member by member.
  static constexpr bool HasStructures = (Structure<Parameters> || ...);

  /// The first one in \p As.
  template <typename... As> static consteval Mistake mistakeIn() {
    if constexpr ((... || IsArrayOfArguments<As>)) {
      return Mistake::ArrayOfArguments;
    } else if constexpr (sizeof...(As) == 1 && (... && ArgumentList<As>)) {
      return Mistake::None;
    } else if constexpr (sizeof...(As) == NumParameters) {
      Mistake First = Mistake::None;
      ((First = First == Mistake::None ? mistakeOf<Parameters, As>() : First),
       ...);
      return First;
    } else if constexpr (sizeof...(As) < NumParameters) {
      return Mistake::TooFew;
    } else {
      return HasStructures ? Mistake::None : Mistake::TooMany;
    }
  }
  template <Mistake Which, typename... As>
  static constexpr bool Is =
      (!(... && std::same_as<As, HookArguments>) || sizeof...(As) != 1) &&
      mistakeIn<As...>() == Which;

public:
  template <typename... As>
    requires(Is<Mistake::None, As...>)
  HookArguments(const As &...Given) {
    if constexpr (sizeof...(As) == 1 && (... && ArgumentList<As>))
      (append(Given), ...);
    else if constexpr (sizeof...(As) == NumParameters)
      (List.push_back(argumentFor<Parameters>(Given)), ...);
    else
      (List.push_back(HookArgument(Given)), ...);
  }

#define LUTHIER_DETAIL_MISTAKE(Which, Text)                                    \
  template <typename... As>                                                    \
    requires(Is<Mistake::Which, As...>)                                        \
  HookArguments(const As &...) = delete (Text);
  LUTHIER_DETAIL_MISTAKE(TooFew, "the hook has more parameters than are given "
                                 "arguments: write one for each in the braces")
  LUTHIER_DETAIL_MISTAKE(TooMany,
                         "the hook has fewer parameters than are given "
                         "arguments: add a parameter to the hook, or write "
                         "fewer in the braces")
  LUTHIER_DETAIL_MISTAKE(NoAddress,
                         "the hook's parameter is a reference: give it the "
                         "address, &Variable")
  LUTHIER_DETAIL_MISTAKE(OtherValue,
                         "the hook's parameter has another type than this "
                         "value: make them the same")
  LUTHIER_DETAIL_MISTAKE(NoPointer,
                         "the hook's parameter is no pointer: write 0 instead "
                         "of nullptr")
  LUTHIER_DETAIL_MISTAKE(OtherPointer,
                         "the hook's parameter is a pointer to something else: "
                         "give it the address of a variable of its type")
  LUTHIER_DETAIL_MISTAKE(NoInteger,
                         "the hook's parameter is an integer, its argument is "
                         "not: give a number, a register or a HookArgument, or "
                         "change the parameter's type")
  LUTHIER_DETAIL_MISTAKE(NoFloat,
                         "the hook's parameter is a floating-point number, its "
                         "argument is not: write 1.0 for 1")
  LUTHIER_DETAIL_MISTAKE(OtherStructure,
                         "the hook's parameter is a structure or vector of "
                         "another type: give it an object of its own type")
  LUTHIER_DETAIL_MISTAKE(ArrayOfArguments,
                         "an array of HookValues or registers is no list of "
                         "arguments, as one of HookArguments is: make it "
                         "HookArgument Array[]")
  LUTHIER_DETAIL_MISTAKE(HostFunction,
                         "a hook has no use for a function of the host: give "
                         "it a variable's address, or a number")
#undef LUTHIER_DETAIL_MISTAKE

  operator llvm::ArrayRef<HookArgument>() const { return List; }

private:
  void append(llvm::ArrayRef<HookArgument> Given) {
    List.append(Given.begin(), Given.end());
  }

  llvm::SmallVector<HookArgument, 2> List;
};

/// Behind a hook itself, in the place of its handle.
struct NoHandle {
  template <typename... As>
  NoHandle(const As &...) = delete ("a hook is named by its handle: write "
                                    "LUTHIER_GET_HOOK_HANDLE(hook) for hook");
  operator llvm::ArrayRef<HookArgument>() const;
};
#pragma clang diagnostic pop

/// What the calls of InstrumentationTask take behind a handle of type \p H.
template <typename H> struct ArgumentsOf {
  using Type = llvm::ArrayRef<HookArgument>;
};
template <typename... Parameters>
struct ArgumentsOf<HookHandle<void(Parameters...)>> {
  using Type = HookArguments<std::remove_cv_t<Parameters>...>;
};

template <typename Result, typename... Parameters>
struct ArgumentsOf<Result (*)(Parameters...)> {
  using Type = NoHandle;
};

} // namespace luthier::detail

#endif // LUTHIER_DETAIL_HOOKARGUMENTS_H
