// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/Workgroup.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include <algorithm>
#include <iterator>

namespace luthier::emulator {

namespace {

/// Fills state that hardware leaves undefined. Repeatable, and never zero, so
/// that a program that counts on zeroes shows it.
#if defined(__x86_64__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
void fillGarbage(uint32_t *Words, size_t Count, uint64_t Seed) {
  auto Base = uint32_t((Seed + 1) * 0x9e3779b97f4a7c15 >> 32);
  for (size_t N = 0; N != Count; ++N)
    Words[N] = (uint32_t(N) * 0x9e3779b1 + Base) | 0x80000001;
}

void complement(uint32_t *Words, size_t Count) {
  for (size_t N = 0; N != Count; ++N)
    Words[N] = ~Words[N];
}

constexpr unsigned RowsPerWave = NumVectorRegs;

} // namespace

Workgroup::Workgroup(const LaunchPlan &Plan, ThreadContext &Thread,
                     unsigned FirstScratchSlot)
    : Waves(Plan.WavesPerWorkgroup), Plan(Plan), Thread(Thread),
      FirstScratchSlot(FirstScratchSlot), Lds((Plan.LdsSize + 3) / 4) {
  // Only the rows that are used get touched, and so cost memory.
  constexpr size_t Alignment = 64 / sizeof(uint32_t);
  size_t Size = size_t(RowsPerWave) * NumLanes * Plan.WavesPerWorkgroup;
  Registers.reset(new uint32_t[Size + Alignment]);
  auto Address = reinterpret_cast<uintptr_t>(Registers.get());
  AlignedRegisters =
      reinterpret_cast<uint32_t *>((Address + 63) & ~uintptr_t(63));
}

void Workgroup::start(uint64_t Index, uint64_t Seed, UnitPlaces::Place Where) {
  Place = Where;
  uint32_t Id[3];
  Id[0] = uint32_t(Index % Plan.NumWorkgroups[0]);
  Id[1] = uint32_t(Index / Plan.NumWorkgroups[0] % Plan.NumWorkgroups[1]);
  Id[2] = uint32_t(Index / Plan.NumWorkgroups[0] / Plan.NumWorkgroups[1]);
  fillGarbage(Lds.data(), Lds.size(), Seed ^ Index);
  if (Plan.InvertsGarbage) {
    const auto Kept = std::min<size_t>(Lds.size(), Plan.Kept.LdsBytes / 4);
    complement(Lds.data() + Kept, Lds.size() - Kept);
  }
  NumRunning = 0;
  for (unsigned N = 0; N != Plan.WavesPerWorkgroup; ++N)
    startWave(N, Id, Seed ^ (Index * Plan.WavesPerWorkgroup + N + 1));
  Split.start(NumRunning);
}

/// Work-items count through x, then y, then z of the workgroup's real size,
/// which is smaller where the grid's end cuts it off.
uint64_t Workgroup::activeLanes(unsigned Number, const uint32_t (&Id)[3],
                                uint32_t *ItemIds) const {
  uint32_t Size[3];
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    uint32_t Full = Plan.D->WorkgroupSize[Axis];
    Size[Axis] = std::min(Full, Plan.D->GridSize[Axis] - Id[Axis] * Full);
  }
  const bool Packed = Plan.T->PacksWorkItemIds;
  const unsigned NumIds =
      1 +
      AMDHSA_BITS_GET(Plan.D->ComputePgmRsrc2,
                      llvm::amdhsa::COMPUTE_PGM_RSRC2_ENABLE_VGPR_WORKITEM_ID);
  const uint32_t First = Number * Plan.WaveSize;
  uint32_t X = First % Size[0], Y = First / Size[0] % Size[1];
  uint32_t Z = First / Size[0] / Size[1];
  unsigned Lane = 0;
  // One run of equal y and z after the other.
  while (Lane != Plan.WaveSize && Z < Size[2]) {
    const unsigned Run = std::min(Size[0] - X, Plan.WaveSize - Lane);
    const uint32_t Others = Packed ? Y << 10 | Z << 20 : 0;
    for (unsigned N = 0; N != Run; ++N)
      ItemIds[Lane + N] = (X + N) | Others;
    if (!Packed && NumIds > 1)
      std::fill_n(ItemIds + NumLanes + Lane, Run, Y);
    if (!Packed && NumIds > 2)
      std::fill_n(ItemIds + 2 * NumLanes + Lane, Run, Z);
    Lane += Run;
    X = 0;
    if (++Y == Size[1])
      Y = 0, ++Z;
  }
  return Lane == 0 ? 0 : ~uint64_t(0) >> (NumLanes - Lane);
}

