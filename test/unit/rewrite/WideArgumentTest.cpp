// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments of more than 64 bits, structures and floating-point numbers, from
// constants and from tuples of registers.
#include "EngineTest.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include <cstring>

using namespace llvm;

namespace luthier::test {
namespace {

/// As HIP has them.
struct Mixed {
  int32_t A;
  float B;
  double C;
  int16_t D[3];
};
struct Small {
  int16_t A;
  int8_t B;
};
struct Padded {
  uint64_t A, B;
  uint32_t C;
};
/// Ends in padding that another structure's first member would fill.
struct Tail {
  uint64_t A;
  uint32_t B;
};
struct Split {
  uint32_t X, Y;
  uint64_t Z;
};
/// The same of floating-point numbers, so that nobody knows where padding is.
struct LooseTail {
  double A;
  float B;
};
struct LooseSplit {
  float X, Y;
  double Z;
};
#pragma pack(push, 1)
struct Packed {
  int8_t A;
  uint64_t B;
  uint16_t C;
};
struct FiveBytes {
  int8_t A;
  uint32_t B;
};
#pragma pack(push, 2)
struct HalfPacked {
  int8_t A;
  uint64_t B;
  uint16_t C;
};
#pragma pack(pop)
#pragma pack(pop)
struct Words2 {
  float X, Y;
};
struct Words3 {
  uint32_t X, Y, Z;
};
struct alignas(16) Words4 {
  uint32_t X, Y, Z, W;
};
struct Words16 {
  uint32_t Word[16];
};

constexpr const char *HookSource = R"(
struct Mixed { int A; float B; double C; short D[3]; };
struct Small { short A; signed char B; };
struct Padded { unsigned long A, B; unsigned C; };
struct Tail { unsigned long A; unsigned B; };
struct Split { unsigned X, Y; unsigned long Z; };
struct LooseTail { double A; float B; };
struct LooseSplit { float X, Y; double Z; };
struct __attribute__((packed)) Packed { char A; unsigned long B; short C; };
struct __attribute__((packed, aligned(2))) HalfPacked {
  char A;
  __attribute__((aligned(2))) unsigned long B;
  short C;
};
struct __attribute__((packed)) FiveBytes { char A; unsigned B; };
struct Words16 { unsigned Word[16]; };
__device__ unsigned Seen[32][64][16];
template <class T> __device__ void note(unsigned Slot, const T &Value) {
  unsigned Bytes[16] = {};
  __builtin_memcpy(Bytes, &Value, sizeof(T));
  for (int I = 0; I < 16; ++I)
    Seen[Slot][__lane_id()][I] = Bytes[I];
}
LUTHIER_HOOK_ANNOTATE mixed(unsigned Slot, Mixed V) {
  note(Slot, Mixed{V.A, V.B, V.C, {V.D[0], V.D[1], V.D[2]}});
}
LUTHIER_HOOK_ANNOTATE small(Small V, unsigned Slot) { note(Slot, V); }
LUTHIER_HOOK_ANNOTATE padded(Padded V, unsigned Slot) {
  note(Slot, Padded{V.A, V.B, V.C});
}
LUTHIER_HOOK_ANNOTATE tails(unsigned Slot, Tail V, Split W) {
  note(Slot, Tail{V.A, V.B});
  note(Slot + 1, W);
}
LUTHIER_HOOK_ANNOTATE loose(unsigned Slot, LooseTail V, LooseSplit W) {
  note(Slot, W);
}
LUTHIER_HOOK_ANNOTATE packed(unsigned Slot, Packed V, HalfPacked W,
                                FiveBytes U) {
  note(Slot + 2, uint2{unsigned(U.A), U.B});
  note(Slot, uint4{unsigned(V.A), unsigned(V.B), unsigned(V.B >> 32),
                   unsigned(V.C)});
  note(Slot + 1, uint4{unsigned(W.A), unsigned(W.B), unsigned(W.B >> 32),
                       unsigned(W.C)});
}
LUTHIER_HOOK_ANNOTATE brain(unsigned Slot, __bf16 V) {
  note(Slot, unsigned(__builtin_bit_cast(unsigned short, V)));
}
LUTHIER_HOOK_ANNOTATE pair(unsigned Slot, float2 V) { note(Slot, V); }
LUTHIER_HOOK_ANNOTATE three(unsigned Slot, dim3 V) { note(Slot, V); }
LUTHIER_HOOK_ANNOTATE four(unsigned Slot, uint4 V) { note(Slot, V); }
LUTHIER_HOOK_ANNOTATE twice(uint4 V, unsigned Slot, uint4 W) {
  note(Slot, V);
  note(Slot + 1, W);
}
LUTHIER_HOOK_ANNOTATE wide(unsigned Slot, __int128 V) { note(Slot, V); }
LUTHIER_HOOK_ANNOTATE sixteen(unsigned Slot, Words16 V) { note(Slot, V); }
LUTHIER_HOOK_ANNOTATE numbers(unsigned Slot, float A, double B, _Float16 C) {
  struct { float A; double B; _Float16 C; } V{A, B, C};
  note(Slot, V.B);
  Seen[Slot][__lane_id()][2] = __float_as_uint(A);
  Seen[Slot][__lane_id()][3] = __builtin_bit_cast(unsigned short, C);
}
)";

class WideArgument : public EngineTest {
protected:
  WideArgument() {
    setHipHooks(HookSource);
    Options.Seeds = {0};
    K.VGPRs = 32;
    K.SGPRs = 64;
    K.AGPRs = hasAGPRs() ? 8 : 0;
    Launch = {{target().WaveSize, 1, 1}, {target().WaveSize, 1, 1}};
    std::string Body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
                       "v_and_b32_e32 v0, 0x3ff, v0\nwait_all\n";
    for (unsigned N = 0; N != 4; ++N) {
      const std::string Number = std::to_string(N);
      Body += "vadd v" + std::to_string(8 + N) + ", " +
              std::to_string(16 * (N + 1)) + ", v0\n";
      Body +=
          "s_mov_b32 s" + std::to_string(12 + N) + ", 0x100" + Number + "\n";
      // Numbers that end like halves of registers do.
      Body += "vadd v" + std::to_string(14 + N) + ", " +
              std::to_string(16 * (N + 1)) + ", v0\n";
      Body +=
          "s_mov_b32 s" + std::to_string(16 + N) + ", 0x200" + Number + "\n";
      if (hasAGPRs())
        Body += "v_accvgpr_write_b32 a" + Number + ", v" +
                std::to_string(8 + N) + "\n";
    }
    K.Body = Body + R"(
    s_nop 7
    v_lshlrev_b32_e32 v1, 4, v0
    s_sleep 1
    global_store_dwordx4 v1, v[8:11], s[4:5]
    s_endpgm
)";
    Launch.Arguments.words(4 * 64);
  }

