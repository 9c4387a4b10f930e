// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device functions through which hooks reach the application's registers.
// Register numbers are LLVM's (llvm::AMDGPU::SGPR4, ::VGPR2, ::VCC, ...; see
// AMDGPU.h) and constant once the hook is inserted: literals, or arguments that
// are constants. Outside of hooks these functions trap.
#ifndef LUTHIER_INTRINSICS_H
#define LUTHIER_INTRINSICS_H

#include "luthier/Hook.h"
#include <cstdint>
#include <type_traits>

namespace luthier {

namespace detail {
/// A tuple of registers. Of three, the fourth counts as zero.
template <unsigned Dwords>
using Registers = uint32_t __attribute__((ext_vector_type(Dwords)));
template <typename T> inline constexpr bool IsTuple = false;
template <unsigned Dwords>
inline constexpr bool IsTuple<Registers<Dwords>> = Dwords <= 32;

template <typename T>
inline constexpr bool FitsRegisters =
    IsTuple<T> || (std::is_scalar_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
} // namespace detail

/// The value that register \p Reg of the application has where the hook is
/// inserted. T is as wide as the register: 32 or 64 bits, or 32 for a half of
/// 16 (VGPR7_HI16); any other width is refused. VCC and EXEC may be read as 64
/// bits in waves of 32 lanes, too. Of a vector register, each lane gets its own
/// value, valid in lanes that are active there.
template <typename T>
LUTHIER_INTRINSIC_ANNOTATE T readReg([[maybe_unused]] unsigned Reg) {
  static_assert(detail::FitsRegisters<T>, "T has 32 or 64 bits");
  __builtin_trap();
}

/// Gives register \p Reg of the application the value \p Value, in effect after
/// the hook. What a scalar register gets must be made of scalars (see "Scalars"
/// below). Of a vector register, only active lanes are written; of a half,
/// the other one stays. EXEC, too, has its value after the hook: see
/// writeExec(). FLAT_SCR, TTMP and the aperture bases can only be read.
template <typename T>
LUTHIER_INTRINSIC_ANNOTATE void writeReg([[maybe_unused]] unsigned Reg,
                                         [[maybe_unused]] T Value) {
  static_assert(detail::FitsRegisters<T>, "T has 32 or 64 bits");
  __builtin_trap();
}

/// The same for tuples of up to 32 registers (SGPR8_SGPR9_SGPR10_SGPR11, ...):
/// T is a structure or array type of as many bytes.
template <typename T> __attribute__((device)) inline T readRegs(unsigned Reg) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 4 == 0 &&
                sizeof(T) >= 8 && sizeof(T) <= 128);
  auto Tuple = readReg<detail::Registers<sizeof(T) / 4>>(Reg);
  T Result;
  __builtin_memcpy(&Result, &Tuple, sizeof(T));
  return Result;
}
template <typename T>
__attribute__((device)) inline void writeRegs(unsigned Reg, const T &Value) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 4 == 0 &&
                sizeof(T) >= 8 && sizeof(T) <= 128);
  detail::Registers<sizeof(T) / 4> Tuple = {};
  __builtin_memcpy(&Tuple, &Value, sizeof(T));
  writeReg(Reg, Tuple);
}

/// Makes \p Mask the set of active lanes for the rest of the hook; everything
/// before it in program order runs under the old set, everything after it under
/// the new one. The mask must be made of scalars (see "Scalars" below). At the
/// hook's end the application's own set is active again, whatever the hook did.
LUTHIER_INTRINSIC_ANNOTATE inline void
writeExec([[maybe_unused]] uint64_t Mask) {
  __builtin_trap();
}

// Scalars: constants, arguments and registers that are in scalar registers,
// ballots, blockIdx, what waveCounter(), waveAtomicAdd(), firstLane() and a
// tool's own intrinsics with LUTHIER_SCALAR_INTRINSIC_ANNOTATE return, and what
// integer arithmetic, comparisons, &&, ||, ?: and conditions of branches and
// loops make of them. They are exact whatever EXEC is, and the only values that
// operations of the wave (waveAdd, waveAtomicAdd and its like, writeExec,
// writeReg of a scalar register, messages) take. Everything else (what is
// loaded from memory, floating point, what differs between lanes) does not
// exist where no lane is active: there it is an error when the tool is
// compiled.

/// \p Value of the first active lane, which makes it a scalar, or
/// \p WithoutLanes, a scalar, where no lane is active.
template <typename T>
LUTHIER_SCALAR_INTRINSIC_ANNOTATE T
firstLane([[maybe_unused]] T Value,
          [[maybe_unused]] std::type_identity_t<T> WithoutLanes) {
  static_assert(std::is_scalar_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                "T has 32 or 64 bits");
  __builtin_trap();
}

