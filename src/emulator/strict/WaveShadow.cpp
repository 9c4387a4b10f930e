// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/strict/WaveShadow.h"
#include "emulator/exec/Workgroup.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include <algorithm>
#include <utility>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace luthier::emulator::strict {

WaveShadow::WaveShadow()
    : Storage(new uint32_t[size_t(NumRows) * NumLanes + NumLanes]) {
  auto Address = reinterpret_cast<uintptr_t>(Storage.get());
  Plane.V = reinterpret_cast<uint32_t *>((Address + 63) & ~uintptr_t(63));
  std::fill_n(row(FirstSpare), size_t(NumSpare) * NumLanes, 0u);
}

void WaveShadow::start(const Wave &W, const LaunchPlan &Plan,
                       const Workgroup::LaunchScalars &Set,
                       ThreadContext &Thread, uint8_t *Lds) {
  uint32_t *const Rows = Plane.V;
  Plane = W;
  Plane.V = Rows;
  Plane.Thread = &Thread;
  Plane.Lds = Lds;

  // Other rows than those of the launch never hold anything.
  auto Fill = [&](unsigned First, unsigned Count) {
    std::fill_n(row(First), size_t(Count) * NumLanes, ~0u);
    std::fill_n(Lanes + First, Count, W.LaneMask);
    std::fill_n(Unwritten + First, Count, W.LaneMask);
  };
  if (std::exchange(AnyStray, false))
    std::fill(std::begin(Stray), std::end(Stray), 0);
  StrayScalars.reset();
  Empty.reset();
  Fill(0, Plan.NumVgprs);
  Fill(NumArchVgprs, Plan.NumAgprs);
  unsigned NumIds =
      W.T->PacksWorkItemIds
          ? 1
          : 1 + AMDHSA_BITS_GET(
                    Plan.D->ComputePgmRsrc2,
                    llvm::amdhsa::COMPUTE_PGM_RSRC2_ENABLE_VGPR_WORKITEM_ID);
  for (unsigned N = 0; N != std::min(NumIds, 3u); ++N)
    define(N, W.exec());

  std::fill_n(Plane.S, sreg::TrapTemp, ~0u);
  std::fill(Plane.S + sreg::TrapTemp, std::end(Plane.S), 0u);
  std::fill_n(Plane.S, Set.NumUser, 0u);
  std::fill(Plane.S + Set.FirstSystem, Plane.S + Set.End, 0u);
  Plane.S[sreg::M0] = ~0u;
  Plane.S[sreg::Scc] = 1;
  Plane.setS64(sreg::Exec, W.s64(sreg::Exec));
  // Launches without scratch set nothing up.
  const bool IsSetUp =
      W.T->Scratch == ScratchSetup::Architected &&
      AMDHSA_BITS_GET(Plan.D->ComputePgmRsrc2,
                      llvm::amdhsa::COMPUTE_PGM_RSRC2_ENABLE_PRIVATE_SEGMENT);
  Plane.setS64(W.T->FlatScratch, IsSetUp ? 0 : ~uint64_t(0));
}

void WaveShadow::refresh(unsigned Reg) {
  const uint32_t *Row = row(Reg);
  uint64_t Mask = 0;
#ifdef __SSE2__
  for (unsigned L = 0; L != NumLanes; L += 4) {
    const __m128i Four =
        _mm_load_si128(reinterpret_cast<const __m128i *>(Row + L));
    const __m128i Clean = _mm_cmpeq_epi32(Four, _mm_setzero_si128());
    Mask |= uint64_t(~_mm_movemask_ps(_mm_castsi128_ps(Clean)) & 0xf) << L;
  }
#else
  for (unsigned Group = 0; Group != NumLanes; Group += 16) {
    uint32_t Bits = 0;
    for (unsigned L = 0; L != 16; ++L)
      Bits |= uint32_t(Row[Group + L] != 0) << L;
    Mask |= uint64_t(Bits) << Group;
  }
#endif
  Lanes[Reg] = Mask;
}

void WaveShadow::define(unsigned Reg, uint64_t Mask) {
  if (!(Lanes[Reg] & Mask))
    return;
  if (Lanes[Reg] & ~Mask)
    return setAll(Reg, Mask, 0);
  std::fill_n(row(Reg), NumLanes, 0u);
  Lanes[Reg] = 0;
}

void WaveShadow::set(unsigned Reg, uint64_t Mask, const uint32_t *Bits) {
  uint32_t *Row = row(Reg);
  for (unsigned L = 0; L != NumLanes; ++L) {
    uint32_t Chosen = 0 - uint32_t(Mask >> L & 1);
    Row[L] = (Bits[L] & Chosen) | (Row[L] & ~Chosen);
  }
  refresh(Reg);
}

void WaveShadow::setAll(unsigned Reg, uint64_t Mask, uint32_t Bits) {
  uint32_t *Row = row(Reg);
  for (unsigned L = 0; L != NumLanes; ++L) {
    uint32_t Chosen = 0 - uint32_t(Mask >> L & 1);
    Row[L] = (Bits & Chosen) | (Row[L] & ~Chosen);
  }
  Lanes[Reg] = Bits ? Lanes[Reg] | Mask : Lanes[Reg] & ~Mask;
}

} // namespace luthier::emulator::strict
