// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/lockstep/Lockstep.h"
#include "emulator/exec/CodeCache.h"
#include "emulator/exec/Execution.h"
#include "emulator/exec/FaultText.h"
#include "emulator/lockstep/GarbageRun.h"
#include "emulator/lockstep/StateComparison.h"
#include "emulator/lockstep/UnsetReads.h"
#include "emulator/memory/Snapshot.h"
#include "emulator/strict/StrictMode.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>
#include <cstring>
#include <unordered_set>
#include <utility>

namespace luthier::emulator::lockstep {

namespace {

const std::function<void(uint32_t)> &noInterrupt() {
  static const auto &None = *new std::function<void(uint32_t)>;
  return None;
}

class Runner {
public:
  Runner(Side Original, Side Instrumented, const Options &O,
         std::optional<Side> Again);
  Result run();

private:
  struct Version {
    Version(Side S, const strict::Options &Checks, strict::ViolationSink Sink,
            const std::function<void(uint32_t)> &Interrupt, uint64_t Seed);
    Side S;
    Watcher Watch;
    Execution E;
  };
  uint64_t progress() const {
    return Original.E.counts().WaveInstructions + R.PayloadInstructions;
  }
  void runPair(uint64_t Number, uint64_t Slice);
  bool align(Wave &A, Wave &B);
  uint64_t stepPayload(Wave &A, Wave &B);
  uint64_t stepInstrumented(Wave &A, Wave &B, uint64_t Count);
  void excuseSaveOfScc(Wave &B, const Inst &I);
  bool isAboutToEnd(const Wave &A) const;
  bool compare(Wave &A, Wave &B, bool Everything);
  void compareReads(Wave &A, const Inst &I);
  bool stepBoth(Wave &A, Wave &B);
  std::optional<Difference> compareStores(const Wave &A) const;
  void compareMemory();
  bool isEqualAtEnd(uint64_t Begin, uint64_t End);
  void compareOwnMemory();
  Result finish();
  void compareInstruction(Wave &A, Wave &B);
  void replay(Wave &A, Wave &B, const InstInfo &Info);
  uint64_t sliceLength();

  std::optional<uint64_t> originalOf(uint64_t PC) const;
  StateComparison::Pair pairOf(Wave &A, Wave &B);
  void report(Difference D, const Wave &A, const Wave &B);
  bool isIgnored(uint64_t Address) const;
  bool holdsReturn(uint64_t Address) const;