namespace detail {
/// What the first active lane has, for code that runs with other lanes.
template <typename T> __attribute__((device)) inline T inAllLanes(T Value) {
  static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
  const uint32_t Low = __builtin_amdgcn_readfirstlane(uint32_t(Value));
  if constexpr (sizeof(T) == 4)
    return T(Low);
  else
    return T(uint64_t(__builtin_amdgcn_readfirstlane(uint64_t(Value) >> 32))
                 << 32 |
             Low);
}

/// Whether the hook has no loops except in code that this chooses. In a loop
/// that lanes leave at different times, writeExec() cannot stand; behind one,
/// lanes may lack what they have computed in it. Where the hook has any other
/// loop, the code without writeExec() is kept. Decided when the tool is
/// compiled, by the finished hook.
LUTHIER_SCALAR_INTRINSIC_ANNOTATE inline bool mayWriteExec() {
  __builtin_trap();
}

/// \p Value, which has to be scalar; so has the memory's address.
template <typename T>
LUTHIER_SCALAR_INTRINSIC_ANNOTATE T scalar([[maybe_unused]] T Value) {
  __builtin_trap();
}
LUTHIER_INTRINSIC_ANNOTATE inline void
scalarAddress([[maybe_unused]] const void *Address) {
  __builtin_trap();
}

/// Memory that is not LDS nor a lane's own, which operations need not find out.
template <typename T> using GlobalMemory = __attribute__((address_space(1))) T;

/// The result of \p Do with \p Operand, by lane 0 alone, on \p Address.
template <typename T, typename Action>
__attribute__((device)) inline T onceForTheWave(T *Address, T Operand,
                                                Action Do) {
  static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                "the wave works on integers of 32 or 64 bits: use atomicAdd() "
                "or its like in each lane for others");
  const T Same = scalar<T>(Operand);
  scalarAddress(Address);
  const uint64_t Active = __builtin_amdgcn_read_exec();
  writeExec(1);
  const T Result = inAllLanes(Do(Same));
  writeExec(Active);
  return Result;
}
} // namespace detail

/// Counters of the wave: for each wave, a variable of the tool that hooks name
/// here has a copy that is zero when the wave starts and that nobody else sees.
/// Adding to it is two scalar instructions where the kernel leaves scalar
/// registers for it, else a few more, right whatever the active lanes are, none
/// included. An element of an array, or a member, is a counter, too, if
/// constants and parameters that are constants choose it. There is room for one
/// counter in each two scalar registers that the kernel leaves, for 8 more for
/// all tools of a kernel, and for 32 more in each vector register that it
/// leaves; in waves of 32 lanes, for 4 and 16. Where there are more, those are
/// in scratch memory, from where each hook that needs some brings 32 (16) into
/// a vector register at a time. A kernel in which hooks cannot have so many
/// registers is refused (RegisterBudget).
///
/// Adds \p Number, a scalar, to the wave's copy of \p Counter.
LUTHIER_INTRINSIC_ANNOTATE inline void
waveAdd([[maybe_unused]] const uint64_t &Counter,
        [[maybe_unused]] uint64_t Number) {
  __builtin_trap();
}

namespace detail {
/// The same for sums that stay below 2^32: one scalar instruction.
LUTHIER_INTRINSIC_ANNOTATE inline void
waveAddLow([[maybe_unused]] const uint64_t &Counter,
           [[maybe_unused]] uint32_t Number) {
  __builtin_trap();
}
/// One counter of 96 bits in two: adds \p Number to the first, and to the
/// second, which stays below 2^32, what that carries: three scalar
/// instructions.
LUTHIER_INTRINSIC_ANNOTATE inline void
waveAddWide([[maybe_unused]] const uint64_t (&Counters)[2],
            [[maybe_unused]] uint64_t Number) {
  __builtin_trap();
}
/// Counters of lanes, by number: a constant below 8. Each lane of the wave has
/// its own of 64 bits, zero when the wave begins. Adds one to that of each
/// active lane: one vector instruction. Of waves of 64 lanes; meant for GFX9,
/// whose scalar unit serves four times as many waves as a vector unit. A hook
/// either counts or reads.
LUTHIER_INTRINSIC_ANNOTATE inline void
laneCount([[maybe_unused]] uint32_t Counter) {
  __builtin_trap();
}
/// The lane's own: the lower 32 bits, or those above.
LUTHIER_INTRINSIC_ANNOTATE inline uint32_t
laneCounter([[maybe_unused]] uint32_t Counter,
            [[maybe_unused]] uint32_t IsHigh) {
  __builtin_trap();
}
/// Has half a counter of the wave be \p Number, a scalar, whatever it was: a
/// move, or none where what computes the number does so in place.
LUTHIER_INTRINSIC_ANNOTATE inline void
waveSetHalf([[maybe_unused]] const uint32_t &Half,
            [[maybe_unused]] uint32_t Number) {
  __builtin_trap();
}
} // namespace detail

