// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffer loads, stores and atomics without formats.
#include "AtomicUpdate.h"
#include "BufferCase.h"
#include "MemoryElement.h"

namespace luthier::test {

namespace {

constexpr unsigned DataReg = BufferCase::DataReg;

std::function<void(TrialState &, RandomSource &)>
preparation(const BufferCase &C) {
  return [=](TrialState &S, RandomSource &R) { C.prepare(S, R); };
}

/// Without an offset of its own, all lanes would write the same bytes.
bool lanesMeet(const BufferCase &C) { return !C.HasIndex && !C.HasOffset; }

void addLoads(std::vector<Trial> &Trials, RandomSource &Random) {
  for (const MemoryElement &E : LoadElements)
    for (const std::string &Suffix : spellings(E.Names))
      for (const BufferCase &C : BufferCase::all(E.size(), E.Bytes, Random)) {
        std::string Name = "buffer_load_" + Suffix;
        std::string Line = Name + " " + registerText('v', DataReg, E.dwords()) +
                           ", " + C.text();
        Trials.push_back(
            {Name, Line, preparation(C), [=](TrialState &S) {
               for (unsigned L = 0; L != S.T->WaveSize; ++L)
                 for (unsigned N = 0; S.isActive(L) && N != E.Count; ++N) {
                   bool Exists = C.exists(S, L, N * E.Bytes, E.Bytes);
                   auto Raw = uint32_t(
                       Exists ? C.read(S, L, N * E.Bytes, E.Bytes) : 0);
                   uint32_t &To = S.V[DataReg + N][L];
                   To = loaded(E, Raw, To, *S.T);
                 }
             }});
        if (E.Where != Part::Whole)
          continue;
        // Straight to LDS.
        Trials.push_back(
            {Name + " lds", Name + " " + C.text() + " lds",
             [=](TrialState &S, RandomSource &R) {
               C.prepare(S, R);
               S.S[TrialState::M0] = uint32_t(R() % 64 * 4);
             },
             [=](TrialState &S) {
               for (unsigned L = 0; L != S.T->WaveSize; ++L)
                 for (unsigned N = 0; S.isActive(L) && N != E.Count; ++N) {
                   bool Exists = C.exists(S, L, N * E.Bytes, E.Bytes);
                   auto Raw = uint32_t(
                       Exists ? C.read(S, L, N * E.Bytes, E.Bytes) : 0);
                   S.writeLds(S.S[TrialState::M0] + C.Immediate +
                                  4 * (L * E.Count + N),
                              loaded(E, Raw, 0, *S.T), 4);
                 }
             }});
      }
}

void addStores(std::vector<Trial> &Trials, RandomSource &Random) {
  for (const MemoryElement &E : StoreElements)
    for (const std::string &Suffix : spellings(E.Names))
      for (const BufferCase &C : BufferCase::all(E.size(), E.Bytes, Random)) {
        if (lanesMeet(C))
          continue;
        std::string Name = "buffer_store_" + Suffix;
        Trials.push_back(
            {Name,
             Name + " " + registerText('v', DataReg, E.dwords()) + ", " +
                 C.text(),
             preparation(C), [=](TrialState &S) {
               for (unsigned L = 0; L != S.T->WaveSize; ++L)
                 for (unsigned N = 0; S.isActive(L) && N != E.Count; ++N)
                   if (C.exists(S, L, N * E.Bytes, E.Bytes))
                     C.write(S, L, N * E.Bytes, stored(E, S.V[DataReg + N][L]),
                             E.Bytes);
             }});
      }
  // This one has no address register: one lane writes.
  for (BufferCase C : BufferCase::all(4, 4, Random)) {
    if (!lanesMeet(C))
      continue;
    std::string Text = C.text();
    Trials.push_back(
        {"buffer_store_lds_dword",
         "buffer_store_lds_dword " + Text.substr(Text.find("s[8:11]")) + " lds",
         [=](TrialState &S, RandomSource &R) {
           C.prepare(S, R);
           S.S[TrialState::M0] = uint32_t(R() % 64 * 4);
           S.setS64(TrialState::Exec, uint64_t(1) << (R() % S.T->WaveSize));
         },
         [=](TrialState &S) {
           for (unsigned L = 0; L != S.T->WaveSize; ++L)
             if (S.isActive(L) && C.exists(S, L, 0, 4))
               C.write(S, L, 0,
                       S.readLds(S.S[TrialState::M0] + C.Immediate + 4 * L, 4),
                       4);
         }});
  }
}

std::string returnText(const TargetTraits &T) {
  if (T.Generation >= 12)
    return " th:TH_ATOMIC_RETURN";
  return T.Processor == "gfx942" || T.Processor == "gfx950" ? " sc0" : " glc";
}

void addAtomics(std::vector<Trial> &Trials, const TargetTraits &T,
                RandomSource &Random) {
  for (const AtomicUpdate &U : atomicUpdates()) {
    if (!U.Memory || T.Generation > U.LastGeneration)
      continue;
    unsigned Dwords = U.Bytes / 4;
    for (const std::string &Suffix : spellings(U.Memory))
      for (bool Returns : {false, true})
        for (const BufferCase &C : BufferCase::all(U.Bytes, 8, Random)) {
          if (lanesMeet(C))
            continue;
          std::string Name = "buffer_atomic_" + Suffix;
          Trials.push_back(
              {Name,
               Name + " " + registerText('v', DataReg, Dwords * U.NumData) +
                   ", " + C.text() + (Returns ? returnText(T) : ""),
               [=, &U](TrialState &S, RandomSource &R) {
                 C.prepare(S, R);
                 // Eight bytes are not consecutive where four interleave.
                 if (U.Bytes == 8)
                   S.S[BufferCase::ResourceReg + 1] &= 0x3fffffff;
                 for (unsigned L = 0; L != 64; ++L) {
                   AtomicValues V = atomicValues(U, R);
                   S.setLane(DataReg, L, V.Data, U.Bytes);
                   S.setLane(DataReg + Dwords, L, V.Second, U.Bytes);
                   C.write(S, L, 0, V.Old, U.Bytes);
                 }
               },
               [=, &U](TrialState &S) {
                 for (unsigned L = 0; L != S.T->WaveSize; ++L) {
                   if (!S.isActive(L))
                     continue;
                   bool Exists = C.exists(S, L, 0, U.Bytes);
                   uint64_t Old = Exists ? C.read(S, L, 0, U.Bytes) : 0;
                   if (Exists)
                     C.write(S, L, 0,
                             U.Apply(Old, S.lane(DataReg, L, U.Bytes),
                                     S.lane(DataReg + Dwords, L, U.Bytes)),
                             U.Bytes);
                   if (Returns)
                     S.setLane(DataReg, L, Old, U.Bytes);
                 }
               }});
        }
  }
}

} // namespace

std::vector<Trial> bufferTrials(const TargetTraits &T, RandomSource &Random) {
  std::vector<Trial> Trials;
  addLoads(Trials, Random);
  addStores(Trials, Random);
  addAtomics(Trials, T, Random);
  return Trials;
}

} // namespace luthier::test
