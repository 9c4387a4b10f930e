// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments that a kernel does not declare and the runtime adds.
#ifndef LUTHIER_CODEOBJECT_HIDDENARGUMENTS_H
#define LUTHIER_CODEOBJECT_HIDDENARGUMENTS_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace luthier {

/// Rows of HiddenArguments.def; their order numbers bits in sets of them.
enum class HiddenArgument : uint8_t {
#define LUTHIER_HIDDEN_ARGUMENT(Name, ValueKind, Bytes, V4, V5, Source) Name,
#include "codeobject/HiddenArguments.def"
};

/// Where the value of an argument comes from that a kernel is not given.
enum class HiddenSource : uint8_t {
  Launch,      ///< The dispatch packet and its queue say it.
  Zero,        ///< HIP never gives anything else.
  PlainLaunch, ///< Zero, but in cooperative launches only HIP knows it.
  Runtime,     ///< Memory that HIP makes for kernels that ask for it.
  Redirection, ///< Luthier, for packets that it redirects.
};

struct HiddenArgumentInfo {
  const char *ValueKind; ///< In the kernel's metadata.
  unsigned Bytes;
  int OffsetV4, OffsetV5; ///< Negative: unknown to that version.
  HiddenSource Source;

  int offset(unsigned Version) const {
    return Version >= 500 ? OffsetV5 : OffsetV4;
  }
};

inline llvm::ArrayRef<HiddenArgumentInfo> hiddenArguments() {
  static constexpr HiddenArgumentInfo Table[] = {
#define LUTHIER_HIDDEN_ARGUMENT(Name, ValueKind, Bytes, V4, V5, Source)        \
  {ValueKind, Bytes, V4, V5, HiddenSource::Source},
#include "codeobject/HiddenArguments.def"
  };
  return Table;
}

inline const HiddenArgumentInfo &infoOf(HiddenArgument Argument) {
  return hiddenArguments()[unsigned(Argument)];
}

constexpr uint32_t hiddenBit(HiddenArgument Argument) {
  return uint32_t(1) << unsigned(Argument);
}

/// Of luthier::detail::LaunchArguments, which each tool may have of its own.
inline constexpr unsigned LaunchArgumentsBytes = 32;

/// hiddenBit() of each that is in luthier::detail::LaunchArguments.
inline uint32_t launchArguments() {
  uint32_t Bits = 0;
  for (unsigned N = 0; N < hiddenArguments().size(); ++N)
    if (hiddenArguments()[N].Source == HiddenSource::Redirection)
      Bits |= hiddenBit(HiddenArgument(N));
  return Bits;
}

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_HIDDENARGUMENTS_H
