// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included before each file of device code that counts by LLVM's IR: the
// functions that LLVM's instrumentation calls to record a value, the function
// behind a pointer or the size of a copy. No device library has them. They
// count in a table, by the place of the value in the program and the value;
// src/pgo/ProfiledValues.h reads it.
#ifdef __cplusplus
namespace {
using LuthierWord = unsigned long long;

struct LuthierProfiledValue {
  LuthierWord Key; // Place and value, both in 32 bits; 0 if the entry is free.
  LuthierWord Count;
};
struct LuthierProfiledValues {
  LuthierWord At, Unused; // Where the table is, once something is in it.
  LuthierProfiledValue Entries[4096];
};
} // namespace

#ifdef __HIP__
#define LUTHIER_ON_DEVICE __attribute__((device))
#else
#define LUTHIER_ON_DEVICE
#endif
#define LUTHIER_NOT_PROFILED                                                   \
  LUTHIER_ON_DEVICE __attribute__((no_profile_instrument_function))

extern "C" {
LUTHIER_ON_DEVICE
__attribute__((used, weak, visibility("protected"))) LuthierProfiledValues
    __luthier_prf_values = {};
}

// Of what the table has no room for, the place itself counts: LLVM reserves a
// word for each.
LUTHIER_NOT_PROFILED static inline __attribute__((always_inline)) LuthierWord *
luthierPlaceOf(LuthierWord Key) {
  constexpr unsigned NumEntries =
      sizeof(__luthier_prf_values.Entries) / sizeof(LuthierProfiledValue);
  constexpr int MostTried = 64;
  const LuthierWord Base = (LuthierWord)&__luthier_prf_values;
  unsigned At = unsigned(Key * 0x9e3779b97f4a7c15 >> 32);
  for (int Tried = 0; Tried != MostTried; ++Tried, ++At) {
    LuthierProfiledValue *Entry =
        &__luthier_prf_values.Entries[At % NumEntries];
    LuthierWord Found = __scoped_atomic_load_n(&Entry->Key, __ATOMIC_RELAXED,
                                               __MEMORY_SCOPE_DEVICE);
    if (!Found && __scoped_atomic_compare_exchange_n(
                      &Entry->Key, &Found, Key, false, __ATOMIC_RELAXED,
                      __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)) {
      __scoped_atomic_store_n(&__luthier_prf_values.At, Base, __ATOMIC_RELAXED,
                              __MEMORY_SCOPE_DEVICE);
      return &Entry->Count;
    }
    if (Found == Key)
      return &Entry->Count;
  }
  return (LuthierWord *)(Base + (LuthierWord)(long long)(int)(Key >> 32));
}

// The first of the lanes that have the same counts for all of them.
LUTHIER_NOT_PROFILED static inline __attribute__((always_inline)) void
luthierCount(void *Record, unsigned Site, unsigned Value) {
  constexpr int ValuesOfRecord = 5; // src/pgo/RawRecord.h
  LuthierWord *Place = ((LuthierWord **)Record)[ValuesOfRecord] + Site;
  const unsigned Offset =
      unsigned((LuthierWord)Place - (LuthierWord)&__luthier_prf_values);
  const unsigned Lane =
      __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
  for (bool IsCounted = false; !IsCounted;) {
    const LuthierWord Same = __builtin_amdgcn_ballot_w64(
        Offset == (unsigned)__builtin_amdgcn_readfirstlane(Offset) &&
        Value == (unsigned)__builtin_amdgcn_readfirstlane(Value));
    if (Lane == (unsigned)__builtin_ctzll(Same))
      __scoped_atomic_fetch_add(
          luthierPlaceOf(LuthierWord(Offset) << 32 | Value),
          (LuthierWord)__builtin_popcountll(Same), __ATOMIC_RELAXED,
          __MEMORY_SCOPE_DEVICE);
    IsCounted = Same >> Lane & 1;
  }
}

// A function is told by its distance from the table, which is 0 for what is too
// far to be in this code.
extern "C" LUTHIER_NOT_PROFILED __attribute__((used, weak, noinline)) void
__llvm_profile_instrument_target(LuthierWord Value, void *Record,
                                 unsigned Site) {
  const LuthierWord Distance = Value - (LuthierWord)&__luthier_prf_values;
  const bool IsNear = LuthierWord((long long)int(Distance)) == Distance;
  luthierCount(Record, Site, IsNear ? unsigned(Distance) : 0);
}

// LLVM's InstrProfGetRangeRepValue(): sizes up to 8, powers of two up to 512,
// and one more than these for all that lie between them.
extern "C" LUTHIER_NOT_PROFILED __attribute__((used, weak, noinline)) void
__llvm_profile_instrument_memop(LuthierWord Size, void *Record, unsigned Site) {
  unsigned Value = Size > 512 ? 513 : unsigned(Size);
  if (Value > 8 && Value < 513 && Value & (Value - 1))
    Value = (1u << (31 - __builtin_clz(Value))) + 1;
  luthierCount(Record, Site, Value);
}

#undef LUTHIER_NOT_PROFILED
#undef LUTHIER_ON_DEVICE
#endif
