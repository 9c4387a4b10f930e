// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/core/Target.h"
#include "emulator/core/Registers.h"
#include <algorithm>
#include <initializer_list>
#include <iterator>

namespace luthier::emulator {

namespace {

// Encodings of scalar operands; what comes between them are constants.
constexpr ScalarOperandRange Gfx9Operands[] = {
    {0, 101, ScalarOperand::Sgpr},
    {102, 103, ScalarOperand::FlatScratch},
    {104, 105, ScalarOperand::XnackMask},
    {106, 107, ScalarOperand::Vcc},
    {108, 123, ScalarOperand::TrapTemp},
    {124, 124, ScalarOperand::M0},
    {126, 127, ScalarOperand::Exec},
    {235, 235, ScalarOperand::SharedBase},
    {236, 236, ScalarOperand::SharedLimit},
    {237, 237, ScalarOperand::PrivateBase},
    {238, 238, ScalarOperand::PrivateLimit},
    {239, 239, ScalarOperand::PopsExitingWaveId},
    {251, 251, ScalarOperand::VccZero},
    {252, 252, ScalarOperand::ExecZero},
    {253, 253, ScalarOperand::Scc},
    {254, 254, ScalarOperand::LdsDirect},
};
/// Without values of LDS.
constexpr std::span Gfx90AOperands =
    std::span(Gfx9Operands).first(std::size(Gfx9Operands) - 1);
constexpr ScalarOperandRange Gfx10Operands[] = {
    {0, 105, ScalarOperand::Sgpr},
    {106, 107, ScalarOperand::Vcc},
    {108, 123, ScalarOperand::TrapTemp},
    {124, 124, ScalarOperand::M0},
    {125, 125, ScalarOperand::Null},
    {126, 127, ScalarOperand::Exec},
    {235, 235, ScalarOperand::SharedBase},
    {236, 236, ScalarOperand::SharedLimit},
    {237, 237, ScalarOperand::PrivateBase},
    {238, 238, ScalarOperand::PrivateLimit},
    {239, 239, ScalarOperand::PopsExitingWaveId},
    {251, 251, ScalarOperand::VccZero},
    {252, 252, ScalarOperand::ExecZero},
    {253, 253, ScalarOperand::Scc},
    {254, 254, ScalarOperand::LdsDirect},
};
constexpr ScalarOperandRange Gfx11Operands[] = {
    {0, 105, ScalarOperand::Sgpr},
    {106, 107, ScalarOperand::Vcc},
    {108, 123, ScalarOperand::TrapTemp},
    {124, 124, ScalarOperand::Null},
    {125, 125, ScalarOperand::M0},
    {126, 127, ScalarOperand::Exec},
    {235, 235, ScalarOperand::SharedBase},
    {236, 236, ScalarOperand::SharedLimit},
    {237, 237, ScalarOperand::PrivateBase},
    {238, 238, ScalarOperand::PrivateLimit},
    {253, 253, ScalarOperand::Scc},
};

struct Numbered {
  unsigned Number;
  HardwareRegister What;
};
constexpr HardwareRegisters numbered(std::initializer_list<Numbered> List) {
  HardwareRegisters All = {};
  for (const Numbered &N : List)
    All[N.Number] = N.What;
  return All;
}

constexpr HardwareRegisters Gfx906Registers = numbered({
    {1, HardwareRegister::Mode},
    {2, HardwareRegister::Status},
    {3, HardwareRegister::TrapStatus},
    {4, HardwareRegister::HwId},
    {5, HardwareRegister::GprAlloc},
    {6, HardwareRegister::LdsAlloc},
    {7, HardwareRegister::IbStatus},
    {15, HardwareRegister::MemoryBases},
    {16, HardwareRegister::TrapAddress},
    {17, HardwareRegister::TrapAddress},
    {18, HardwareRegister::TrapAddress},
    {19, HardwareRegister::TrapAddress},
});
constexpr HardwareRegisters Gfx942Registers = [] {
  HardwareRegisters R = Gfx906Registers;
  R[20] = HardwareRegister::XccId;
  // Samples of a profiler.
  R[21] = R[22] = R[23] = R[24] = HardwareRegister::NotEmulated;
  return R;
}();
constexpr HardwareRegisters Gfx1030Registers = numbered({
    {1, HardwareRegister::Mode},
    {2, HardwareRegister::Status},
    {3, HardwareRegister::TrapStatus},
    {5, HardwareRegister::WaveGprAlloc},
    {6, HardwareRegister::LdsAlloc},
    {7, HardwareRegister::IbStatus},
    {15, HardwareRegister::MemoryBases},
    {16, HardwareRegister::TrapAddress},
    {17, HardwareRegister::TrapAddress},
    {18, HardwareRegister::TrapAddress},
    {19, HardwareRegister::TrapAddress},
    {20, HardwareRegister::FlatScratchLow},
    {21, HardwareRegister::FlatScratchHigh},
    {23, HardwareRegister::HwId1},
    {24, HardwareRegister::HwId2},
    {25, HardwareRegister::NotEmulated}, // POPS_PACKER: of waves that draw
    {28, HardwareRegister::IbStatus2},
    {29, HardwareRegister::ShaderCycles},
});
constexpr HardwareRegisters Gfx1100Registers = numbered({
    {1, HardwareRegister::Mode},
    {2, HardwareRegister::Status},
    {3, HardwareRegister::TrapStatus},
    {5, HardwareRegister::WaveGprAlloc},
    {6, HardwareRegister::LdsAlloc},
    {7, HardwareRegister::IbStatus},
    {15, HardwareRegister::MemoryBases},
    {18, HardwareRegister::NotEmulated}, // samples of a profiler: 18, 19, 27
    {19, HardwareRegister::NotEmulated},
    {20, HardwareRegister::ScratchBaseLow},
    {21, HardwareRegister::ScratchBaseHigh},
    {23, HardwareRegister::HwId1},
    {24, HardwareRegister::HwId2},
    {27, HardwareRegister::NotEmulated},
    {28, HardwareRegister::IbStatus2},
    {29, HardwareRegister::ShaderCycles},
});
constexpr HardwareRegisters Gfx1201Registers = numbered({
    {1, HardwareRegister::Mode},
    {2, HardwareRegister::WaveStatus},
    {4, HardwareRegister::StatePriv},
    {5, HardwareRegister::WaveGprAlloc},
    {6, HardwareRegister::LdsAlloc},
    {7, HardwareRegister::IbStatus},
    {10, HardwareRegister::NotEmulated}, // samples of a profiler: up to 16
    {11, HardwareRegister::NotEmulated},
    {12, HardwareRegister::NotEmulated},
    {15, HardwareRegister::NotEmulated},
    {16, HardwareRegister::NotEmulated},
    {17, HardwareRegister::ExceptionsPriv},
    {18, HardwareRegister::ExceptionsUser},
    {19, HardwareRegister::TrapControl},
    {20, HardwareRegister::NotEmulated}, // SCRATCH_BASE: of trap handlers
    {21, HardwareRegister::NotEmulated},
    {23, HardwareRegister::HwId1},
    {24, HardwareRegister::HwId2},
    {26, HardwareRegister::SchedulingMode},
    {28, HardwareRegister::IbStatus2},
    {29, HardwareRegister::ShaderCyclesLow},
    {30, HardwareRegister::ShaderCyclesHigh},
    {31, HardwareRegister::DynamicVgprs},
    {32, HardwareRegister::DynamicVgprs},
});

// Each row is an older one and what changed; the first is complete.
constexpr Target Gfx906 = {
    .Name = "gfx906",
    .Generation = 9,
    .Minor = 0,
    .Stepping = 6,
    .ElfMachine = 0x2f,
    .HasWave32 = false,
    .VgprsPerSimd = 256,
    .VgprGranule = 4,
    .VgprAllocation = 4,
    .HasAgprs = false,
    .HasUnifiedFile = false,
    .MaxSgprs = 102,
    .CountsSgprs = true,
    .SimdsPerUnit = 4,
    .MaxWavesPerSimd = 10,
    .HasWorkgroupPairs = false,
    .HasSharedVgprs = false,
    .HasDynamicVgprs = false,
    .LdsPerUnit = 64 * 1024,
    .LdsGranule = 512,
    .PacksWorkItemIds = false,
    .WorkgroupIdsInTtmp = false,
    .PreloadsKernargs = false,
    .Scratch = ScratchSetup::RegisterPair,
    .Tmpring = {13, 1024, false},
    .FlatScratch = sreg::FlatScratch,
    .HasTrue16 = false,
    .WideEncodingsTakeLiterals = false,
    .MadmkF16 = 0x24,
    .HasScalarBarriers = false,
    .ScalarOperands = Gfx9Operands,
    .HardwareRegisters = Gfx906Registers,
    .ImpliedMode = 0,
    .Dpp = DppControls::Gcn,
    .HasGprIndexMode = true,
    .Waits = WaitLayout::Gfx9,
    .Hazards = hazard::Vega,
    .Buffers = BufferLayout::Split,
    .HasDeallocMessage = false,
    .FlatOffsetBits = 13,
    .FlatOffsetIsUnsigned = true,
    .HasCacheScopes = false,
    .NarrowLoadsClear = true,
    .NarrowResultsKeepHigh = false,
    .HasUnsignedZeroFloats8 = false,
    .MatrixFlushesDenormals = false,
    .HasFnuzFp8 = false,
    .WmmaReplicates = false,
    .DotAddsLate = true,
    .CmpxWritesOnlyExec = false,
    .PermuteSpan64 = 64,
};

constexpr Target Gfx908 = [] {
  Target T = Gfx906;
  T.Name = "gfx908";
  T.Stepping = 8;
  T.ElfMachine = 0x30;
  T.Hazards = hazard::Mi100;
  T.HasAgprs = true;
  return T;
}();

constexpr Target Gfx90A = [] {
  Target T = Gfx908;
  T.Name = "gfx90a";
  T.Stepping = 10;
  T.ElfMachine = 0x3f;
  T.Hazards = hazard::Mi200;
  T.ScalarOperands = Gfx90AOperands;
  T.VgprsPerSimd = 512;
  T.VgprGranule = T.VgprAllocation = 8;
  T.HasUnifiedFile = true;
  T.Dpp = DppControls::Cdna;
  T.MatrixFlushesDenormals = true;
  T.MaxWavesPerSimd = 8;
  T.PacksWorkItemIds = true;
  T.PreloadsKernargs = true;
  return T;
}();

constexpr Target Gfx942 = [] {
  Target T = Gfx90A;
  T.Name = "gfx942";
  T.Minor = 4;
  T.Stepping = 2;
  T.ElfMachine = 0x4c;
  T.Hazards = hazard::Mi300;
  T.HardwareRegisters = Gfx942Registers;
  T.HasFnuzFp8 = true;
  T.HasUnsignedZeroFloats8 = true;
  T.MatrixFlushesDenormals = false;
  T.Scratch = ScratchSetup::Architected;
  return T;
}();

constexpr Target Gfx950 = [] {
  Target T = Gfx942;
  T.Name = "gfx950";
  T.Minor = 5;
  T.Stepping = 0;
  T.ElfMachine = 0x4f;
  T.Hazards = hazard::Mi350;
  T.HasFnuzFp8 = false;
  T.HasUnsignedZeroFloats8 = false;
  T.LdsPerUnit = 160 * 1024;
  T.LdsGranule = 1280;
  return T;
}();

constexpr Target Gfx1030 = [] {
  Target T = Gfx906;
  T.Name = "gfx1030";
  T.Generation = 10;
  T.Minor = 3;
  T.Stepping = 0;
  T.ElfMachine = 0x36;
  T.Hazards = hazard::Gfx10;
  T.Buffers = BufferLayout::Unified;
  T.HasWorkgroupPairs = true;
  T.HasSharedVgprs = true;
  T.WideEncodingsTakeLiterals = true;
  T.MadmkF16 = 0x37;
  T.DotAddsLate = false;
  T.HasWave32 = true;
  T.VgprsPerSimd = 512;
  T.VgprAllocation = 8;
  T.MaxSgprs = 106;
  T.CountsSgprs = false;
  T.SimdsPerUnit = 2;
  T.MaxWavesPerSimd = 16;
  T.LdsGranule = 1024;
  T.Scratch = ScratchSetup::HardwareRegister;
  T.FlatScratch = sreg::HiddenFlatScratch;
  T.ScalarOperands = Gfx10Operands;
  T.HardwareRegisters = Gfx1030Registers;
  T.Dpp = DppControls::Rdna;
  T.HasGprIndexMode = false;
  T.Waits = WaitLayout::Gfx10;
  T.FlatOffsetBits = 12;
  T.NarrowLoadsClear = false;
  T.NarrowResultsKeepHigh = true;
  T.CmpxWritesOnlyExec = true;
  T.PermuteSpan64 = 32;
  return T;
}();

constexpr Target Gfx1100 = [] {
  Target T = Gfx1030;
  T.Name = "gfx1100";
  T.Generation = 11;
  T.Minor = 0;
  T.ElfMachine = 0x41;
  T.Hazards = hazard::Gfx11;
  T.Buffers = BufferLayout::Compact;
  T.Tmpring = {15, 256, true};
  T.HasTrue16 = true;
  T.HasDeallocMessage = true;
  T.WmmaReplicates = true;
  T.VgprsPerSimd = 768;
  T.VgprAllocation = 12;
  T.PacksWorkItemIds = true;
  T.Scratch = ScratchSetup::Architected;
  T.ScalarOperands = Gfx11Operands;
  T.HardwareRegisters = Gfx1100Registers;
  T.Waits = WaitLayout::Gfx11;
  T.FlatOffsetBits = 13;
  return T;
}();

constexpr Target Gfx1201 = [] {
  Target T = Gfx1100;
  T.Name = "gfx1201";
  T.Generation = 12;
  T.Stepping = 1;
  T.ElfMachine = 0x4e;
  T.Hazards = hazard::Gfx12;
  T.HardwareRegisters = Gfx1201Registers;
  T.Tmpring = {18, 256, true};
  T.HasSharedVgprs = false;
  T.HasDynamicVgprs = true;
  T.HasScalarBarriers = true;
  T.WmmaReplicates = false;
  T.WorkgroupIdsInTtmp = true;
  T.ImpliedMode = mode::Dx10Clamp | mode::Ieee;
  T.Waits = WaitLayout::Gfx12;
  T.FlatOffsetBits = 24;
  T.FlatOffsetIsUnsigned = false;
  T.HasCacheScopes = true;
  T.PermuteSpan64 = 64;
  return T;
}();

constexpr Target Rows[] = {Gfx906, Gfx908,  Gfx90A,  Gfx942,
                           Gfx950, Gfx1030, Gfx1100, Gfx1201};

} // namespace

ScalarOperand Target::scalarOperand(unsigned Encoding) const {
  for (const ScalarOperandRange &R : ScalarOperands)
    if (Encoding >= R.First && Encoding <= R.Last)
      return R.What;
  return ScalarOperand::None;
}

bool Target::has(ScalarOperand What) const {
  return std::ranges::find(ScalarOperands, What, &ScalarOperandRange::What) !=
         ScalarOperands.end();
}

unsigned Target::scalarIndex(unsigned Encoding) const {
  switch (scalarOperand(Encoding)) {
  case ScalarOperand::M0:
    return sreg::M0;
  case ScalarOperand::Null:
    return sreg::Null;
  default:
    return Encoding;
  }
}

std::span<const Target> targets() { return Rows; }

const Target *findTarget(std::string_view Name) {
  const Target *Row = std::ranges::find(Rows, Name, &Target::Name);
  return Row == std::end(Rows) ? nullptr : Row;
}

const Target *findTarget(unsigned ElfMachine) {
  const Target *Row = std::ranges::find(Rows, ElfMachine, &Target::ElfMachine);
  return Row == std::end(Rows) ? nullptr : Row;
}

} // namespace luthier::emulator