/// What was inverted and shall not be.
void Workgroup::invertGarbage(uint32_t *V, std::span<uint32_t> S) const {
  auto Invert = [&](unsigned First, unsigned Count) {
    for (unsigned Reg = First; Reg != First + Count; ++Reg)
      if (!Plan.Kept.Vectors[Reg])
        complement(V + size_t(Reg) * NumLanes, NumLanes);
  };
  Invert(0, Plan.NumVgprs);
  Invert(NumArchVgprs, Plan.NumAgprs);
  for (size_t Reg = 0; Reg != S.size(); ++Reg)
    if (Reg >= Plan.Kept.Scalars.size() || !Plan.Kept.Scalars[Reg])
      S[Reg] = ~S[Reg];
}

void Workgroup::startWave(unsigned Number, const uint32_t (&Id)[3],
                          uint64_t Seed) {
  Wave &W = Waves[Number];
  uint32_t *V = AlignedRegisters + size_t(Number) * RowsPerWave * NumLanes;
  fillGarbage(V, size_t(Plan.NumVgprs) * NumLanes, Seed);
  fillGarbage(V + NumArchVgprs * NumLanes, size_t(Plan.NumAgprs) * NumLanes,
              Seed + 1);
  fillGarbage(W.S, std::size(W.S), Seed + 2);
  if (Plan.InvertsGarbage)
    invertGarbage(V, W.S);
  W.V = V;
  W.T = Plan.T;
  W.WaveSize = Plan.WaveSize;
  W.LaneMask = ~uint64_t(0) >> (NumLanes - Plan.WaveSize);
  std::fill_n(W.S + sreg::Null, sreg::Sink - sreg::Null, 0u);
  W.S[sreg::Scc] =
      (Seed & 1) ^ (Plan.InvertsGarbage && !Plan.Kept.Scalars[sreg::Scc]);
  uint64_t Exec = activeLanes(Number, Id, V);
  W.setS64(sreg::Exec, Exec);
  W.PC = Plan.EntryPC;
  W.Thread = &Thread;
  W.Lds = reinterpret_cast<uint8_t *>(Lds.data());
  W.LdsSize = Plan.LdsSize;
  W.ForgivesLds = Plan.ForgivesLds;
  W.setMode(Plan.InitialMode);
  W.DppMask = ~uint64_t(0);
  W.Limits = Plan.Limits;
  std::copy(Id, Id + 3, W.WorkgroupId);
  W.IdInWorkgroup = Number;
  W.Slot = FirstScratchSlot + Number;
  W.Place = placeOf(Number);
  W.WaveInstructions = W.LaneInstructions = 0;
  W.Time.reset();
  W.PrivateSegmentSize = Plan.D->PrivateSegmentSize;
  W.FaultDetail = "";
  W.Split = &Split;
  W.NumSplitPassed = 0;
  setScalars(W);
  // Hardware launches no wave for work-items that do not exist.
  W.Event = Exec ? WaveEvent::None : WaveEvent::Ended;
  NumRunning += Exec != 0;
}

/// A workgroup's waves are spread over its SIMDs. AMD's own programs do not
/// agree on which bit of a SIMD's number tells the two units of a pair apart:
/// HIP's __smid() takes the lower one.
WavePlace Workgroup::placeOf(unsigned Number) const {
  const ComputeUnit &Unit = Plan.Units[Place.Unit];
  const unsigned InUnit = Place.Number * Plan.WavesPerWorkgroup + Number;
  const unsigned Simd = InUnit % Plan.SimdsPerUnit;
  const bool IsOneOfPair = Plan.T->HasWorkgroupPairs && !Plan.HasWholePairs;
  return {Unit.Engine, Unit.Number, IsOneOfPair ? Simd << 1 | Unit.Half : Simd,
          InUnit / Plan.SimdsPerUnit};
}

