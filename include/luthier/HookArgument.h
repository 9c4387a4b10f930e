// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool passes to a hook. Every argument is evaluated at the point where
// the hook runs: a register argument is the register's value there.
//
// Arguments about "the instruction" belong to the instruction that the point
// was named by: the one that the hook runs before or after, the first one of
// the block that it begins, the last one of the block that it ends, and each
// instruction that a function or the wave is left by. Edges and entries have
// none.
#ifndef LUTHIER_HOOKARGUMENT_H
#define LUTHIER_HOOKARGUMENT_H

#include "luthier/Export.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/MC/MCRegister.h"
#include "llvm/Support/TypeName.h"
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

namespace llvm {
class Constant;
class Register;
} // namespace llvm

namespace luthier {

class HookArgument;
template <typename T> class HookValue;

namespace detail {
/// What the host alone knows, and an array of is no argument of a hook.
template <typename T>
inline constexpr bool IsArgument =
    std::is_same_v<T, llvm::MCRegister> || std::is_same_v<T, llvm::Register>;
template <typename T> inline constexpr bool IsArgument<HookValue<T>> = true;

template <typename T>
inline constexpr bool IsAddress =
    !std::convertible_to<T *, const llvm::Constant *> &&
    !std::same_as<std::remove_cv_t<T>, HookArgument> &&
    !IsArgument<std::remove_cv_t<T>> && !std::is_function_v<T>;
} // namespace detail

// Deleting with a reason is of C++26; clang knows it in all versions.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc++26-extensions"

/// One argument of a hook. Converts to the type of the hook's parameter by
/// dropping or zero-filling high bits, floating-point numbers by rounding.
class LUTHIER_API HookArgument {
public:
  enum class Kind {
    Constant,
    Register,
    Operand,
    Address,
    AccessSize,
    AccessKind,
    ActiveLanes,
    PC,
    Opcode,
    Mnemonic,
    Size,
    Block,
    DispatchValue,
  };

  HookArgument(llvm::Constant *C) : K(Kind::Constant), C(C) {}

  /// An address. One in a variable of the tool, as its host code sees it,
  /// arrives as the address that the device has for it: managed variables of
  /// the tool, and __device__ variables of the hook's file. Others arrive as
  /// they are. An array of HookArguments is a list of them, and no address.
  template <typename T>
    requires(detail::IsAddress<T>)
  HookArgument(T *Pointer)
      : K(Kind::Constant), Number(reinterpret_cast<uintptr_t>(Pointer)),
        Pointer(true) {}
  template <typename T>
    requires(detail::IsArgument<std::remove_cv_t<T>>)
  HookArgument(T *) = delete (
      "an array of HookValues or registers is no list of arguments, as one of "
      "HookArguments is: make it HookArgument Array[]");
  template <typename T>
    requires(std::is_function_v<T>)
  HookArgument(T *) = delete (
      "a hook has no use for a function of the host: give it a variable's "
      "address, or a number");
  HookArgument(std::nullptr_t) : K(Kind::Constant) {}
  template <std::integral T>
  HookArgument(T Number)
      : K(Kind::Constant), Number(static_cast<uint64_t>(Number)) {}

  template <std::floating_point T>
  HookArgument(T Number)
      : K(Kind::Constant), Floating(static_cast<double>(Number)) {}

  /// A structure, or anything else that can be copied byte by byte, for a
  /// parameter of the same type.
  template <typename T>
    requires(!std::is_array_v<T>)
  static HookValue<T> value(const T &Value);
  template <typename T>
    requires(std::is_array_v<T>)
  static HookValue<T> value(const T &) =
      delete ("an array is no value for a hook: put it into a structure");

  /// A register of the application: SGPR, VGPR, AGPR, a half or tuple of them,
  /// SCC, VCC, EXEC, M0, MODE and other special ones. One of more than 64 bits
  /// is for a vector, or a structure that is one vector or array (uint4). A
  /// vector register arrives lane by lane, valid in lanes that are active at
  /// the point.
  HookArgument(llvm::MCRegister Reg) : K(Kind::Register), Reg(Reg) {}

  /// Registers \p First to \p First + \p Count - 1 of tuple \p Reg.
  static HookArgument part(llvm::MCRegister Reg, unsigned First,
                           unsigned Count) {
    HookArgument A(Reg);
    A.First = First;
    A.Count = Count;
    return A;
  }

  /// The value of operand \p Index of the instruction, as LLVM counts them: a
  /// register, an inline constant or a literal, without source modifiers.
  static HookArgument operand(unsigned Index) {
    return about(Kind::Operand, Index);
  }
  /// The same registers as in part(), of an operand that is a tuple.
  static HookArgument operandPart(unsigned Index, unsigned First,
                                  unsigned Count) {
    HookArgument A = operand(Index);
    A.First = First;
    A.Count = Count;
    return A;
  }