  bool hasAGPRs() const {
    return !target().isRdna() && std::string(target().Processor) != "gfx906";
  }

  struct Call {
    const char *Hook;
    std::vector<HookArgument> Arguments;
    /// Row and what it begins with, in each lane.
    unsigned Slot;
    std::function<std::vector<uint32_t>(unsigned Lane)> Row;
  };

  static MachineInstr &find(LiftedRepresentation &LR, StringRef Name) {
    const TargetInstrInfo &TII = *LR.kernel().getSubtarget().getInstrInfo();
    for (MachineBasicBlock &MBB : LR.kernel())
      for (MachineInstr &MI : MBB)
        if (TII.getName(MI.getOpcode()).starts_with(Name))
          return MI;
    report_fatal_error("no " + Name);
  }

  void expect(const std::vector<Call> &Calls, StringRef At = "S_SLEEP") {
    Judgement J = expectUnchanged(
        fromAssembly(K), Launch,
        [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
          for (const Call &C : Calls)
            if (C.Hook)
              Task.insertHookBefore(find(LR, At), hook(C.Hook), C.Arguments);
        });
    if (!J.Problem.empty())
      return;
    const Bytes &Seen = J.Variables.at("Seen");
    for (const Call &C : Calls)
      for (unsigned Lane = 0; Lane != target().WaveSize; ++Lane) {
        const std::vector<uint32_t> Wanted = C.Row(Lane);
        std::vector<uint32_t> Row(Wanted.size());
        std::memcpy(Row.data(), &Seen[(C.Slot * 64 + Lane) * 64],
                    4 * Row.size());
        ASSERT_EQ(Row, Wanted) << "row " << C.Slot << ", lane " << Lane;
      }
  }

  template <class T>
  static std::function<std::vector<uint32_t>(unsigned)> always(const T &Value) {
    std::vector<uint32_t> Words((sizeof(T) + 3) / 4);
    std::memcpy(Words.data(), &Value, sizeof(T));
    return [=](unsigned) { return Words; };
  }

  AssemblyKernel K;
  KernelLaunch Launch;
};