/// The wave's copy of \p Counter.
LUTHIER_SCALAR_INTRINSIC_ANNOTATE inline uint64_t
waveCounter([[maybe_unused]] const uint64_t &Counter) {
  __builtin_trap();
}

namespace detail {
__attribute__((device, const)) uint64_t
dispatchIdOfHardware() __asm("llvm.amdgcn.dispatch.id");
} // namespace detail

/// Number of the dispatch's packet in its queue, from zero on; a scalar. Tells
/// dispatches of one queue apart; KernelDispatch::Id, which counts the
/// dispatches of all queues, is another number.
__attribute__((device)) inline uint64_t dispatchId() {
  return detail::dispatchIdOfHardware();
}

/// Of the dispatch, all scalars, and known to kernels under `luthier run` and
/// `verify` (not to files, which no tool launches). A load each, but for the
/// numbers of workgroups and waves and for groupMemory(): a wave computes those
/// once, before its first hook, and keeps each beside its counters. (Where a
/// kernel has no registers for that, or calls code that Luthier has not lifted,
/// they are computed each time, in 4 to 25 scalar instructions.)
///
/// What the tool set KernelDispatch::LaunchValue to.
__attribute__((device)) inline uint64_t launchValue();
/// Where the LDS begins that the tool asked for with
/// KernelDispatch::GroupBytes: an offset in LDS, a multiple of 16. What is
/// there at first is anything.
__attribute__((device)) inline uint32_t groupMemory();
/// Number of the wave's workgroup, and how many waves a workgroup has; of the
/// wave in its workgroup, and in the dispatch. From zero on, x first, modulo
/// 2^32.
__attribute__((device)) inline uint32_t blockInDispatch();
__attribute__((device)) inline uint32_t wavesPerGroup();
__attribute__((device)) inline uint32_t waveInGroup();
__attribute__((device)) inline uint32_t waveInDispatch();

namespace detail {
/// What Luthier adds behind the arguments that HIP has; see
/// HiddenArguments.def.
struct LaunchArguments {
  uint64_t Value;
  uint32_t Blocks[2], Items[2]; ///< By x and y.
  uint32_t WavesPerGroup;
  uint32_t GroupMemory;
};
__attribute__((device)) inline const __attribute__((address_space(4)))
LaunchArguments &
launchArguments() {
  using Arguments = const __attribute__((address_space(4))) LaunchArguments;
  using Byte = const __attribute__((address_space(4))) char;
  auto *HipHas = (Byte *)__builtin_amdgcn_implicitarg_ptr();
  return *reinterpret_cast<Arguments *>(HipHas + 256);
}

enum KeptNumber : uint32_t {
  BlockNumber,
  WaveInGroupNumber,
  WaveNumber,
  GroupMemoryOffset
};
/// \p Computed, which is what the number is, or what the wave has kept of it
/// since it began.
LUTHIER_SCALAR_INTRINSIC_ANNOTATE inline uint32_t
kept([[maybe_unused]] KeptNumber Number, [[maybe_unused]] uint32_t Computed) {
  __builtin_trap();
}

/// Ids of the wave's first work-item, ten bits for each of x, y and z.
LUTHIER_SCALAR_INTRINSIC_ANNOTATE inline uint32_t firstWorkItem() {
  __builtin_trap();
}

__attribute__((device)) inline uint32_t computeBlock() {
  const auto &Blocks = launchArguments().Blocks;
  return __builtin_amdgcn_workgroup_id_x() +
         Blocks[0] * (__builtin_amdgcn_workgroup_id_y() +
                      Blocks[1] * __builtin_amdgcn_workgroup_id_z());
}
__attribute__((device)) inline uint32_t computeWaveInGroup() {
  const auto &Items = launchArguments().Items;
  const uint32_t First = firstWorkItem();
  const uint32_t X = First & 0x3ff, Y = First >> 10 & 0x3ff, Z = First >> 20;
  return (X + Items[0] * (Y + Items[1] * Z)) >>
         (__builtin_amdgcn_wavefrontsize() == 64 ? 6 : 5);
}
} // namespace detail

