// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flat, global and scratch loads, stores and atomics.
#include "AtomicUpdate.h"
#include "MemoryElement.h"
#include <algorithm>

namespace luthier::test {

namespace {

constexpr unsigned AddressReg = 2, OffsetReg = 4, DataReg = 16, ResultReg = 64;
constexpr unsigned ScalarBase = 4, ScalarOffset = 12;
/// Bytes of memory for each lane.
constexpr unsigned LaneSpace = TrialState::MemorySize / 2 / 64;

enum class Segment { Flat, Global, Scratch };
enum class Addressing { Vector, VectorAndScalar, ScalarOnly };

struct Access {
  Segment Where;
  Addressing How;
  int Offset;
  unsigned Bytes, Alignment;

  const char *prefix() const {
    static const char *const Names[] = {"flat_", "global_", "scratch_"};
    return Names[unsigned(Where)];
  }
  std::string vector() const {
    if (How == Addressing::ScalarOnly)
      return "off";
    bool Wide = How == Addressing::Vector && Where != Segment::Scratch;
    return Wide ? registerText('v', AddressReg, 2)
                : registerText('v', OffsetReg, 1);
  }
  /// With the comma before it.
  std::string scalar() const {
    if (Where == Segment::Flat)
      return "";
    if (How == Addressing::Vector)
      return ", off";
    return Where == Segment::Scratch ? ", s12" : ", s[4:5]";
  }
  std::string offset() const {
    return Offset ? " offset:" + std::to_string(Offset) : "";
  }
};

void prepare(const Access &A, TrialState &S, RandomSource &Random) {
  std::array<unsigned, 64> Order = shuffled(Random);
  bool Contiguous = Random() % 3 == 0;
  S.setS64(TrialState::FlatScratch, S.scratchBase());
  uint64_t Base = S.MemoryBase + uint64_t(int64_t(Random() % 256) - 128);
  S.setS64(ScalarBase, Base);
  S.S[ScalarOffset] = uint32_t(Random() % 8) * 4;
  for (unsigned L = 0; L != 64; ++L) {
    unsigned InLane = unsigned(Random() % (LaneSpace - A.Bytes + 1));
    InLane -= InLane % A.Alignment;
    uint64_t Target = S.MemoryBase + 4096 + Order[L] * LaneSpace + InLane;
    if (Contiguous)
      Target = S.MemoryBase + 4096 + L * A.Bytes;
    S.setLane(AddressReg, L, Target - uint64_t(int64_t(A.Offset)), 8);
    S.V[OffsetReg][L] = uint32_t(Target - uint64_t(int64_t(A.Offset)) - Base);
    if (A.Where == Segment::Scratch) {
      // Each lane has its own, so places may be equal.
      uint32_t Limit = TrialState::MemorySize / 2 / S.T->WaveSize;
      auto Place = uint32_t(Random() % (Limit - A.Bytes - 63));
      Place -= Place % A.Alignment;
      uint32_t Scalar =
          A.How == Addressing::VectorAndScalar ? S.S[ScalarOffset] : 0;
      S.V[OffsetReg][L] = Place + 60 - uint32_t(A.Offset) - Scalar;
      if (A.How == Addressing::ScalarOnly)
        S.S[ScalarOffset] = 60 - uint32_t(A.Offset);
    }
  }
}

/// Device address of byte \p Extra of a lane's access.
uint64_t locate(const Access &A, const TrialState &S, unsigned L,
                unsigned Extra) {
  auto Offset = uint64_t(int64_t(A.Offset));
  if (A.Where == Segment::Scratch) {
    uint32_t At = uint32_t(A.Offset) + Extra;
    if (A.How != Addressing::ScalarOnly)
      At += S.V[OffsetReg][L];
    if (A.How != Addressing::Vector)
      At += S.S[ScalarOffset];
    // Dwords of all lanes alternate.
    return S.scratchBase() + (uint64_t(At / 4) * S.T->WaveSize + L) * 4 +
           At % 4;
  }
  if (A.How == Addressing::VectorAndScalar)
    return S.s64(ScalarBase) + S.V[OffsetReg][L] + Offset + Extra;
  return S.lane(AddressReg, L, 8) + Offset + Extra;
}
uint64_t readAt(const Access &A, const TrialState &S, unsigned L,
                unsigned Extra, unsigned Bytes) {
  uint64_t Value = 0;
  for (unsigned B = 0; B != Bytes; ++B)
    Value |= S.read(locate(A, S, L, Extra + B), 1) << (8 * B);
  return Value;
}
void writeAt(const Access &A, TrialState &S, unsigned L, unsigned Extra,
             uint64_t Value, unsigned Bytes) {
  for (unsigned B = 0; B != Bytes; ++B)
    S.write(locate(A, S, L, Extra + B), Value >> (8 * B) & 0xff, 1);
}

std::vector<Access> accesses(Segment Where, unsigned Bytes, unsigned Alignment,
                             const TargetTraits &T, RandomSource &Random) {
  int Offset = int(Random() % 2000) & ~7;
  std::vector<Access> All;
  if (Where == Segment::Scratch) {
    int Small = int(Random() % 32) & ~3;
    All = {{Where, Addressing::Vector, Small, Bytes, Alignment},
           {Where, Addressing::VectorAndScalar, Small, Bytes, Alignment},
           {Where, Addressing::ScalarOnly, Small, Bytes, Alignment}};
    return All;
  }
  All.push_back({Where, Addressing::Vector, 0, Bytes, Alignment});
  All.push_back({Where, Addressing::Vector, Offset, Bytes, Alignment});
  if (Where == Segment::Flat)
    return All;
  All.push_back({Where, Addressing::Vector, -Offset, Bytes, Alignment});
  if (T.Generation >= 9)
    All.push_back(
        {Where, Addressing::VectorAndScalar, Offset, Bytes, Alignment});
  return All;
}

void addLoads(std::vector<Trial> &Trials, Segment Where, const TargetTraits &T,
              RandomSource &Random) {
  for (const MemoryElement &E : LoadElements)
    for (const std::string &Suffix : spellings(E.Names))
      for (unsigned Alignment : {1u, 4u})
        for (const Access &A :
             accesses(Where, E.size(), Alignment, T, Random)) {
          std::string Name = A.prefix() + ("load_" + Suffix);
          Trials.push_back(
              {Name,
               Name + " " + registerText('v', ResultReg, E.dwords()) + ", " +
                   A.vector() + A.scalar() + A.offset(),
               [=](TrialState &S, RandomSource &R) { prepare(A, S, R); },
               [=](TrialState &S) {
                 for (unsigned L = 0; L != S.T->WaveSize; ++L)
                   for (unsigned N = 0; S.isActive(L) && N != E.Count; ++N) {
                     uint32_t &To = S.V[ResultReg + N][L];
                     auto Raw = uint32_t(readAt(A, S, L, N * E.Bytes, E.Bytes));
                     To = loaded(E, Raw, To, *S.T);
                   }
               }});
        }
}

void addStores(std::vector<Trial> &Trials, Segment Where, const TargetTraits &T,
               RandomSource &Random) {
  for (const MemoryElement &E : StoreElements)
    for (const std::string &Suffix : spellings(E.Names))
      for (unsigned Alignment : {1u, 4u})
        for (const Access &A :
             accesses(Where, E.size(), Alignment, T, Random)) {
          std::string Name = A.prefix() + ("store_" + Suffix);
          Trials.push_back(
              {Name,
               Name + " " + A.vector() + ", " +
                   registerText('v', DataReg, E.dwords()) + A.scalar() +
                   A.offset(),
               [=](TrialState &S, RandomSource &R) { prepare(A, S, R); },
               [=](TrialState &S) {
                 for (unsigned L = 0; L != S.T->WaveSize; ++L)
                   for (unsigned N = 0; S.isActive(L) && N != E.Count; ++N)
                     writeAt(A, S, L, N * E.Bytes,
                             stored(E, S.V[DataReg + N][L]), E.Bytes);
               }});
        }
}

/// How an instruction asks for the old value; empty where the name does.
std::string returnText(const TargetTraits &T) {
  if (T.Generation >= 12)
    return " th:TH_ATOMIC_RETURN";
  return T.Processor == "gfx942" || T.Processor == "gfx950" ? " sc0" : " glc";
}

void addAtomics(std::vector<Trial> &Trials, Segment Where,
                const TargetTraits &T, RandomSource &Random) {
  for (const AtomicUpdate &U : atomicUpdates()) {
    if (!U.Memory || T.Generation > U.LastGeneration)
      continue;
    for (const std::string &Suffix : spellings(U.Memory))
      for (bool Returns : {false, true})
        for (const Access &A : accesses(Where, U.Bytes, 8, T, Random)) {
          std::string Name = A.prefix() + ("atomic_" + Suffix);
          unsigned Dwords = U.Bytes / 4;
          std::string Line = Name + " ";
          if (Returns)
            Line += registerText('v', ResultReg, Dwords) + ", ";
          Line += A.vector() + ", " +
                  registerText('v', DataReg, Dwords * U.NumData) + A.scalar() +
                  A.offset() + (Returns ? returnText(T) : "");
          Trials.push_back(
              {Name, Line,
               [=, &U](TrialState &S, RandomSource &R) {
                 prepare(A, S, R);
                 for (unsigned L = 0; L != 64; ++L) {
                   // Wider than its scalar offset may make it.
                   AtomicValues V = atomicValues(U, R);
                   S.setLane(DataReg, L, V.Data, U.Bytes);
                   S.setLane(DataReg + Dwords, L, V.Second, U.Bytes);
                   writeAt(A, S, L, 0, V.Old, U.Bytes);
                 }
               },
               [=, &U](TrialState &S) {
                 for (unsigned L = 0; L != S.T->WaveSize; ++L) {
                   if (!S.isActive(L))
                     continue;
                   uint64_t Old = readAt(A, S, L, 0, U.Bytes);
                   uint64_t New = U.Apply(Old, S.lane(DataReg, L, U.Bytes),
                                          S.lane(DataReg + Dwords, L, U.Bytes));
                   writeAt(A, S, L, 0, New, U.Bytes);
                   if (Returns)
                     S.setLane(ResultReg, L, Old, U.Bytes);
                 }
               }});
        }
  }
}

/// Registers for which M0 has a bit.
void addBlocks(std::vector<Trial> &Trials, Segment Where, const TargetTraits &T,
               RandomSource &Random) {
  for (const Access &A : accesses(Where, 128, 4, T, Random)) {
    auto Prepare = [=](TrialState &S, RandomSource &R) { prepare(A, S, R); };
    auto ForEach = [](TrialState &S, auto F) {
      for (unsigned L = 0; L != S.T->WaveSize; ++L)
        for (unsigned N = 0; N != 32; ++N)
          if (S.isActive(L) && S.S[TrialState::M0] >> N & 1)
            F(L, N);
    };
    std::string Load = A.prefix() + std::string("load_block");
    Trials.push_back({Load,
                      Load + " " + registerText('v', ResultReg, 32) + ", " +
                          A.vector() + A.scalar() + A.offset(),
                      Prepare, [=](TrialState &S) {
                        ForEach(S, [&](unsigned L, unsigned N) {
                          S.V[ResultReg + N][L] =
                              uint32_t(readAt(A, S, L, 4 * N, 4));
                        });
                      }});
    std::string Store = A.prefix() + std::string("store_block");
    Trials.push_back({Store,
                      Store + " " + A.vector() + ", " +
                          registerText('v', DataReg, 32) + A.scalar() +
                          A.offset(),
                      Prepare, [=](TrialState &S) {
                        ForEach(S, [&](unsigned L, unsigned N) {
                          writeAt(A, S, L, 4 * N, S.V[DataReg + N][L], 4);
                        });
                      }});
  }
}

/// Straight to LDS, where lanes' dwords are next to each other.
void addLoadsToLds(std::vector<Trial> &Trials, Segment Where,
                   const TargetTraits &T, RandomSource &Random) {
  for (MemoryElement E : LoadElements) {
    if (E.Where != Part::Whole)
      continue;
    for (const Access &A : accesses(Where, E.size(), 4, T, Random)) {
      if (A.Offset < 0)
        continue;
      std::string Name =
          A.prefix() + ("load_lds_" + spellings(E.Names).front());
      Trials.push_back(
          {Name, Name + " " + A.vector() + A.scalar() + A.offset(),
           [=](TrialState &S, RandomSource &R) {
             prepare(A, S, R);
             S.S[TrialState::M0] = uint32_t(R() % 64 * 4);
           },
           [=](TrialState &S) {
             for (unsigned L = 0; L != S.T->WaveSize; ++L)
               for (unsigned N = 0; S.isActive(L) && N != E.Count; ++N) {
                 auto Raw = uint32_t(readAt(A, S, L, N * E.Bytes, E.Bytes));
                 uint32_t To = S.S[TrialState::M0] + uint32_t(A.Offset) +
                               4 * (L * E.Count + N);
                 S.writeLds(To, loaded(E, Raw, 0, *S.T), 4);
               }
           }});
    }
  }
}

/// A dword per lane behind the scalar base.
void addByLane(std::vector<Trial> &Trials) {
  auto Prepare = [](TrialState &S, RandomSource &R) {
    S.setS64(ScalarBase, S.MemoryBase + R() % 512 * 4);
  };
  auto At = [](const TrialState &S, unsigned L) {
    return S.s64(ScalarBase) + 20 + 4 * L;
  };
  for (const char *Name :
       {"global_load_dword_addtid", "global_load_addtid_b32"})
    Trials.push_back({Name, Name + std::string(" v64, s[4:5] offset:20"),
                      Prepare, [=](TrialState &S) {
                        for (unsigned L = 0; L != S.T->WaveSize; ++L)
                          if (S.isActive(L))
                            S.V[ResultReg][L] = uint32_t(S.read(At(S, L), 4));
                      }});
  for (const char *Name :
       {"global_store_dword_addtid", "global_store_addtid_b32"})
    Trials.push_back({Name, Name + std::string(" v16, s[4:5] offset:20"),
                      Prepare, [=](TrialState &S) {
                        for (unsigned L = 0; L != S.T->WaveSize; ++L)
                          if (S.isActive(L))
                            S.write(At(S, L), S.V[DataReg][L], 4);
                      }});
}

} // namespace

std::vector<Trial> flatTrials(const TargetTraits &T, RandomSource &Random) {
  std::vector<Trial> Trials;
  for (Segment Where : {Segment::Flat, Segment::Global, Segment::Scratch}) {
    addLoads(Trials, Where, T, Random);
    addStores(Trials, Where, T, Random);
    if (Where != Segment::Scratch)
      addAtomics(Trials, Where, T, Random);
    if (Where != Segment::Flat) {
      addBlocks(Trials, Where, T, Random);
      addLoadsToLds(Trials, Where, T, Random);
    }
  }
  addByLane(Trials);
  return Trials;
}

} // namespace luthier::test