void Workgroup::setUserRegisters(Wave &W) {
  using namespace llvm::amdhsa;
  const Dispatch &D = *Plan.D;
  uint16_t Properties = D.KernelCodeProperties;
  unsigned Reg = 0;
  auto Push = [&](uint32_t Value) { W.S[Reg++] = Value; };
  auto Push64 = [&](uint64_t Value) {
    Push(uint32_t(Value));
    Push(uint32_t(Value >> 32));
  };
  if (Properties & KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER) {
    for (uint32_t Word : D.ScratchResource)
      Push(Word);
    // A queue has one descriptor for both wave sizes: INDEX_STRIDE, with 8 << N
    // lanes, is up to the launch.
    constexpr unsigned IndexStride = 21, Narrow = 2, Wide = 3;
    constexpr uint32_t AddThreadId = 1 << 23;
    uint32_t &Last = W.S[Reg - 1];
    if (Last & AddThreadId) {
      Last &= ~(3u << IndexStride);
      Last |= (W.WaveSize == 32 ? Narrow : Wide) << IndexStride;
    }
  }
  if (Properties & KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_PTR)
    Push64(D.PacketAddress);
  if (Properties & KERNEL_CODE_PROPERTY_ENABLE_SGPR_QUEUE_PTR)
    Push64(D.QueueAddress);
  if (Properties & KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR)
    Push64(D.KernargAddress);
  if (Properties & KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_ID)
    Push64(D.DispatchId);
  if (Properties & KERNEL_CODE_PROPERTY_ENABLE_SGPR_FLAT_SCRATCH_INIT)
    Push64(D.ScratchBase);
  if (Properties & KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_SIZE)
    Push(D.PrivateSegmentSize);
  for (unsigned N = 0; N != Plan.NumPreloaded; ++N)
    Push(Plan.Preloaded[N]);
  Scalars.NumUser = Reg;
  Scalars.FirstSystem = AMDHSA_BITS_GET(
      D.ComputePgmRsrc2, COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT);
}

void Workgroup::setTrapTemporaries(Wave &W) const {
  constexpr unsigned IdYZ = 7, WaveNumber = 8, IdX = 9;
  W.S[sreg::TrapTemp + IdX] = W.WorkgroupId[0];
  W.S[sreg::TrapTemp + IdYZ] = (W.WorkgroupId[1] & 0xffff) | W.WorkgroupId[2]
                                                                 << 16;
  W.S[sreg::TrapTemp + WaveNumber] = W.IdInWorkgroup << 25;
}

void Workgroup::setScalars(Wave &W) {
  using namespace llvm::amdhsa;
  const Dispatch &D = *Plan.D;
  // The system registers follow the user registers that were asked for.
  setUserRegisters(W);
  unsigned Reg = Scalars.FirstSystem;
  auto Push = [&](uint32_t Value) { W.S[Reg++] = Value; };
  uint32_t R2 = D.ComputePgmRsrc2;
  if (Plan.T->WorkgroupIdsInTtmp) {
    setTrapTemporaries(W);
  } else {
    if (AMDHSA_BITS_GET(R2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_X))
      Push(W.WorkgroupId[0]);
    if (AMDHSA_BITS_GET(R2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Y))
      Push(W.WorkgroupId[1]);
    if (AMDHSA_BITS_GET(R2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Z))
      Push(W.WorkgroupId[2]);
  }
  if (AMDHSA_BITS_GET(R2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_INFO)) {
    // First wave [31], wave's number [11:6], waves in the workgroup [5:0].
    Push(uint32_t(W.IdInWorkgroup == 0) << 31 | W.IdInWorkgroup << 6 |
         Plan.WavesPerWorkgroup);
  }
  uint64_t WaveOffset = W.Slot * D.ScratchBytesPerWave;
  W.ScratchBegin = D.ScratchBase + WaveOffset;
  W.ScratchLimit = D.ScratchBytesPerWave;
  Scalars.End = Reg;
  if (!AMDHSA_BITS_GET(R2, COMPUTE_PGM_RSRC2_ENABLE_PRIVATE_SEGMENT))
    return;
  if (Plan.T->Scratch == ScratchSetup::Architected)
    W.setS64(Plan.T->FlatScratch, W.ScratchBegin);
  else
    Push(uint32_t(WaveOffset));
  Scalars.End = Reg;
}

void Workgroup::settleBarrier() {
  unsigned Waiting = 0;
  for (Wave &W : Waves) {
    Waiting += W.Event == WaveEvent::Barrier;
    if (W.Event == WaveEvent::SplitBarrier && W.passesSplitBarrier())
      W.Event = WaveEvent::None;
  }
  if (!Waiting || Waiting != NumRunning)
    return;
  uint64_t Latest = 0;
  for (const Wave &W : Waves)
    if (W.Event == WaveEvent::Barrier)
      Latest = std::max(Latest, W.Time.Cycles);
  for (Wave &W : Waves)
    if (W.Event == WaveEvent::Barrier) {
      W.Event = WaveEvent::None;
      W.Time.waitUntil(Latest);
    }
}

} // namespace luthier::emulator