TEST_P(WideArgument, StructuresArriveWithAllTheirMembers) {
  // No padding that nobody has set.
  Mixed M;
  std::memset(&M, 0, sizeof(M));
  M.A = -7;
  M.B = 2.5f;
  M.C = 1e100;
  M.D[0] = 3;
  M.D[1] = -4;
  M.D[2] = 5;
  Small S;
  std::memset(&S, 0, sizeof(S));
  S.A = -300;
  S.B = -2;
  Words16 Many;
  for (uint32_t N = 0; N != 16; ++N)
    Many.Word[N] = 0x01010101 * N + 7;
  const Words4 Four{1, 0x80000000, 3, ~0u};
  const std::vector<uint32_t> SmallRow = {uint32_t(uint16_t(-300)) | 0xfe0000};
  auto withoutPadding = [M](unsigned) {
    std::vector<uint32_t> Words(5);
    std::memcpy(Words.data(), &M, 20);
    return Words;
  };
  expect({
      {"mixed", {0u, HookArgument::value(M)}, 0, withoutPadding},
      {"pair",
       {1u, HookArgument::value(Words2{1.5f, -3})},
       1,
       always(Words2{1.5f, -3})},
      {"three",
       {2u, HookArgument::value(Words3{9, 8, 7})},
       2,
       always(Words3{9, 8, 7})},
      {"four", {3u, HookArgument::value(Four)}, 3, always(Four)},
      {"sixteen", {4u, HookArgument::value(Many)}, 4, always(Many)},
      {"twice",
       {HookArgument::value(Four), 5u, HookArgument::value(Words4{5, 6, 7, 8})},
       5,
       always(Four)},
      {nullptr, {}, 6, always(Words4{5, 6, 7, 8})},
      // Four bytes of padding end the structure, and a parameter of four
      // follows.
      {"padded",
       {HookArgument::value(Padded{1, 2, 3}), 8u},
       8,
       always(std::array<uint32_t, 5>{1, 0, 2, 0, 3})},
      {"tails",
       {12u, HookArgument::value(Tail{1, 2}),
        HookArgument::value(Split{3, 4, 5})},
       12,
       always(std::array<uint32_t, 3>{1, 0, 2})},
      {nullptr, {}, 13, always(std::array<uint32_t, 4>{3, 4, 5, 0})},
      {"packed",
       {9u, HookArgument::value(Packed{1, 2 + (3ull << 32), 4}),
        HookArgument::value(HalfPacked{5, 6 + (7ull << 32), 8}),
        HookArgument::value(FiveBytes{9, 0xa0000001})},
       9,
       always(Words4{1, 2, 3, 4})},
      {nullptr, {}, 10, always(Words4{5, 6, 7, 8})},
      {nullptr, {}, 11, always(std::array<uint32_t, 2>{9, 0xa0000001})},
      {"small",
       {HookArgument::value(S), 7u},
       7,
       [&](unsigned Lane) {
         return std::vector<uint32_t>{SmallRow[0] & 0xffffff};
       }},
  });
}

TEST_P(WideArgument, FloatingPointNumbersAreRoundedToTheParameter) {
  const double Third = 1.0 / 3;
  uint64_t Bits;
  std::memcpy(&Bits, &Third, 8);
  expect({{"numbers",
           {0u, Third, Third, Third},
           0,
           always(std::array<uint32_t, 4>{uint32_t(Bits), uint32_t(Bits >> 32),
                                          0x3eaaaaab, 0x3555})}});
}

TEST_P(WideArgument, TheyAreOfTheParametersOwnFormat) {
  expect({{"brain", {0u, 1.5}, 0, always(0x3fc0u)}});
}

