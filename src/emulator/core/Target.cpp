// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/core/Target.h"
#include "emulator/core/Registers.h"
#include <algorithm>
#include <iterator>

namespace luthier::emulator {

namespace {

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
    .M0Encoding = 124,
    .NullEncoding = 0,
    .ImpliedMode = 0,
    .Dpp = DppControls::Gcn,
    .HasGprIndexMode = true,
    .Waits = WaitLayout::Gfx9,
    .Hazards = hazard::Vega,
    .Buffers = BufferLayout::Split,
    .HasDeallocMessage = false,
    .FlatOffsetBits = 13,
    .FlatOffsetIsUnsigned = true,
    .NarrowLoadsClear = true,
    .NarrowResultsKeepHigh = false,
    .HasUnsignedZeroFloats8 = false,
    .MatrixFlushesDenormals = false,
    .HasFnuzFp8 = false,
    .WmmaReplicates = false,
    .DotAddsLate = true,
    .CmpxWritesOnlyExec = false,
    .HasLdsDirectSource = true,
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
  T.HasLdsDirectSource = false;
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
  T.NullEncoding = 125;
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
  T.HasLdsDirectSource = false;
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
  T.M0Encoding = 125;
  T.NullEncoding = 124;
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
  T.PermuteSpan64 = 64;
  return T;
}();

constexpr Target Rows[] = {Gfx906, Gfx908,  Gfx90A,  Gfx942,
                           Gfx950, Gfx1030, Gfx1100, Gfx1201};

} // namespace

unsigned Target::scalarIndex(unsigned Encoding) const {
  if (Encoding == M0Encoding)
    return sreg::M0;
  return NullEncoding && Encoding == NullEncoding ? sreg::Null : Encoding;
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
