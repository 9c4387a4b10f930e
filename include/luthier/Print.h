// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With this header, hooks may call printf() and assert(), over a channel of
// Luthier's own: the application needs to have neither.
//
//   LUTHIER_HOOK_ANNOTATE show(uint32_t Block, uint64_t Address) {
//     printf("block %u: %p\n", Block, (void *)Address);
//     assert(Address % 4 == 0);
//   }
//
// Each active lane prints, the lowest first, on stderr. What a wave prints
// comes in its order, while the kernel runs. Strings (%s) must be literals of
// the tool or the module. A failed assertion is told, and ends the kernel as it
// does in kernels of HIP.
#ifndef LUTHIER_PRINT_H
#define LUTHIER_PRINT_H

#include "luthier/ChannelHooks.h"
#include "luthier/Export.h"

namespace luthier::detail {

/// A part of a message. Clang makes a call for each string of a printf(), the
/// format being the first, and for up to seven other arguments.
struct PrintPart {
  static constexpr uint32_t MostValues = 7;
  uint64_t Values[MostValues];
  uint32_t Message; ///< Of the device's.
  uint16_t Number;  ///< Of values; 0 for a string.
  uint8_t IsLast;
  uint8_t IsAssertion; ///< Its strings: file, function, text.
};

LUTHIER_API void openPrints(const void *Variable);

#ifdef __HIP__
inline __attribute__((device)) Channel<PrintPart> Prints;
inline __attribute__((device)) uint32_t PrintedMessages;
#ifndef __HIP_DEVICE_COMPILE__
inline const bool PrintsAreOpen = (openPrints(&Prints), true);
#endif

// What the calls hand on from one to the next: the message's number, and:
inline constexpr uint64_t PrintsAssertion = uint64_t(1) << 32;
inline constexpr uint64_t HasNoFormatYet = uint64_t(1) << 33;

__attribute__((device)) inline uint64_t
printPart(uint64_t Message, uint16_t Number, uint32_t IsLast,
          const uint64_t (&Values)[PrintPart::MostValues]) {
  PrintPart Part = {{},
                    uint32_t(Message),
                    Number,
                    uint8_t(IsLast != 0),
                    uint8_t((Message & PrintsAssertion) != 0)};
  for (uint32_t I = 0; I < PrintPart::MostValues; ++I)
    Part.Values[I] = Values[I];
  push(Prints, Part);
  return Message;
}
#endif // __HIP__

} // namespace luthier::detail

#ifdef __HIP__
// Clang makes calls of these, which are otherwise those of AMD's device library
// and need what HIP gives to kernels that print.
#pragma push_macro("LUTHIER_PRINTS")
#define LUTHIER_PRINTS extern "C" __attribute__((device, used)) inline uint64_t

LUTHIER_PRINTS __ockl_printf_begin(uint64_t) {
  return luthier::waveAtomicAdd(&luthier::detail::PrintedMessages, 1u);
}
LUTHIER_PRINTS __ockl_printf_append_string_n(uint64_t Message, const char *Text,
                                             uint64_t Length, uint32_t IsLast) {
  return luthier::detail::printPart(Message, 0, IsLast,
                                    {uint64_t(Text), Length});
}
LUTHIER_PRINTS __ockl_printf_append_args(uint64_t Message, uint32_t Number,
                                         uint64_t V0, uint64_t V1, uint64_t V2,
                                         uint64_t V3, uint64_t V4, uint64_t V5,
                                         uint64_t V6, uint32_t IsLast) {
  return luthier::detail::printPart(Message, uint16_t(Number), IsLast,
                                    {V0, V1, V2, V3, V4, V5, V6});
}

// HIP's assert() alone prints with these.
LUTHIER_PRINTS __ockl_fprintf_stderr_begin() {
  return __ockl_printf_begin(0) | luthier::detail::PrintsAssertion |
         luthier::detail::HasNoFormatYet;
}
LUTHIER_PRINTS __ockl_fprintf_append_string_n(uint64_t Message,
                                              const char *Text, uint64_t Length,
                                              uint32_t IsLast) {
  using luthier::detail::HasNoFormatYet;
  if (Message & HasNoFormatYet) // A local variable, always with the same text.
    return Message & ~HasNoFormatYet;
  return __ockl_printf_append_string_n(Message, Text, Length, IsLast);
}
LUTHIER_PRINTS __ockl_fprintf_append_args(uint64_t Message, uint32_t Number,
                                          uint64_t V0, uint64_t V1, uint64_t V2,
                                          uint64_t V3, uint64_t V4, uint64_t V5,
                                          uint64_t V6, uint32_t IsLast) {
  return __ockl_printf_append_args(Message, Number, V0, V1, V2, V3, V4, V5, V6,
                                   IsLast);
}
#pragma pop_macro("LUTHIER_PRINTS")
#endif // __HIP__

#endif // LUTHIER_PRINT_H