TEST_P(WideArgument, TuplesOfRegistersFillTheirParameters) {
  auto vectors = [](unsigned Lane) {
    return std::vector<uint32_t>{Lane + 16, Lane + 32, Lane + 48, Lane + 64};
  };
  const std::array<uint32_t, 4> Scalars = {0x1000, 0x1001, 0x1002, 0x1003};
  const MCRegister Four = AMDGPU::VGPR8_VGPR9_VGPR10_VGPR11;
  std::vector<Call> Calls = {
      {"four", {0u, Four}, 0, vectors},
      {"four",
       {1u, MCRegister(AMDGPU::SGPR12_SGPR13_SGPR14_SGPR15)},
       1,
       always(Scalars)},
      {"wide", {2u, Four}, 2, vectors},
      {"twice",
       {Four, 3u, MCRegister(AMDGPU::SGPR12_SGPR13_SGPR14_SGPR15)},
       3,
       vectors},
      {nullptr, {}, 4, always(Scalars)},
      {"four",
       {10u, MCRegister(AMDGPU::VGPR14_VGPR15_VGPR16_VGPR17)},
       10,
       vectors},
      {"four",
       {11u, MCRegister(AMDGPU::SGPR16_SGPR17_SGPR18_SGPR19)},
       11,
       always(std::array<uint32_t, 4>{0x2000, 0x2001, 0x2002, 0x2003})},
      // What a narrower register does not fill is zero.
      {"four",
       {5u, MCRegister(AMDGPU::VGPR9_VGPR10_VGPR11)},
       5,
       [](unsigned Lane) {
         return std::vector<uint32_t>{Lane + 32, Lane + 48, Lane + 64, 0};
       }},
      {"four",
       {6u, MCRegister(AMDGPU::SGPR12_SGPR13)},
       6,
       always(std::array<uint32_t, 4>{0x1000, 0x1001, 0, 0})},
      {"four",
       {7u, HookArgument::part(Four, 1, 2)},
       7,
       [](unsigned Lane) {
         return std::vector<uint32_t>{Lane + 32, Lane + 48, 0, 0};
       }},
      {"four", {8u, 77u}, 8, always(std::array<uint32_t, 4>{77, 0, 0, 0})},
  };
  if (hasAGPRs())
    Calls.push_back({"four",
                     {9u, MCRegister(AMDGPU::AGPR0_AGPR1_AGPR2_AGPR3)},
                     9,
                     vectors});
  expect(Calls);
  // The data of a store.
  expect({{"four", {0u, HookArgument::operand(1)}, 0, vectors}},
         "GLOBAL_STORE_DWORDX4");
}

TEST_P(WideArgument, WhatDoesNotFitIsRefused) {
  auto refused = [&](const char *Hook, std::vector<HookArgument> Arguments,
                     const char *Text) {
    SCOPED_TRACE(Hook);
    expectRefused(
        fromAssembly(K), Launch,
        [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
          Task.insertHookBefore(find(LR, "S_SLEEP"), hook(Hook), Arguments);
        },
        RefusalReason::HookArguments, Text);
  };
  refused("four", {0u},
          "hook 'four' at s_sleep: it takes an integer of 4 bytes, a structure "
          "or array of 16 "
          "bytes, but is given an integer");
  refused("four", {0u, 1u, 2u}, "is given an integer, an integer, an integer");
  // A structure of more bytes than the parameters that are left.
  refused("pair", {0u, HookArgument::value(Words3{})}, "Words3 of 12 bytes");
  refused("mixed", {0u, HookArgument::value(Words2{})}, "Words2 of 8 bytes");
  // Nor one of fewer, and numbers are not converted.
  refused("four", {0u, HookArgument::value(Words3{})},
          "Words3 of 12 bytes is given for a structure or array of 16 bytes");
  refused("numbers", {0u, 1.0, HookArgument::value(1.5f), 3.0},
          "a value of type float of 4 bytes is given for a floating-point "
          "number of 8 bytes");
  // What is left of a number is no padding, as the end of a structure may be.
  refused("numbers", {0u, HookArgument::value(1.5), 1.0, 3.0},
          "a value of type double of 8 bytes is given for a floating-point "
          "number of 4 bytes");
  refused("numbers", {0u, HookArgument::value(uint64_t(1)), 1.0, 3.0},
          "of 8 bytes is given for a floating-point number of 4 bytes");
  // Either the first one's end is padding, or the second one's middle.
  refused(
      "loose",
      {0u, HookArgument::value(LooseTail{}), HookArgument::value(LooseSplit{})},
      "LooseTail of 16 bytes may be for 2 parameters or for 3: give its "
      "members one by one");
  // The bits of an integer are another number, and half a pointer is nothing.
  refused("numbers", {0u, 1u, 1.0, 3.0},
          "an integer is given for a floating-point number of 4 bytes: write "
          "1.0 for 1");
  static int Variable;
  refused("numbers", {&Variable, 1.0, 1.0, 3.0},
          "a pointer of 8 bytes is given for an integer of 4 bytes");
  refused("three", {1.5, HookArgument::value(Words3{})},
          "a floating-point number is given for an integer of 4 bytes");
}

INSTANTIATE_TEST_SUITE_P(Targets, WideArgument,
                         ::testing::ValuesIn(allTargets()), targetName);

} // namespace
} // namespace luthier::test
