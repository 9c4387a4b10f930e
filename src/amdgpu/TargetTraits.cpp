// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "amdgpu/TargetTraits.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIDefines.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include <cassert>

using namespace llvm;

namespace luthier {
namespace {

/// ISA manuals, "S_WAITCNT". One row per layout of the instruction.
//                                 vm     high   exp   lgkm   stores split
constexpr WaitTraits Gfx9Waits = {0, 4, 14, 2, 4, 3, 8, 4, false, false};
constexpr WaitTraits Gfx10Waits = {0, 4, 14, 2, 4, 3, 8, 6, true, false};
constexpr WaitTraits Gfx11Waits = {10, 6, 0, 0, 0, 3, 4, 6, true, false};
constexpr WaitTraits Gfx12Waits = {0, 0, 0, 0, 0, 0, 0, 0, true, true};

/// ISA manuals, "Hardware register". STATE_PRIV has the flags, too, where it
/// is.
constexpr uint64_t InStatus = uint64_t(1) << AMDGPU::Hwreg::ID_STATUS;
constexpr uint64_t InStatePriv = uint64_t(1) << AMDGPU::Hwreg::ID_STATE_PRIV;

constexpr uint32_t SNop = 0xBF800000, SCodeEnd = 0xBF9F0000;

namespace Family = SIEncodingFamily;
constexpr int NewerThanVI[] = {Family::GFX9};
constexpr int NewerThanGfx9[] = {Family::GFX90A, Family::GFX9};
constexpr int NewerThanGfx90A[] = {Family::GFX940, Family::GFX90A,
                                   Family::GFX9};
constexpr StringLiteral Gfx9Registers[] = {"_gfxpre11", "_gfx9plus", "_vi"};
constexpr StringLiteral Gfx10Registers[] = {"_gfxpre11", "_gfx9plus"};
constexpr StringLiteral Gfx11Registers[] = {"_gfx11plus", "_gfx9plus"};

constexpr EncodingTraits gfx9Encodings(ArrayRef<int> Overrides) {
  return {Family::VI, Family::GFX9, Family::SDWA9, Overrides, Gfx9Registers};
}
constexpr EncodingTraits laterEncodings(int Column,
                                        ArrayRef<StringLiteral> Registers) {
  return {Column, Column, Family::SDWA10, {}, Registers};
}
constexpr EncodingTraits Gfx9Encodings = gfx9Encodings(NewerThanVI);
constexpr EncodingTraits Gfx90AEncodings = gfx9Encodings(NewerThanGfx9);
constexpr EncodingTraits Gfx940Encodings = gfx9Encodings(NewerThanGfx90A);
constexpr EncodingTraits Gfx10Encodings =
    laterEncodings(Family::GFX10, Gfx10Registers);
constexpr EncodingTraits Gfx11Encodings =
    laterEncodings(Family::GFX11, Gfx11Registers);
constexpr EncodingTraits Gfx12Encodings =
    laterEncodings(Family::GFX12, Gfx11Registers);

constexpr TargetTraits Rows[] = {
#define LUTHIER_TARGET(...) {__VA_ARGS__},
#include "amdgpu/Targets.def"
};

} // namespace

ArrayRef<TargetTraits> allTargetTraits() { return Rows; }

const TargetTraits *targetTraits(StringRef Processor) {
  const auto *Row = find_if(
      Rows, [&](const TargetTraits &T) { return T.Processor == Processor; });
  return Row == std::end(Rows) ? nullptr : Row;
}

const TargetTraits &targetTraits(const MCSubtargetInfo &ST) {
  const TargetTraits *Row = targetTraits(ST.getCPU());
  assert(Row && "MCTarget refuses processors without a row");
  return *Row;
}

const TargetTraits &targetTraits(const MachineInstr &MI) {
  return targetTraits(MI.getMF()->getSubtarget());
}

const RegisterFileTraits *registerFileTraits(StringRef Processor) {
  const TargetTraits *Row = targetTraits(Processor);
  return Row ? &Row->Registers : nullptr;
}

const LaunchTraits *launchTraits(StringRef Processor) {
  const TargetTraits *Row = targetTraits(Processor);
  return Row ? &Row->Launch : nullptr;
}

} // namespace luthier
