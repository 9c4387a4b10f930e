// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/lockstep/GarbageRun.h"
#include "emulator/strict/InstFacts.h"
#include <algorithm>
#include <cstring>

namespace luthier::emulator::lockstep {

namespace {

const std::function<void(uint32_t)> &noInterrupt() {
  static const auto &None = *new std::function<void(uint32_t)>;
  return None;
}

Side withOtherGarbage(Side S, const UnsetState &Kept) {
  S.Plan.InvertsGarbage = true;
  S.Plan.Kept = Kept;
  return S;
}

} // namespace

GarbageRun::GarbageRun(Side From, const Options &O,
                       std::function<bool(uint64_t)> IsPayload)
    : S(withOtherGarbage(From, O.KeptGarbage)), O(O),
      IsPayload(std::move(IsPayload)), Watch(nullptr),
      E(S.Plan, S.Memory, S.Code, noInterrupt(), O.Seed, 1, &Watch) {
  Watch.Before = [this](Wave &W, const Inst &I) { before(W, I); };
  Watch.After = [this](Wave &W, const Inst &I) { after(W, I); };
}

void GarbageRun::before(Wave &W, const Inst &I) {
  PayloadWrites &Written = Writes[&W];
  ReadsGarbage = false;
  if (IsPayload(W.PC - I.Dwords * 4u))
    ReadsGarbage = Written.step(W, I, strict::InstFacts::of(*W.T, I));
  else
    Written.leave();
}

void GarbageRun::after(Wave &W, const Inst &I) {
  // Not all bits: those of what nobody wrote are inverted already.
  constexpr uint32_t Other = 0x5a5a5a5a;
  if (ReadsGarbage && I.Dst.Kind == Source::Sgpr)
    W.S[I.Dst.Reg] ^= Other;
  const Trace &T = Watch.trace(W);
  for (uint64_t Address : T.StoreAddresses)
    for (unsigned At = 0; At < T.StoreBytes; At += 4)
      Writer[(Address + At) & ~uint64_t(3)] = W.PC - I.Dwords * 4u;
}

std::optional<Difference> GarbageRun::follow(const Wave &B, uint64_t Number,
                                             uint64_t Steps) {
  Wave *C = E.wave(Number);
  if (C && E.step(*C, Steps) == Steps && C->PC == B.PC && C->Event == B.Event &&
      C->exec() == B.exec())
    return std::nullopt;
  Difference D{Difference::Kind::Garbage};
  D.Detail = "with other contents of registers that nobody wrote, the "
             "instrumented version goes another way";
  return D;
}

std::optional<Difference>
GarbageRun::compareOwn(const AddressSpace &First) const {
  for (const Options::Extent &Own : O.Own)
    for (uint64_t At = Own.Begin & ~uint64_t(3); At < Own.End; At += 4) {
      const void *A = First.pointer(At, 4), *B = S.Memory.pointer(At, 4);
      if (!A || !B || std::memcmp(A, B, 4) == 0)
        continue;
      uint32_t Old, New;
      std::memcpy(&Old, A, 4);
      std::memcpy(&New, B, 4);
      Difference D{Difference::Kind::Garbage};
      D.Address = At;
      D.Original = Old;
      D.Instrumented = New;
      if (auto Found = Writer.find(At); Found != Writer.end())
        D.WriterPC = Found->second;
      D.Detail = "what the tool's memory holds depends on registers that "
                 "nobody wrote";
      return D;
    }
  return std::nullopt;
}

} // namespace luthier::emulator::lockstep
