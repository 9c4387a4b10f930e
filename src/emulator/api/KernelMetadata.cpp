// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/api/KernelMetadata.h"
#include "llvm/BinaryFormat/MsgPackReader.h"
#include <functional>

namespace luthier::emulator::api {

namespace {

using namespace llvm;
using msgpack::Object;
using msgpack::Type;

/// Reads on demand: what nobody asks for is skipped.
class MetadataReader {
public:
  explicit MetadataReader(StringRef Blob) : In(Blob) {}

  Error read(std::vector<KernelMetadata> &Kernels) {
    return readMap([&](StringRef Key) {
      if (Key != "amdhsa.kernels")
        return skip();
      return readArray([&] { return readKernel(Kernels.emplace_back()); });
    });
  }

private:
  static Error damaged(const char *What) {
    return createStringError("metadata: %s", What);
  }

  Error next(Object &O) {
    Expected<bool> Got = In.read(O);
    if (!Got)
      return Got.takeError();
    return *Got ? Error::success() : damaged("it ends too early");
  }

  Error readMap(function_ref<Error(StringRef)> OnValue) {
    Object O;
    if (Error E = next(O))
      return E;
    if (O.Kind != Type::Map)
      return damaged("a map is missing");
    for (size_t N = O.Length; N; --N) {
      Object Key;
      if (Error E = next(Key))
        return E;
      if (Key.Kind != Type::String)
        return damaged("a key is not a string");
      if (Error E = OnValue(Key.Raw))
        return E;
    }
    return Error::success();
  }

  Error readArray(function_ref<Error()> OnElement) {
    Object O;
    if (Error E = next(O))
      return E;
    if (O.Kind != Type::Array)
      return damaged("an array is missing");
    for (size_t N = O.Length; N; --N)
      if (Error E = OnElement())
        return E;
    return Error::success();
  }

  Error skip() {
    // Counts what is still to come, so nesting costs no stack.
    for (uint64_t Left = 1; Left; --Left) {
      Object O;
      if (Error E = next(O))
        return E;
      if (O.Kind == Type::Array)
        Left += O.Length;
      else if (O.Kind == Type::Map)
        Left += 2 * uint64_t(O.Length);
    }
    return Error::success();
  }

  Error readText(std::string &To) {
    Object O;
    if (Error E = next(O))
      return E;
    if (O.Kind != Type::String)
      return damaged("a string is missing");
    To = O.Raw.str();
    return Error::success();
  }

  Error readNumber(uint32_t &To) {
    Object O;
    if (Error E = next(O))
      return E;
    const bool IsNumber = O.Kind == Type::UInt || O.Kind == Type::Int;
    if (!IsNumber || O.UInt > UINT32_MAX)
      return damaged("a number is missing");
    To = uint32_t(O.UInt);
    return Error::success();
  }

  Error readKernel(KernelMetadata &K) {
    return readMap([&](StringRef Key) {
      if (Key == ".name")
        return readText(K.Name);
      if (Key == ".kernarg_segment_size")
        return readNumber(K.KernargSize);
      if (Key == ".max_flat_workgroup_size")
        return readNumber(K.MaxWorkgroupSize);
      if (Key != ".args")
        return skip();
      return readArray(
          [&] { return readArgument(K.Arguments.emplace_back()); });
    });
  }

  Error readArgument(KernelArgument &A) {
    return readMap([&](StringRef Key) {
      if (Key == ".name")
        return readText(A.Name);
      if (Key == ".type_name")
        return readText(A.TypeName);
      if (Key == ".value_kind")
        return readText(A.Kind);
      if (Key == ".offset")
        return readNumber(A.Offset);
      if (Key == ".size")
        return readNumber(A.Size);
      return skip();
    });
  }

  msgpack::Reader In;
};

} // namespace

Expected<std::vector<KernelMetadata>> readKernelMetadata(StringRef Blob) {
  std::vector<KernelMetadata> Kernels;
  if (Blob.empty())
    return Kernels;
  if (Error E = MetadataReader(Blob).read(Kernels))
    return std::move(E);
  return Kernels;
}

} // namespace luthier::emulator::api