  const Options &O;
  Result R;
  std::optional<strict::Violation> Violated;
  Version Original, Instrumented;
  std::optional<GarbageRun> Again;
  /// What it has shown. The two others go on: to know all that the original
  /// reads of what nobody set.
  std::optional<Difference> Garbage;
  const bool NotesUnset;
  UnsetReads Unset;
  StateComparison State;
  /// Instrumented PCs whose instruction is the original's.
  std::unordered_set<uint64_t> Known;
  /// O.ToOriginal, which is asked after each instruction of a payload.
  llvm::DenseMap<uint64_t, uint64_t> ToOriginal;
  /// By the PC where a wave entered payload or went on in it: how many
  /// instructions come one after the other before one that may jump, or is
  /// mapped. Such a jump is the last of them.
  llvm::DenseMap<uint64_t, uint64_t> Straight;
  uint64_t Random;
};

strict::Options undefinedOnly() {
  strict::Options Checks;
  Checks.Undefined = true;
  Checks.Continue = true;
  Checks.Loads = strict::LoadTiming::Earliest;
  return Checks;
}

strict::Options forInstrumented(strict::Options Checks) {
  Checks.Loads = strict::LoadTiming::Earliest;
  Checks.KnowsFunctions = true;
  return Checks;
}

Runner::Version::Version(Side S, const strict::Options &Checks,
                         strict::ViolationSink Sink,
                         const std::function<void(uint32_t)> &Interrupt,
                         uint64_t Seed)
    : S(S), Watch(Checks.anyCheck()
                      ? strict::observer(Checks, std::move(Sink))(S.Plan)
                      : nullptr),
      E(S.Plan, S.Memory, S.Code, Interrupt, Seed, 1, &Watch) {}

Runner::Runner(Side A, Side B, const Options &O, std::optional<Side> C)
    : O(O), Original(
                A, undefinedOnly(), [](const auto &) {},
                O.Interrupt ? O.Interrupt : noInterrupt(), O.Seed),
      Instrumented(
          B, forInstrumented(O.Strict),
          [this](const auto &V) {
            if (!Violated)
              Violated = V;
          },
          noInterrupt(), O.Seed),
      NotesUnset(C), State(O),
      ToOriginal(O.ToOriginal.begin(), O.ToOriginal.end()), Random(O.Seed) {
  if (C)
    Again.emplace(*C, O, [this](uint64_t PC) { return !originalOf(PC); });
  if (O.OnlyWhatIsRead || NotesUnset)
    Original.Watch.Before = [this](Wave &A, const Inst &I) {
      if (this->O.OnlyWhatIsRead)
        compareReads(A, I);
      if (NotesUnset)
        Unset.before(A, I, Original.Watch.trace(A),
                     *Original.Watch.uninitialised(A));
    };
  if (NotesUnset)
    Original.Watch.After = [this](Wave &A, const Inst &I) {
      Unset.after(A, I, *Original.Watch.uninitialised(A));
    };
  if (O.Strict.Undefined)
    Instrumented.Watch.Before = [this](Wave &B, const Inst &I) {
      excuseSaveOfScc(B, I);
    };
}

std::optional<uint64_t> Runner::originalOf(uint64_t PC) const {
  auto Found = ToOriginal.find(PC);
  if (Found != ToOriginal.end())
    return Found->second;
  if (PC >= O.InPlaceBegin && PC < O.InPlaceEnd)
    return PC;
  return std::nullopt;
}

StateComparison::Pair Runner::pairOf(Wave &A, Wave &B) {
  return {A, B, Original.Watch.trace(A), Instrumented.Watch.trace(B),
          Original.Watch.uninitialised(A)};
}

void Runner::report(Difference D, const Wave &A, const Wave &B) {
  if (R.Found)
    return;
  D.Kernel = Original.S.Plan.D->KernelName;
  D.OriginalEntry = Original.S.Plan.EntryPC;
  if (!D.OriginalPC)
    D.OriginalPC = A.PC;
  if (!D.InstrumentedPC)
    D.InstrumentedPC = B.PC;
  D.Instruction = Original.S.Code.print(D.OriginalPC);
  std::copy_n(A.WorkgroupId, 3, D.Workgroup);
  D.Wave = A.IdInWorkgroup;
  if (D.WriterPC)
    D.Writer = Instrumented.S.Code.print(D.WriterPC);
  R.Found = std::move(D);
}

/// Where a payload has no register to put SCC in, a branch on it puts it aside
/// before anything else has written it, or when a payload before has set it
/// again. That the original never set it is no fault of such a branch.
void Runner::excuseSaveOfScc(Wave &B, const Inst &I) {
  const uint64_t PC = B.PC - I.Dwords * 4u;
  if (I.Flow != ControlFlow::BranchOnScc || originalOf(PC))
    return;
  const uint64_t Writer = Instrumented.Watch.trace(B).ScalarWriter[sreg::Scc];
  const Wave &A = *Original.E.wave(Instrumented.E.numberOf(B));
  const Wave *Unset = Original.Watch.uninitialised(A);
  if (!Unset || !Unset->S[sreg::Scc])
    return;
  // s_cmp_lg_u32 s0, 0
  auto setsAgain = [&] {
    const auto Setter = Instrumented.S.Code.decoded(Writer);
    return Setter && Setter->Info->Operation->has(trait::ComparesUnequal) &&
           Setter->I.Src[0].Kind == Source::Sgpr &&
           Setter->I.Src[1].Kind == Source::Constant &&
           Setter->I.Src[1].Value == 0;
  };
  if (!Writer || originalOf(Writer) || setsAgain())
    Instrumented.Watch.scalarsGiven(B, sreg::Scc, 1);
}

uint64_t Runner::stepInstrumented(Wave &A, Wave &B, uint64_t Count) {
  const uint64_t Steps = Instrumented.E.step(B, Count);
  if (Again && Steps && B.Event != WaveEvent::Fault)
    if (auto D = Again->follow(B, Instrumented.E.numberOf(B), Steps)) {
      report(std::move(*D), A, B);
      Garbage = std::exchange(R.Found, std::nullopt);
      Again.reset();
    }
  return Steps;
}

/// At least one instruction of payload, if it can run, and as many as nothing
/// needs to be looked at in between. Returns how many.
uint64_t Runner::stepPayload(Wave &A, Wave &B) {
  const uint64_t From = B.PC;
  if (auto Found = Straight.find(From); Found != Straight.end())
    return stepInstrumented(A, B, Found->second);
  uint64_t Count = 0;
  do {
    if (!stepInstrumented(A, B, 1))
      return Count;
    ++Count;
  } while (!R.Found && !Instrumented.Watch.trace(B).Last->IsBranch &&
           !originalOf(B.PC) && B.Event == WaveEvent::None &&
           Count != O.MaxPayload);
  Straight[From] = Count;
  return Count;
}

/// Lets the instrumented wave run to its next mapped instruction. False if it
/// waits for others there is nobody to compare with, or on a difference.
bool Runner::align(Wave &A, Wave &B) {
  using Kind = Difference::Kind;
  for (uint64_t N = 0; B.Event != WaveEvent::Ended;) {
    if (originalOf(B.PC))
      return true;
    if (!Instrumented.E.isRunnable(B))
      return false;
    if (N >= O.MaxPayload) {
      report({Kind::NoReturn}, A, B);
      return false;
    }
    const uint64_t Steps = stepPayload(A, B);
    N += std::max<uint64_t>(Steps, 1);
    R.PayloadInstructions += Steps;
    if (R.Found)
      return false;
    if (B.Event == WaveEvent::Fault || Violated) {
      Difference D{Violated ? Kind::Violation : Kind::Fault};
      D.InstrumentedPC = Violated ? Violated->PC : B.PC;
      D.Detail =
          Violated ? Violated->text()
                   : describeFault(*Instrumented.S.Plan.D, Instrumented.S.Code,
                                   *Instrumented.E.fault())
                         .Message;
      report(std::move(D), A, B);
      return false;
    }
  }
  return true;
}

/// It does nothing any more that has to do with lanes.
bool Runner::isAboutToEnd(const Wave &A) const {
  for (uint64_t PC = A.PC;;) {
    const auto Next = Original.S.Code.decoded(PC);
    if (!Next)
      return false;
    const OperationFacts &Op = *Next->Info->Operation;
    if (Op.Flow == ControlFlow::End)
      return true;
    if (!Op.has(trait::Nop) && !Op.has(trait::Message))
      return false;
    PC += Next->I.Dwords * 4u;
  }
}

bool Runner::compare(Wave &A, Wave &B, bool Everything) {
  const bool HasLanes = A.exec() == B.exec() || !isAboutToEnd(A);
  auto D = State.compare(pairOf(A, B), Everything, HasLanes);
  if (D)
    report(std::move(*D), A, B);
  return !D;
}

/// \p A is about to execute \p I; the other version stands at the same place.
void Runner::compareReads(Wave &A, const Inst &I) {
  Wave &B = *Instrumented.E.wave(Original.E.numberOf(A));
  const uint64_t PC = A.PC - I.Dwords * 4u;
  if (auto D = State.compareReads(pairOf(A, B), I, PC)) {
    D->OriginalPC = PC;
    report(std::move(*D), A, B);
  }
}

/// Equal but for branches, which may have become several instructions, and code
/// that asks for its position and gets the original's, and for calls, which may
/// lead to a copy: that is seen afterwards.
void Runner::compareInstruction(Wave &A, Wave &B) {
  if (!Known.insert(B.PC).second)
    return;
  const std::string Old = Original.S.Code.print(A.PC);
  const std::string New = Instrumented.S.Code.print(B.PC);
  auto mayDiffer = [&] {
    const auto Decoded = Original.S.Code.decoded(A.PC);
    if (!Decoded)
      return false;
    const OperationFacts &Op = *Decoded->Info->Operation;
    return Op.has(trait::GetPC) ||
           (Op.Flow != ControlFlow::Next && Op.Flow != ControlFlow::Loop &&
            Op.Flow != ControlFlow::End);
  };
  if (Old == New || mayDiffer())
    return;
  Difference D{Difference::Kind::Instruction};
  D.Detail = New;
  report(std::move(D), A, B);
}

/// The instrumented wave gets the results that the original got.
void Runner::replay(Wave &A, Wave &B, const InstInfo &Info) {
  for (const RegisterRange &Range : Info.Writes)
    for (unsigned N = Range.First; N != unsigned(Range.First + Range.Count);
         ++N) {
      if (Range.File == RegisterFile::Vector)
        std::copy_n(A.vgpr(N), NumLanes, B.vgpr(N));
      else if (N < 256)
        B.S[N] = A.S[N];
    }
}

/// What the last instruction of the original stored.
std::optional<Difference> Runner::compareStores(const Wave &A) const {
  const Trace &T = Original.Watch.trace(A);
  for (uint64_t Address : T.StoreAddresses) {
    for (uint64_t At = Address & ~uint64_t(3); At < Address + T.StoreBytes;
         At += 4) {
      const void *From = Original.S.Memory.pointer(At, 4);
      const void *With = Instrumented.S.Memory.pointer(At, 4);
      if (!From || !With || std::memcmp(From, With, 4) == 0 || isIgnored(At))
        continue;
      uint32_t Old, New;
      std::memcpy(&Old, From, 4);
      std::memcpy(&New, With, 4);
      if (State.isLeftOfReturn(Old, New))
        continue;
      Difference D{Difference::Kind::Memory};
      D.Address = At;
      D.Original = Old;
      D.Instrumented = New;
      return D;
    }
  }
  return std::nullopt;
}

bool Runner::stepBoth(Wave &A, Wave &B) {
  using Kind = Difference::Kind;
  const uint64_t PC = A.PC, NewPC = B.PC;
  auto Report = [&](Difference D) {
    D.OriginalPC = PC;
    D.InstrumentedPC = NewPC;
    report(std::move(D), A, B);
    return false;
  };
  if (O.CompareInstructions)
    compareInstruction(A, B);
  if (R.Found)
    return false;
  const uint64_t Steps = Original.E.step(A, 1);
  if (R.Found)
    return false;
  const uint64_t NewSteps = stepInstrumented(A, B, 1);
  R.Compared += Steps;
  if (A.Event == WaveEvent::Fault) {
    R.OriginalFault =
        describeFault(*Original.S.Plan.D, Original.S.Code, *Original.E.fault())
            .Message;
    return false;
  }
  if (Violated) {
    Difference D{Kind::Violation};
    D.Detail = Violated->text();
    return Report(std::move(D));
  }
  if (B.Event == WaveEvent::Fault) {
    Difference D{Kind::Fault};
    D.Detail = describeFault(*Instrumented.S.Plan.D, Instrumented.S.Code,
                             *Instrumented.E.fault())
                   .Message;
    return Report(std::move(D));
  }
  if (Steps != NewSteps ||
      (A.Event == WaveEvent::Ended) != (B.Event == WaveEvent::Ended))
    return Report({Kind::End});
  const InstInfo &Info = *Original.Watch.trace(A).Last;
  if (Info.Operation->isVolatile()) {
    replay(A, B, Info);
    if (Again)
      replay(A, *Again->wave(Original.E.numberOf(A)), Info);
  }
  if (A.Event == WaveEvent::Ended)
    return false;
  if (O.OnlyWhatIsRead)
    for (const auto &Lost : State.noteResults(pairOf(A, B), Info)) {
      if (Lost.File == RegisterFile::Vector)
        Original.Watch.vectorLost(A, Lost.Reg, Lost.Lane, Lost.Bits);
      else
        Original.Watch.scalarLost(A, Lost.Reg, Lost.Bits);
    }
  if (Info.Operation->has(trait::GetPC) ||
      Info.Operation->Flow == ControlFlow::Call)
    State.noteCodeAddresses(pairOf(A, B), Info);
  // A jump to another function may have become a branch.
  if (Info.Operation->leavesFunction())
    Instrumented.Watch.functionLeft(B);
  if (auto D = compareStores(A))
    return Report(std::move(*D));
  return true;
}

/// Up to \p Slice original instructions of one wave.
void Runner::runPair(uint64_t Number, uint64_t Slice) {
  Wave *A = Original.E.wave(Number), *B = Instrumented.E.wave(Number);
  // The first time and the last time of a slice all registers are compared.
  for (uint64_t N = 0; N != Slice; ++N) {
    if (!align(*A, *B))
      return;
    const std::optional<uint64_t> At = originalOf(B->PC);
    if (B->Event == WaveEvent::Ended)
      return report({Difference::Kind::End}, *A, *B);
    if (At != A->PC) {
      Difference D{Difference::Kind::ControlFlow};
      D.Original = A->PC;
      D.Instrumented = *At;
      return report(std::move(D), *A, *B);
    }
    if (!compare(*A, *B, N == 0 || N + 1 == Slice))
      return;
    if (!Original.E.isRunnable(*A) || !Instrumented.E.isRunnable(*B) ||
        !stepBoth(*A, *B))
      return;
  }
}

uint64_t Runner::sliceLength() {
  if (!O.Seed)
    return 64;
  Random = Random * 0x5851f42d4c957f2d + 0x14057b7ef767814f;
  return 1 + (Random >> 40) % 200;
}

Result Runner::run() {
  if (Original.E.numWaves() != Instrumented.E.numWaves() ||
      Original.S.Plan.WavesPerWorkgroup !=
          Instrumented.S.Plan.WavesPerWorkgroup) {
    R.OriginalFault = "the two launches have different grids";
    return std::move(R);
  }
  while (!Original.E.finished() && !R.OriginalFault) {
    Original.E.fill();
    Instrumented.E.fill();
    if (Again)
      Again->fill();
    const uint64_t Before = progress();
    std::vector<Wave *> Turn = Original.E.running();
    for (size_t N = 0; N != Turn.size(); ++N) {
      // Seeded order: any wave may be next.
      const uint64_t Slice = sliceLength();
      if (O.Seed)
        std::swap(Turn[N], Turn[N + (Random >> 20) % (Turn.size() - N)]);
      if (Turn[N]->Event != WaveEvent::Ended)
        runPair(Original.E.numberOf(*Turn[N]), Slice);
      if (!R.Found && !R.OriginalFault && O.Stop)
        R.OriginalFault = O.Stop();
      if (R.Found || R.OriginalFault)
        return finish();
    }
    if (progress() != Before)
      continue;
    for (Wave *W : Turn)
      if (Original.E.isRunnable(*W)) {
        Difference D{Difference::Kind::End};
        D.Detail = "the instrumented version's waves wait for one another";
        report(std::move(D), *W, *Instrumented.E.wave(Original.E.numberOf(*W)));
        return finish();
      }
    R.OriginalFault = "all waves wait for one another";
  }
  if (!R.OriginalFault)
    compareMemory();
  if (!R.OriginalFault && !R.Found)
    compareOwnMemory();
  return finish();
}

Result Runner::finish() {
  if (Garbage && !R.Found) {
    R.Found = std::move(Garbage);
    R.OriginalFault.reset();
  }
  R.ReadUnset = Unset.all();
  return std::move(R);
}

bool Runner::isIgnored(uint64_t Address) const {
  return std::ranges::any_of(O.Ignored, [&](const Options::Extent &E) {
    return Address >= E.Begin && Address < E.End;
  });
}

/// Whether the dword around \p Address holds what is left of one.
bool Runner::holdsReturn(uint64_t Address) const {
  uint32_t Dwords[2];
  unsigned N = 0;
  for (const Side *S : {&Original.S, &Instrumented.S}) {
    const void *From = S->Memory.pointer(Address & ~uint64_t(3), 4);
    if (!From)
      return false;
    std::memcpy(&Dwords[N++], From, 4);
  }
  return State.isLeftOfReturn(Dwords[0], Dwords[1]);
}

void Runner::compareMemory() {
  if (!Original.S.Copy || !Instrumented.S.Copy) {
    for (const AddressSpace::Range &Range : Original.S.Memory.ranges())
      if (!isEqualAtEnd(Range.Begin, Range.End))
        return;
    return;
  }
  for (const Snapshot *Copy : {Original.S.Copy, Instrumented.S.Copy})
    for (const Snapshot::Extent &Written : Copy->written())
      if (!isEqualAtEnd(Written.Begin, Written.End))
        return;
}

/// Reports the first difference in what the original sees there.
bool Runner::isEqualAtEnd(uint64_t Begin, uint64_t End) {
  constexpr uint64_t Piece = 4096;
  for (uint64_t At = Begin, Size; At < End; At += Size) {
    Size = std::min(Piece - At % Piece, End - At);
    const auto *A =
        static_cast<const uint8_t *>(Original.S.Memory.pointer(At, Size));
    const auto *B =
        static_cast<const uint8_t *>(Instrumented.S.Memory.pointer(At, Size));
    if (B && std::memcmp(A, B, Size) == 0)
      continue;
    for (uint64_t N = 0; N != Size; ++N) {
      if ((B && A[N] == B[N]) || isIgnored(At + N) ||
          (B && holdsReturn(At + N)))
        continue;
      Difference D{Difference::Kind::Memory};
      D.Kernel = Original.S.Plan.D->KernelName;
      D.Address = At + N;
      D.Original = A[N];
      D.Instrumented = B ? B[N] : 0;
      D.Detail = B ? "at the end" : "the instrumented version lacks it";
      R.Found = std::move(D);
      return false;
    }
  }
  return true;
}

void Runner::compareOwnMemory() {
  if (!Again)
    return;
  auto D = Again->compareOwn(Instrumented.S.Memory);
  if (!D)
    return;
  D->Kernel = Original.S.Plan.D->KernelName;
  if (D->WriterPC)
    D->Writer = Instrumented.S.Code.print(D->WriterPC);
  R.Found = std::move(D);
}

} // namespace

Result run(Side Original, Side Instrumented, const Options &O,
           std::optional<Side> Again) {
  LaunchPlan &A = Original.Plan, &B = Instrumented.Plan;
  A.ResidentLimit = B.ResidentLimit =
      std::min(A.ResidentLimit, B.ResidentLimit);
  if (Again)
    Again->Plan.ResidentLimit = A.ResidentLimit;
  return Runner(Original, Instrumented, O, Again).run();
}

} // namespace luthier::emulator::lockstep