  /// The address, for each lane, of access \p Access of the instruction (see
  /// MemoryAccess.h): a generic one that the hook can dereference. Of LDS and
  /// scratch, the low half is the offset in the segment. Valid in active lanes.
  static HookArgument address(unsigned Access = 0) {
    return about(Kind::Address, Access);
  }
  /// Bytes that access \p Access touches from its address on, in one lane; of a
  /// scalar access, in the wave.
  static HookArgument accessSize(unsigned Access = 0) {
    return about(Kind::AccessSize, Access);
  }
  /// An AccessKind (see MemoryAccess.h).
  static HookArgument accessKind(unsigned Access = 0) {
    return about(Kind::AccessKind, Access);
  }
  /// A bit for each lane that is active at the point: EXEC, in 64 bits also for
  /// waves of 32. It remains valid when the hook itself changes EXEC.
  static HookArgument activeLanes() { return about(Kind::ActiveLanes); }

  /// Address of the instruction in the original code on the device.
  static HookArgument pc() { return about(Kind::PC); }
  /// LLVM's number for the instruction's opcode, which changes from one version
  /// of LLVM to the next.
  static HookArgument opcode() { return about(Kind::Opcode); }
  /// A number for the instruction's name that never changes; see Mnemonic.h.
  static HookArgument mnemonic() { return about(Kind::Mnemonic); }
  /// Bytes of the instruction's encoding in the original.
  static HookArgument size() { return about(Kind::Size); }
  /// Number of the block, counted over all functions of the
  /// LiftedRepresentation in their order there.
  static HookArgument block() { return about(Kind::Block); }

  /// KernelDispatch::LaunchValue, which the tool sets for each dispatch: what
  /// launchValue() yields in a hook.
  static HookArgument dispatchValue() { return about(Kind::DispatchValue); }

  Kind kind() const { return K; }
  bool isConstant() const { return K == Kind::Constant; }
  bool isRegister() const { return K == Kind::Register; }
  /// Made from an integer or a pointer of the host.
  bool isInteger() const { return isConstant() && !C && !Floating && !Bytes; }
  /// Made from a pointer of the host.
  bool isPointer() const { return Pointer; }
  llvm::MCRegister reg() const { return Reg; }
  /// Of an operand or access its number.
  unsigned index() const { return Index; }
  /// Of a register or operand the first part to pass, and how many; 0 for the
  /// whole.
  unsigned firstPart() const { return First; }
  unsigned count() const { return Count; }
  /// Bits of an integer constant, or nothing for another kind of constant.
  std::optional<uint64_t> integer() const;
  std::optional<double> floating() const { return Floating; }
  /// Of a value(), whose bytes are words()'s first ones; else 0.
  unsigned bytes() const { return Bytes; }
  unsigned align() const { return Align; }
  /// Of them the last ones that may be padding, which no parameter has.
  unsigned padding() const { return Padding; }
  /// Of a value() the type's name.
  llvm::StringRef typeName() const { return TypeName; }
  llvm::ArrayRef<uint64_t> words() const { return Words; }

protected:
  explicit HookArgument(Kind K) : K(K) {}
  void setBytes(const void *From, unsigned Size, unsigned Alignment,
                unsigned MaxPadding, llvm::StringRef Type) {
    TypeName = Type;
    Padding = MaxPadding;
    Words.resize((Size + 7) / 8);
    std::memcpy(Words.data(), From, Size);
    Bytes = Size;
    Align = Alignment;
  }

private:
  static HookArgument about(Kind K, unsigned Index = 0) {
    HookArgument A(K);
    A.Index = Index;
    return A;
  }

  Kind K;
  llvm::Constant *C = nullptr;
  uint64_t Number = 0;
  bool Pointer = false;
  llvm::MCRegister Reg;
  unsigned Index = 0, First = 0, Count = 0;
  std::optional<double> Floating;
  std::vector<uint64_t> Words;
  unsigned Bytes = 0, Align = 1, Padding = 0;
  llvm::StringRef TypeName;
};

/// A HookArgument::value() whose type the compiler can check.
template <typename T> class HookValue : public HookArgument {
  // Numbers of floating point have several representations of a value.
  static constexpr bool HasNoPadding =
      std::is_floating_point_v<T> ||
      std::has_unique_object_representations_v<T>;

public:
  using ValueType = T;

  explicit HookValue(const T &Value) : HookArgument(Kind::Constant) {
    static_assert(!std::derived_from<T, HookArgument>,
                  "this is an argument already");
    // HIP's vectors may be assigned in their own way.
    static_assert(std::is_trivially_copy_constructible_v<T> &&
                      std::is_trivially_destructible_v<T>,
                  "the value cannot be copied byte by byte");
    setBytes(&Value, sizeof(T), alignof(T), HasNoPadding ? 0 : alignof(T) - 1,
             llvm::getTypeName<T>());
  }
};

template <typename T>
  requires(!std::is_array_v<T>)
HookValue<T> HookArgument::value(const T &Value) {
  return HookValue<T>(Value);
}

#pragma clang diagnostic pop

} // namespace luthier

#endif // LUTHIER_HOOKARGUMENT_H
