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

/// \p Given for a parameter of type \p P.
template <typename P, typename A> HookArgument argumentFor(const A &Given) {
  using Argument = std::decay_t<A>;
  if constexpr (std::is_reference_v<P>) {
    // The hook gets the address of what it refers to.
    static_assert(std::convertible_to<Argument, std::remove_reference_t<P> *> ||
                      FoundLater<Argument>,
                  "the hook's parameter is a reference: give it the address");
    return Given;
  } else if constexpr (std::derived_from<Argument, HookArgument> &&
                       requires { typename Argument::ValueType; }) {
    static_assert(std::same_as<typename Argument::ValueType, P>,
                  "the hook's parameter has another type than this value");
    return Given;
  } else if constexpr (std::same_as<Argument, std::nullptr_t>) {
    static_assert(std::is_pointer_v<P>, "the hook's parameter is no pointer");
    return Given;
  } else if constexpr (FoundLater<Argument>) {
    return Given;
  } else if constexpr (std::is_pointer_v<P>) {
    static_assert(std::integral<Argument> || std::convertible_to<Argument, P>,
                  "the hook's parameter is a pointer to something else");
    return Given;
  } else if constexpr ((std::integral<P> || std::is_enum_v<P>) &&
                       sizeof(P) <= 8) {
    constexpr bool IsAddress = std::is_pointer_v<Argument> && sizeof(P) == 8;
    static_assert(std::integral<Argument> || std::is_enum_v<Argument> ||
                      IsAddress,
                  "the hook's parameter is an integer, its argument is not");
    if constexpr (std::is_enum_v<Argument>)
      return static_cast<std::underlying_type_t<Argument>>(Given);
    else
      return Given;
  } else if constexpr (FloatingPoint<P>) {
    static_assert(FloatingPoint<Argument>,
                  "the hook's parameter is a floating-point number, its "
                  "argument is not");
    return static_cast<double>(Given);
  } else {
    static_assert(std::same_as<Argument, P>,
                  "the hook's parameter is a structure or vector of another "
                  "type");
    return HookArgument::value(Given);
  }
}

/// Would be taken for the address of something on the host.
template <typename T>
inline constexpr bool IsArrayOfArguments =
    std::is_pointer_v<std::decay_t<T>> &&
    IsArgument<std::remove_cv_t<std::remove_pointer_t<std::decay_t<T>>>>;

template <typename... Parameters> class HookArguments {
  static constexpr size_t NumParameters = sizeof...(Parameters);
  /// Those may be given member by member.
  static constexpr bool HasStructures = (Structure<Parameters> || ...);

public:
  template <typename... As>
    requires(!(... && std::same_as<As, HookArguments>) || sizeof...(As) != 1)
  HookArguments(const As &...Given) {
    if constexpr ((... || IsArrayOfArguments<As>)) {
      static_assert(!(... || IsArrayOfArguments<As>),
                    "an array of HookValues or registers is no list of "
                    "arguments, as one of HookArguments is");
    } else if constexpr (sizeof...(As) == 1 && (... && ArgumentList<As>)) {
      (append(Given), ...);
    } else if constexpr (sizeof...(As) == NumParameters) {
      (List.push_back(argumentFor<Parameters>(Given)), ...);
    } else if constexpr (HasStructures && sizeof...(As) > NumParameters) {
      (List.push_back(HookArgument(Given)), ...);
    } else {
      static_assert(sizeof...(As) > NumParameters,
                    "the hook has more parameters than are given arguments");
      static_assert(sizeof...(As) < NumParameters,
                    "the hook has fewer parameters than are given arguments");
    }
  }
  operator llvm::ArrayRef<HookArgument>() const { return List; }

private:
  void append(llvm::ArrayRef<HookArgument> Given) {
    List.append(Given.begin(), Given.end());
  }

  llvm::SmallVector<HookArgument, 2> List;
};

/// What the calls of InstrumentationTask take behind a handle of type \p H.
template <typename H> struct ArgumentsOf {
  using Type = llvm::ArrayRef<HookArgument>;
};
template <typename... Parameters>
struct ArgumentsOf<HookHandle<void(Parameters...)>> {
  using Type = HookArguments<std::remove_cv_t<Parameters>...>;
};

} // namespace luthier::detail

#endif // LUTHIER_DETAIL_HOOKARGUMENTS_H