__attribute__((device)) inline uint64_t launchValue() {
  return detail::launchArguments().Value;
}
__attribute__((device)) inline uint32_t groupMemory() {
  return detail::kept(detail::GroupMemoryOffset,
                      detail::launchArguments().GroupMemory);
}
__attribute__((device)) inline uint32_t blockInDispatch() {
  return detail::kept(detail::BlockNumber, detail::computeBlock());
}
__attribute__((device)) inline uint32_t wavesPerGroup() {
  return detail::launchArguments().WavesPerGroup;
}
__attribute__((device)) inline uint32_t waveInGroup() {
  return detail::kept(detail::WaveInGroupNumber, detail::computeWaveInGroup());
}
__attribute__((device)) inline uint32_t waveInDispatch() {
  return detail::kept(detail::WaveNumber,
                      detail::computeBlock() * wavesPerGroup() +
                          detail::computeWaveInGroup());
}

/// Atomic operations on global memory, once for the wave and whatever the
/// active lanes are. Operand and address are scalars, and so is what is
/// returned, the value before. T is an integer of 32 or 64 bits. Memory of the
/// host, such as managed variables, is reached over PCIe, which knows additions
/// and exchanges only: for the others use __device__ variables.
template <typename T>
__attribute__((device)) inline T waveAtomicAdd(T *Sum,
                                               std::type_identity_t<T> Number) {
  return detail::onceForTheWave<T>(Sum, Number, [=](T Same) {
    return __hip_atomic_fetch_add((detail::GlobalMemory<T> *)Sum, Same,
                                  __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  });
}
template <typename T>
__attribute__((device)) inline T waveAtomicMin(T *Least,
                                               std::type_identity_t<T> Number) {
  return detail::onceForTheWave<T>(Least, Number, [=](T Same) {
    return __hip_atomic_fetch_min((detail::GlobalMemory<T> *)Least, Same,
                                  __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  });
}
template <typename T>
__attribute__((device)) inline T waveAtomicMax(T *Most,
                                               std::type_identity_t<T> Number) {
  return detail::onceForTheWave<T>(Most, Number, [=](T Same) {
    return __hip_atomic_fetch_max((detail::GlobalMemory<T> *)Most, Same,
                                  __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  });
}
template <typename T>
__attribute__((device)) inline T waveAtomicAnd(T *Mask,
                                               std::type_identity_t<T> Bits) {
  return detail::onceForTheWave<T>(Mask, Bits, [=](T Same) {
    return __hip_atomic_fetch_and((detail::GlobalMemory<T> *)Mask, Same,
                                  __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  });
}
template <typename T>
__attribute__((device)) inline T waveAtomicOr(T *Mask,
                                              std::type_identity_t<T> Bits) {
  return detail::onceForTheWave<T>(Mask, Bits, [=](T Same) {
    return __hip_atomic_fetch_or((detail::GlobalMemory<T> *)Mask, Same,
                                 __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  });
}
template <typename T>
__attribute__((device)) inline T
waveAtomicExchange(T *Place, std::type_identity_t<T> Value) {
  return detail::onceForTheWave<T>(Place, Value, [=](T Same) {
    return __hip_atomic_exchange((detail::GlobalMemory<T> *)Place, Same,
                                 __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  });
}

/// Adds Numbers[I], scalars, to Sums[I], each once for the wave: cheaper than
/// waveAtomicAdd() for one after the other.
template <typename T, unsigned N>
__attribute__((device)) inline void waveAtomicAddEach(T *Sums,
                                                      const T (&Numbers)[N]) {
  static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                "the wave works on integers of 32 or 64 bits: use atomicAdd() "
                "or its like in each lane for others");
  T Same[N];
  for (unsigned I = 0; I < N; ++I)
    Same[I] = detail::scalar<T>(Numbers[I]);
  detail::scalarAddress(Sums);
  const uint64_t Active = __builtin_amdgcn_read_exec();
  writeExec(1);
  for (unsigned I = 0; I < N; ++I)
    __hip_atomic_fetch_add((detail::GlobalMemory<T> *)Sums + I, Same[I],
                           __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  writeExec(Active);
}

/// Adds the wave's copy of \p Counter to \p Sum and starts again from zero. For
/// a hook at the end of waves.
__attribute__((device)) inline void waveFlush(const uint64_t &Counter,
                                              uint64_t &Sum) {
  const uint64_t Number = waveCounter(Counter);
  waveAdd(Counter, 0 - Number);
  waveAtomicAdd(&Sum, Number);
}
/// To the variable itself.
__attribute__((device)) inline void waveFlush(uint64_t &Counter) {
  waveFlush(Counter, Counter);
}

} // namespace luthier

#endif // LUTHIER_INTRINSICS_H
