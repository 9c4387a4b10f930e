// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values as bytes and back. Both directions take the fields of a structure from
// one list (PayloadArchive.cpp), so that none is written and not read.
#ifndef LUTHIER_HOOK_ARCHIVE_H
#define LUTHIER_HOOK_ARCHIVE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCRegister.h"
#include "llvm/Support/Endian.h"
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace luthier {

template <typename T>
concept ArchivedNumber = std::is_integral_v<T> || std::is_enum_v<T>;

/// A sequence with push_back(); strings are something else.
template <typename T>
concept ArchivedSequence = requires(T &Values) {
  Values.push_back(std::declval<typename T::value_type>());
} && !std::is_same_v<T, std::string>;

/// Numbers take eight bytes, bytes in a row one each; lengths come first.
class ArchiveWriter {
public:
  template <typename... T> void operator()(const T &...Values) {
    (add(Values), ...);
  }
  const std::vector<uint8_t> &bytes() const { return Bytes; }

private:
  void add(uint64_t Number) {
    uint8_t Raw[8];
    llvm::support::endian::write64le(Raw, Number);
    Bytes.insert(Bytes.end(), Raw, Raw + sizeof(Raw));
  }
  template <ArchivedNumber T> void add(T Number) {
    add(static_cast<uint64_t>(Number));
  }
  void add(llvm::MCRegister Reg) { add(uint64_t(Reg.id())); }
  void add(llvm::StringRef Text) {
    add(llvm::ArrayRef(Text.bytes_begin(), Text.size()));
  }
  void add(const std::string &Text) { add(llvm::StringRef(Text)); }
  void add(llvm::ArrayRef<uint8_t> Row) {
    add(uint64_t(Row.size()));
    Bytes.insert(Bytes.end(), Row.begin(), Row.end());
  }
  void add(const std::vector<uint8_t> &Row) { add(llvm::ArrayRef(Row)); }
  void add(const llvm::BitVector &Bits) {
    add(uint64_t(Bits.size()));
    add(uint64_t(Bits.count()));
    for (unsigned Bit : Bits.set_bits())
      add(uint64_t(Bit));
  }
  template <ArchivedSequence T> void add(const T &Values) {
    add(uint64_t(Values.size()));
    for (const auto &Value : Values)
      add(Value);
  }
  template <typename T> void add(const std::set<T> &Values) {
    add(uint64_t(Values.size()));
    for (const T &Value : Values)
      add(Value);
  }
  template <typename K, typename V> void add(const std::map<K, V> &Values) {
    add(uint64_t(Values.size()));
    for (const auto &[Key, Value] : Values)
      (*this)(Key, Value);
  }
  template <typename T> void add(const std::optional<T> &Value) {
    add(Value.has_value());
    if (Value)
      add(*Value);
  }
  template <typename... T> void add(const std::variant<T...> &Value) {
    add(uint64_t(Value.index()));
    std::visit([&](const auto &Alternative) { add(Alternative); }, Value);
  }
  template <typename T>
    requires requires(const T &Value, ArchiveWriter &W) {
      visitFields(Value, W);
    }
  void add(const T &Structure) {
    visitFields(Structure, *this);
  }

  std::vector<uint8_t> Bytes;
};

/// What the bytes do not have, is zero or empty and makes the reading a
/// failure.
class ArchiveReader {
public:
  explicit ArchiveReader(llvm::ArrayRef<uint8_t> Bytes) : Bytes(Bytes) {}

  template <typename... T> void operator()(T &...Values) { (get(Values), ...); }
  /// Everything was there, and nothing is left.
  bool isComplete() const { return !Failed && Bytes.empty(); }

private:
  uint64_t number() {
    const llvm::ArrayRef<uint8_t> Raw = take(8);
    return Raw.empty() ? 0 : llvm::support::endian::read64le(Raw.data());
  }
  llvm::ArrayRef<uint8_t> take(uint64_t Size) {
    Failed |= Size > Bytes.size();
    if (Failed)
      return {};
    const llvm::ArrayRef<uint8_t> Taken = Bytes.take_front(Size);
    Bytes = Bytes.drop_front(Size);
    return Taken;
  }
  /// Of things of at least eight bytes each.
  uint64_t count() {
    const uint64_t Count = number();
    Failed |= Count > Bytes.size() / 8;
    return Failed ? 0 : Count;
  }
  template <ArchivedNumber T> void get(T &Number) {
    const uint64_t Raw = number();
    Number = static_cast<T>(Raw);
    Failed |= static_cast<uint64_t>(Number) != Raw;
  }
  void get(llvm::MCRegister &Reg) {
    unsigned Id = 0;
    get(Id);
    Reg = Id;
  }
  void get(std::string &Text) {
    const llvm::ArrayRef<uint8_t> Row = take(number());
    Text.assign(Row.begin(), Row.end());
  }
  void get(std::vector<uint8_t> &Row) { Row = take(number()).vec(); }
  void get(llvm::BitVector &Bits) {
    constexpr uint64_t Most = 1 << 16; // No file has so many registers.
    const uint64_t Size = number(), Set = count();
    Failed |= Size > Most;
    Bits.clear();
    Bits.resize(Failed ? 0 : Size);
    for (uint64_t I = 0; I < Set && !Failed; ++I) {
      const uint64_t Bit = number();
      Failed |= Bit >= Size;
      if (!Failed)
        Bits.set(Bit);
    }
  }
  template <ArchivedSequence T> void get(T &Values) {
    Values.clear();
    for (uint64_t Left = count(); Left && !Failed; --Left) {
      typename T::value_type Value{};
      get(Value);
      Values.push_back(std::move(Value));
    }
  }
  template <typename T> void get(std::set<T> &Values) {
    Values.clear();
    for (uint64_t Left = count(); Left && !Failed; --Left) {
      T Value{};
      get(Value);
      Values.insert(std::move(Value));
    }
  }
  template <typename T> void get(std::optional<T> &Value) {
    bool HasValue = false;
    get(HasValue);
    Value.reset();
    if (HasValue && !Failed)
      get(Value.emplace());
  }
  template <typename T>
    requires requires(T &Value, ArchiveReader &R) { visitFields(Value, R); }
  void get(T &Structure) {
    visitFields(Structure, *this);
  }

  llvm::ArrayRef<uint8_t> Bytes;
  bool Failed = false;
};

} // namespace luthier

#endif // LUTHIER_HOOK_ARCHIVE_H
