// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar loads and stores, and the clocks (SMEM). Source 0 is the base pair or
// buffer descriptor, source 1 an optional SGPR offset.
#include "emulator/isa/BufferDescriptor.h"
#include "emulator/isa/Scalar.h"
#include "emulator/isa/Tables.h"
#include <ctime>

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

I64 totalOffset(Wave &W, const Inst &I) {
  I64 Offset = I.Offset;
  if (I.Src[1].Kind != Source::None)
    Offset += scalar32(W, I.Src[1]);
  return Offset & ~I64(3);
}

template <unsigned Count> void load(Wave &W, const Inst &I) {
  U64 Address = (W.s64(I.Src[0].Reg) & ~U64(3)) + totalOffset(W, I);
  const uint8_t *From = W.Thread->Memory.pointer(Address, Count * 4);
  if (!From)
    return W.fault(ExecutionFault::Kind::MemoryViolation, "scalar load",
                   Address);
  std::memcpy(&W.S[I.Dst.Reg], From, Count * 4);
}

template <unsigned Count> void store(Wave &W, const Inst &I) {
  U64 Address = (W.s64(I.Src[0].Reg) & ~U64(3)) + totalOffset(W, I);
  uint8_t *To = W.Thread->Memory.pointer(Address, Count * 4);
  if (!To)
    return W.fault(ExecutionFault::Kind::MemoryViolation, "scalar store",
                   Address);
  std::memcpy(To, &W.S[I.Dst.Reg], Count * 4);
}

/// Dwords beyond the buffer read as zero.
template <unsigned Count> void bufferLoad(Wave &W, const Inst &I) {
  BufferDescriptor Buffer(&W.S[I.Src[0].Reg]);
  U64 Size = Buffer.sizeInBytes();
  U64 Offset = U64(totalOffset(W, I));
  for (unsigned N = 0; N != Count; ++N, Offset += 4) {
    U32 Value = 0;
    if (Offset + 4 <= Size) {
      U64 Address = Buffer.Base + Offset;
      const uint8_t *From = W.Thread->Memory.pointer(Address, 4);
      if (!From)
        return W.fault(ExecutionFault::Kind::MemoryViolation,
                       "scalar buffer load", Address);
      std::memcpy(&Value, From, 4);
    }
    W.S[I.Dst.Reg + N] = Value;
  }
}

template <unsigned Count> void bufferStore(Wave &W, const Inst &I) {
  BufferDescriptor Buffer(&W.S[I.Src[0].Reg]);
  U64 Size = Buffer.sizeInBytes();
  U64 Offset = U64(totalOffset(W, I));
  for (unsigned N = 0; N != Count && Offset + 4 <= Size; ++N, Offset += 4) {
    U64 Address = Buffer.Base + Offset;
    uint8_t *To = W.Thread->Memory.pointer(Address, 4);
    if (!To)
      return W.fault(ExecutionFault::Kind::MemoryViolation,
                     "scalar buffer store", Address);
    std::memcpy(To, &W.S[I.Dst.Reg + N], 4);
  }
}

/// Advances with executed instructions, so that runs repeat exactly.
void readClock(Wave &W, const Inst &I) {
  constexpr U64 CyclesPerInstruction = 4;
  U64 Now = W.Thread->Clock + W.WaveInstructions;
  W.setS64(I.Dst.Reg, Now * CyclesPerInstruction);
}

/// The constant 100 MHz counter, the one the host sees too.
void readRealTime(Wave &W, const Inst &I) {
  timespec Now;
  clock_gettime(CLOCK_MONOTONIC, &Now);
  constexpr U64 TicksPerSecond = 100'000'000;
  constexpr U64 NanosecondsPerTick = 1'000'000'000 / TicksPerSecond;
  W.setS64(I.Dst.Reg, U64(Now.tv_sec) * TicksPerSecond +
                          U64(Now.tv_nsec) / NanosecondsPerTick);
}

constexpr Operation row(const char *Name, Handler Fn) {
  return {Name,
          Fn,
          ValueType::Wide,
          {ValueType::Wide, ValueType::U32, ValueType::None}};
}

constexpr Operation Rows[] = {
    row("s_load_dword", load<1>),
    row("s_load_dwordx2", load<2>),
    row("s_load_dwordx4", load<4>),
    row("s_load_dwordx8", load<8>),
    row("s_load_dwordx16", load<16>),
    row("s_buffer_load_dword", bufferLoad<1>),
    row("s_buffer_load_dwordx2", bufferLoad<2>),
    row("s_buffer_load_dwordx4", bufferLoad<4>),
    row("s_buffer_load_dwordx8", bufferLoad<8>),
    row("s_buffer_load_dwordx16", bufferLoad<16>),
    row("s_store_dword", store<1>),
    row("s_store_dwordx2", store<2>),
    row("s_store_dwordx4", store<4>),
    row("s_buffer_store_dword", bufferStore<1>),
    row("s_buffer_store_dwordx2", bufferStore<2>),
    row("s_buffer_store_dwordx4", bufferStore<4>),
    row("s_memtime", readClock),
    row("s_memrealtime", readRealTime),
};

} // namespace

std::span<const Operation> scalarMemoryRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
